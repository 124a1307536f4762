/** What the palette offers for a text. */
import type { View } from '../console-paths.js';
import type { ConsoleWords } from './en.js';
import { isPlatePattern } from './read-search.js';

type NavigatedView = Exclude<View, 'lot' | 'reset'>;

export interface Found {
  key: string;
  name: string;
  /** What it is, in a word. */
  kind: string;
  target:
    | { view: NavigatedView }
    | { lot: number; product?: number }
    | { plate: string }
    | { product: number; operation: 'open' | 'close' }
    | { isSignOut: true }
    /** An address of the console. */
    | { path: string };
}

const FOUND_MAX = 12;
/** What could be a plate: letters and digits, at least one of these. */
const PLATE = /^(?=.*\d)[\p{L}\d][\p{L}\d\s-]{1,14}$/u;

/** Likewise with wildcards, of which at least one stands for something. */
const PLATE_PATTERN = /^(?=.*[\p{L}\d])[\p{L}\d*?][\p{L}\d\s*?-]{1,40}$/u;

/** Every word of the text has to begin a word of the name, without regard to case and accents. */
function fits(name: string, text: string): boolean {
  const wordsOf = (each: string) =>
    each
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '');
  const named = wordsOf(name);
  return wordsOf(text).every((typed) => named.some((word) => word.startsWith(typed)));
}

/** Somebody who was found at the service. */
export interface FoundPerson {
  kind: 'member' | 'user';
  id: number;
  name: string;
  email: string;
}

interface FoundProduct {
  id: number;
  name: string;
  lot_id: number | null;
}

function entriesOf({ id, name, lot_id }: FoundProduct, { product, action, ...say }: ConsoleWords['palette']): Found[] {
  const shown =
    lot_id === null ? [] : [{ key: `product ${id}`, name, kind: product, target: { lot: lot_id, product: id } }];
  return [
    ...shown,
    { key: `open ${id}`, name: say.openProduct(name), kind: action, target: { product: id, operation: 'open' } },
    { key: `close ${id}`, name: say.closeProduct(name), kind: action, target: { product: id, operation: 'close' } },
  ];
}

export function findEntries(
  text: string,
  known: {
    views: readonly { view: NavigatedView; name: string }[];
    lots: readonly { id: number; name: string }[];
    products: readonly FoundProduct[];
    /** What can be made, and where. */
    forms: readonly { name: string; path: string }[];
    people: readonly FoundPerson[];
  },
  { palette, forms, signOut }: ConsoleWords,
): Found[] {
  const all: Found[] = [
    ...known.views.map(({ view, name }) => ({ key: `view ${view}`, name, kind: palette.view, target: { view } })),
    ...known.lots.map(({ id, name }) => ({ key: `lot ${id}`, name, kind: forms.lot, target: { lot: id } })),
    ...known.products.flatMap((product) => entriesOf(product, palette)),
    // It is asked there once more, and shown how far it is.
    ...known.lots
      .filter(({ id }) => known.products.some(({ lot_id }) => lot_id === id))
      .map(({ id, name }) => ({
        key: `release ${id}`,
        name: palette.releaseLot(name),
        kind: palette.action,
        target: { lot: id },
      })),
    ...known.forms.map(({ name, path }) => ({ key: path, name, kind: palette.action, target: { path } })),
    { key: 'sign-out', name: signOut, kind: palette.action, target: { isSignOut: true } },
  ];
  const plate = text.trim();
  const reads: Found = {
    key: 'reads',
    name: palette.searchReads(plate),
    kind: palette.view,
    target: { path: `/reads?plate=${encodeURIComponent(plate)}` },
  };
  // They were found for a text that may have been another one.
  const people = known.people.filter(({ name, email }) => fits(`${name} ${email}`, text));
  return [
    ...all.filter(({ name }) => fits(name, text)).slice(0, FOUND_MAX),
    ...people.map(({ kind, id, name, email }) => ({
      key: `${kind} ${id}`,
      name: email === '' ? name : `${name} (${email})`,
      kind: palette[kind],
      target: kind === 'member' ? { path: `/members?edit=${id}` } : { view: 'users' as const },
    })),
    ...(PLATE.test(plate)
      ? [
          { key: 'plate', name: palette.searchPlate(plate), kind: palette.view, target: { plate } },
          reads,
          // They are looked for when it is chosen, as the audit log keeps who searched for a plate.
          ...(known.views.some(({ view }) => view === 'members')
            ? [
                {
                  key: 'members-of-plate',
                  name: palette.searchMembers(plate),
                  kind: palette.view,
                  target: { path: `/members?find=${encodeURIComponent(plate)}` },
                },
              ]
            : []),
        ]
      : isPlatePattern(plate) && PLATE_PATTERN.test(plate)
        ? [reads]
        : []),
  ];
}
