import { words } from './browser.js';
import { Empty } from './parts.js';
import { loadRefusal } from './store.js';

/** In the place of a view until everything has been read. What failed stands above it, and then nothing loads any more. */
export const LoadingSign = () => (loadRefusal.value === null ? <Empty>{words.loading}</Empty> : null);
