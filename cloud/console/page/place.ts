/** Where the person is: the address bar, as a signal. */
import { computed, signal } from '@preact/signals';
import { placeOf } from '../console-paths.js';

const path = signal(location.pathname);
const search = signal(location.search);

addEventListener('popstate', () => {
  if (dialogStep() < spare) {
    spare = 0;
    history.back();
  }
  readAddress();
});

/** How many dialogs are open that are a step of their own; the history has it with each step. */
export function dialogStep(): number {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'dialog' in state ? Number(state.dialog) : 0;
}

// No dialog is open after a reload.
if (dialogStep() > 0) history.replaceState(null, '');

/** The step of a dialog that was closed by a press: the next dialog has it, and the way back passes over it. 0: there is none. */
let spare = 0;

/** Makes a dialog a step that the way back undoes. @returns its number */
export function makeStep(): number {
  if (spare === 0 || spare !== dialogStep()) history.pushState({ dialog: dialogStep() + 1 }, '');
  spare = 0;
  return dialogStep();
}

/** A dialog was closed; by the way back its step is gone already. */
export function leaveStep(step: number): void {
  if (dialogStep() === step) spare = step;
}

function readAddress(): void {
  path.value = location.pathname;
  search.value = location.search;
}

export const place = computed(() => placeOf(path.value));
export const query = computed(() => new URLSearchParams(search.value));
/** What the address asks for by this name; empty: nothing. */
export const queryOf = (name: string): string => query.value.get(name) ?? '';

/** @param to path and query. @param how `replace` for a search that goes on: the way back leads before it */
export function goTo(to: string, how: 'push' | 'replace' = 'push'): void {
  if (to === path.value + search.value) return;
  const before = path.value;
  // What leads out of a dialog takes its step.
  if (how === 'push' && dialogStep() === 0) history.pushState(null, '', to);
  else history.replaceState(how === 'push' ? null : history.state, '', to);
  if (how === 'push') spare = 0;
  readAddress();
  if (how === 'push' && path.value !== before) scrollTo(0, 0);
}

/** What is open over the view or beside it, by its name in the address. */
const OPENED = ['edit', 'reading', 'session', 'opening', 'member'];

const opens = (changed: Readonly<Record<string, string>>): boolean =>
  OPENED.some((name) => (changed[name] ?? '') !== '' && queryOf(name) === '');

/**
 * Changes parts of the query; an empty value leaves its part out. To open something is a step that the way back undoes; everything else is
 * the same view, and the way back leads before it.
 */
export function setQuery(
  changed: Readonly<Record<string, string>>,
  how: 'push' | 'replace' = opens(changed) ? 'push' : 'replace',
): void {
  const next = new URLSearchParams(search.value);
  for (const [name, value] of Object.entries(changed)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  goTo(path.value + (text === '' ? '' : `?${text}`), how);
}
