/** Ctrl-K: finds views, lots, barriers, people and plates, opens and closes a barrier, begins a form, and signs out. */
import { signal, useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { lotPath, VIEW_PATHS } from '../console-paths.js';
import { type Found, type FoundPerson, findEntries } from '../wording/find-entries.js';
import { words } from './browser.js';
import { askBefore } from './command-question.js';
import { Dialog } from './parts.js';
import { findPeople } from './people-reads.js';
import { goTo } from './place.js';
import { signOut } from './session.js';
import { lots, products } from './store.js';
import { useRead } from './use-read.js';
import type { NavigatedView } from './views.js';

export const isPaletteOpen = signal(false);

/** @param views that the person may see */
export function Palette({ views }: { views: readonly NavigatedView[] }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isPaletteOpen.value ? <PaletteDialog views={views} /> : null;
}

/** What can be made in the views that the person may see. */
function formsOf(views: readonly NavigatedView[]): { name: string; path: string }[] {
  const forms = {
    keys: [{ name: words.keys.invite, path: '/keys' }],
    members: [
      { name: words.members.make, path: '/members?edit=new' },
      { name: words.groups.make, path: '/members?show=groups&edit=new' },
    ],
    alerts: [{ name: words.alerts.make, path: '/alerts?edit=new' }],
    displays: [{ name: words.displays.make, path: '/displays?edit=new' }],
    tariffs: [{ name: words.tariffs.add, path: '/tariffs?edit=new' }],
  };
  return (Object.keys(forms) as (keyof typeof forms)[]).flatMap((view) => (views.includes(view) ? forms[view] : []));
}

function follow(target: Found['target']): void {
  if ('view' in target) goTo(VIEW_PATHS[target.view]);
  else if ('lot' in target)
    goTo(lotPath(target.lot) + (target.product === undefined ? '' : `?product=${target.product}`));
  else if ('path' in target) goTo(target.path);
  else if ('plate' in target) goTo(`${VIEW_PATHS.sessions}?plate=${encodeURIComponent(target.plate)}`);
  else if ('isSignOut' in target) void signOut();
  else askBefore(target.product, target.operation);
}

function PaletteDialog({ views }: { views: readonly NavigatedView[] }) {
  const text = useSignal('');
  const at = useSignal(0);
  const id = useId();
  const kinds = new Set<FoundPerson['kind']>([
    ...(views.includes('members') ? ['member' as const] : []),
    ...(views.includes('users') ? ['user' as const] : []),
  ]);
  const people = useRead(text.value, (abort) => findPeople(text.value, kinds, abort));
  const entries = () =>
    findEntries(
      text.value,
      {
        views: views.map((view) => ({ view, name: words.views[view] })),
        lots: lots.value,
        products: products.value,
        forms: formsOf(views),
        people: people.found ?? [],
      },
      words,
    );
  const found = entries();
  const close = () => {
    isPaletteOpen.value = false;
  };
  const choose = ({ target }: Found) => {
    close();
    follow(target);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') at.value = Math.min(at.value + 1, found.length - 1);
    else if (event.key === 'ArrowUp') at.value = Math.max(at.value - 1, 0);
    else if (event.key === 'Enter') {
      // An Enter may come before what was typed is drawn.
      const chosen = entries()[at.value];
      if (chosen !== undefined) choose(chosen);
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog title={words.palette.title} onClose={close} class="palette">
      <input
        role="combobox"
        aria-label={words.palette.title}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${at.value}`}
        placeholder={words.palette.hint}
        value={text.value}
        onKeyDown={onKey}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      <Entries id={id} found={found} at={at.value} onChoose={choose} />
      {found.length === 0 && <p class="hint">{words.palette.none}</p>}
    </Dialog>
  );
}

function Entries(props: { id: string; found: readonly Found[]; at: number; onChoose: (entry: Found) => void }) {
  const { id, found, at, onChoose } = props;
  return (
    <ul id={`${id}-list`} role="listbox" aria-label={words.palette.title}>
      {found.map((entry, index) => (
        <li
          key={entry.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onClick={() => onChoose(entry)}
        >
          <span>{entry.name}</span> <small>{entry.kind}</small>
        </li>
      ))}
    </ul>
  );
}
