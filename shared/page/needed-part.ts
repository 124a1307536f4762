/** Parts of a page that come as files of their own, and without which it cannot begin. */
import { keptIn } from './browser-storage.js';

const store = keptIn(() => sessionStorage);
const RELOADED = 'reloaded';

/**
 * Loads such a part. Where its file is gone, because another version runs meanwhile, the page is loaded anew, once; if that does not help,
 * the text of the page's HTML stays, which says what to do.
 */
export async function neededPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    const part = await load();
    store.forget(RELOADED);
    return part;
  } catch (error) {
    const isFirst = store.read(RELOADED) === null;
    store.write(RELOADED, true);
    // Without storage it would be loaded anew for ever.
    if (isFirst && store.read(RELOADED) === true) location.reload();
    throw error;
  }
}
