/** Lists that no event keeps up: they are read again each minute, and say of when they are. */
import { useEffect, useRef } from 'preact/hooks';
import { timeOf, words } from './browser.js';
import { Button } from './parts.js';
import { minute } from './store.js';
import type { Read } from './use-read.js';

/**
 * Reads a list again each minute, while somebody looks at it.
 * @param isKept false: it is left as it is, such as a search for a person, of which the audit log keeps each, or rows that were paged to
 */
export function useKeptUp({ again }: Pick<Read<unknown>, 'again'>, isKept: boolean): void {
  const isFirst = useRef(true);
  const now = minute.value;
  useEffect(() => {
    if (!isFirst.current && isKept && !document.hidden) again();
    isFirst.current = false;
  }, [now]);
}

/** Of when a list is, with the button that reads it again. */
export function AsOf({ list: { at, again } }: { list: Pick<Read<unknown>, 'at' | 'again'> }) {
  if (at === null) return null;
  return (
    <p class="facts as-of">
      {words.sessions.printed(timeOf(new Date(at).toISOString()))}{' '}
      <Button look="small" word={words.readAgain} onClick={again} />
    </p>
  );
}
