import type { Place } from '../console-paths.js';
import { words } from './browser.js';
import { Empty } from './parts.js';
import { place } from './place.js';
import { loadRefusal } from './store.js';

/** What a view is called; empty: the address is no view's. */
export const titleOf = (at: Place | null): string =>
  at === null ? '' : words.views[at.view === 'lot' ? 'overview' : at.view];

/** A page with nothing but one sentence, which has its heading like any other. */
export const BarePage = ({ text }: { text: string }) => (
  <>
    <h1 tabIndex={-1}>{titleOf(place.value) || words.name}</h1>
    {text !== '' && <Empty>{text}</Empty>}
  </>
);

/** In the place of a view until everything has been read. What failed stands above it, and then nothing loads any more. */
export const LoadingSign = () => <BarePage text={loadRefusal.value === null ? words.loading : ''} />;
