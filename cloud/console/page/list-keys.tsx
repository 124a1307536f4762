/** The keys of lists of vehicles and stays, the same in each: j and k move, Enter opens, / searches, Escape closes, ? lists them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isDesk, words } from './browser.js';
import { Button, Dialog } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { closeRow, ROW_BUTTON, type RowTableOf } from './row-table.js';

/** The row that has the focus, and those beside it. */
export interface FocusedRow {
  /** Of its reading or stay; null: none has the focus. */
  id: number | null;
  /** Moves the focus on, because this row goes away. */
  leave: () => void;
}

interface ListKeys {
  name: RowTableOf<never>['name'];
  /** The keys that only this view has. @returns whether the key was one of them */
  onKey?: (key: string, row: FocusedRow) => boolean;
  /** Those keys with what they do. */
  own?: readonly (readonly [key: string, what: string])[];
}

const isTyped = (target: EventTarget | null): boolean =>
  (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement;

/** Where a row is open beside the list, it follows the focus. */
function move(row: HTMLElement | undefined, name: string): void {
  row?.focus();
  if (row !== undefined && isDesk.value && queryOf(name) !== '') setQuery({ [name]: row.id.slice(name.length + 1) });
}

/** Listens while the view is shown. @returns the button that lists the keys */
export function KeysOfList({ name, onKey, own = [] }: ListKeys) {
  const isListed = useSignal(false);
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog') !== null) return;
      if (isTyped(target)) {
        if (key === 'Escape' && target instanceof HTMLInputElement && target.type === 'search') target.blur();
        return;
      }
      const rows = [...document.querySelectorAll<HTMLElement>(ROW_BUTTON)];
      const focused = rows.findIndex((row) => row === document.activeElement);
      // Beside the list, what is open is the place from which to go on.
      const at = focused >= 0 ? focused : rows.findIndex((row) => row.id === `${name}-${queryOf(name)}`);
      const id = rows[focused]?.id.slice(name.length + 1);
      const row = {
        id: id === undefined ? null : Number(id),
        leave: () => (rows[focused + 1] ?? rows[focused - 1])?.focus(),
      };
      if (key === 'j') move(rows[Math.min(at + 1, rows.length - 1)], name);
      else if (key === 'k') move(rows[Math.max(at - 1, 0)], name);
      else if (key === '/') document.querySelector<HTMLElement>('#content input[type="search"]')?.focus();
      else if (key === '?') isListed.value = true;
      else if (key === 'Escape') closeRow(name);
      else if (onKey?.(key, row) !== true) return;
      event.preventDefault();
    };
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, [name, onKey]);
  const { rows: say } = words;
  const keys = [...say.keys, ...own];
  return (
    <>
      <button type="button" class="small list-keys" aria-keyshortcuts="?" onClick={() => (isListed.value = true)}>
        {say.keysTitle} <kbd>?</kbd>
      </button>
      {isListed.value && (
        <Dialog title={say.keysTitle} onClose={() => (isListed.value = false)}>
          <dl class="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <div class="buttons">
            <Button word={words.done} onClick={() => (isListed.value = false)} />
          </div>
        </Dialog>
      )}
    </>
  );
}
