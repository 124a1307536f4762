/** The open stays: all of them are read once, and after that only those that changed. */
import { signal } from '@preact/signals';
import { gathered, load, newestOf, PAGE_MAX } from './loading.js';
import type { Session } from './records.js';
import { client, totalOf } from './session.js';

/** More stays are no list to go through; the newest are shown, and that there are others is said. */
const INSIDE_MAX = 10_000;
/** Changes are written a little after the time they bear. */
const OVERLAP_MS = 5_000;
const OPEN = 'status:eq:open';

/** The newest stays that have not ended. */
export const inside = signal<Session[]>([]);
/** How many there are in all; null: not known yet. */
export const insideTotal = signal<number | null>(null);

/** Milliseconds since 1970. All changes before this time are shown; later ones may not be. */
let knownUntil: number | null = null;
/** Readings run one after the other, so that none overwrites the result of a later one. */
let lastTurn: Promise<void> = Promise.resolve();

export function forgetInside(): void {
  inside.value = [];
  insideTotal.value = null;
  knownUntil = null;
}

const inTurn = (work: () => Promise<void>): Promise<void> => {
  lastTurn = lastTurn.then(work, work);
  return lastTurn;
};

const newestChange = (sessions: readonly Session[]): number =>
  Math.max(...sessions.map(({ updated_at }) => Date.parse(updated_at)));

export const loadInside = (): Promise<void> => inTurn(readAll);
export const loadInsideSoon = gathered(() => inTurn(readChanges));

async function readTotal(): Promise<number | null> {
  const { meta } = await client().request('get', '/v2/sessions', { query: { filter: [OPEN], size: 1 } });
  return totalOf(meta);
}

function readAll(): Promise<void> {
  let total: number | null = null;
  /** A stay that changed between two pages may be missing in both: only changes up to the first page are known for certain. */
  let until: number | null = null;
  const read = () =>
    newestOf(async ({ beyond, size }) => {
      const query = { filter: [OPEN, ...beyond], sort: 'id:desc' as const, size };
      const { data, meta } = await client().request('get', '/v2/sessions', { query });
      if (beyond.length === 0) [total, until] = [totalOf(meta), data.length === 0 ? null : newestChange(data)];
      return data;
    }, INSIDE_MAX);
  return load('inside', read, (open) => {
    inside.value = open;
    insideTotal.value = open.length < INSIDE_MAX ? open.length : Math.max(total ?? 0, open.length);
    knownUntil = until;
  });
}

async function readChanges(): Promise<void> {
  if (knownUntil === null) return readAll();
  const filter = [`updated_at:gte:${new Date(knownUntil - OVERLAP_MS).toISOString()}`];
  const wasCut = insideTotal.value !== inside.value.length;
  let isTooMuch = false;
  const read = async () => ({
    changes: await client().get('/v2/sessions', { query: { filter, sort: 'id:desc', size: PAGE_MAX } }),
    total: wasCut ? await readTotal() : null,
  });
  await load('inside', read, ({ changes, total }) => {
    isTooMuch = changes.length === PAGE_MAX;
    if (isTooMuch) return;
    const ids = new Set(changes.map(({ id }) => id));
    // Stays older than the oldest one that is shown stay left out.
    const oldest = wasCut ? (inside.value.at(-1)?.id ?? 0) : 0;
    const open = changes.filter(({ id, ended_at }) => ended_at === null && id >= oldest);
    const next = [...open, ...inside.value.filter(({ id }) => !ids.has(id))].toSorted((a, b) => b.id - a.id);
    inside.value = next.slice(0, INSIDE_MAX);
    insideTotal.value = Math.max(total ?? 0, next.length);
    if (changes.length > 0) knownUntil = Math.max(knownUntil ?? 0, newestChange(changes));
  });
  if (isTooMuch) await readAll();
}
