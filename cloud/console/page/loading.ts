/** Reads the parts that the views show. Each part keeps only the answer of its newest reading, and a failure until the part can be read. */
import { computed, signal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import { refusalOf, signedIn } from './session.js';

/** The parts: each is read as a whole, or fails as a whole. */
export type Part =
  | 'lots'
  | 'emergencies'
  | 'zones'
  | 'devices'
  | 'watched'
  | 'products'
  | 'changed devices'
  | `health of ${number}`
  | 'inside'
  | 'readings'
  | 'refused'
  | 'renewed'
  | 'sightings'
  | 'handled'
  | 'stay pictures'
  | 'places';

const refusals = signal<ReadonlyMap<Part, Refusal>>(new Map());
/** Something could not be read: the sentence's facts. */
export const loadRefusal = computed<Refusal | null>(() => [...refusals.value.values()][0] ?? null);

/** Counts sign-ins: answers to requests of an earlier sign-in are dropped. */
let generation = 0;
let begun = 0;
/** The number of the reading that each part shows: a slow answer must not replace a newer one. */
const shown = new Map<Part, number>();

/** Drops the answers of all readings that are under way. */
export function forgetLoading(): void {
  generation += 1;
  shown.clear();
  refusals.value = new Map();
}

/** @param refusal null: the part could be read, or no view shows it any more */
export function setRefusal(part: Part, refusal: Refusal | null): void {
  if (refusal === null && !refusals.value.has(part)) return;
  const next = new Map(refusals.value);
  if (refusal === null) next.delete(part);
  else next.set(part, refusal);
  refusals.value = next;
}

/**
 * Reads a part and keeps its answer, or why it failed. Both are dropped when a later reading of the part has answered, or somebody else
 * has signed in.
 */
export async function load<Value>(part: Part, read: () => Promise<Value>, keep: (value: Value) => void): Promise<void> {
  begun += 1;
  const [own, round] = [generation, begun];
  const isLate = () => own !== generation || round < (shown.get(part) ?? 0);
  try {
    const value = await read();
    if (isLate()) return;
    shown.set(part, round);
    keep(value);
    setRefusal(part, null);
  } catch (error) {
    if (!isLate()) setRefusal(part, refusalOf(error));
  }
}

/** All items of a list, at most so many. */
export async function all<Item>(items: AsyncIterable<Item>, most = Infinity): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= most) break;
  }
  return found;
}

/** The most that a page of a list has. */
export const PAGE_MAX = 300;

/**
 * The newest items of a list, at most so many: page by page from the id of the last item, so that items which are added or end during
 * the reading do not shift the pages.
 * @param ask gets the filter that leads to the items after the last one, and how many are wanted
 */
export async function newestOf<Item extends { id: number }>(
  ask: (page: { beyond: string[]; size: number }) => Promise<readonly Item[]>,
  most: number,
): Promise<Item[]> {
  const found: Item[] = [];
  for (;;) {
    const size = Math.min(PAGE_MAX, most - found.length);
    const last = found.at(-1);
    const items = await ask({ beyond: last === undefined ? [] : [`id:lt:${last.id}`], size });
    found.push(...items);
    if (items.length < size || found.length >= most) return found;
  }
}

/** Events that come together cause one reading, and many events at most one each second: a token may ask 600 times a minute. */
const GATHER_MS = 50;
const APART_MS = 1_000;

/** @returns a function that asks for the work, which then runs soon, if somebody is still signed in */
export function gathered(work: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;
  return () => {
    const waitMs = Math.max(GATHER_MS, lastAt + APART_MS - Date.now());
    timer ??= setTimeout(() => {
      timer = undefined;
      lastAt = Date.now();
      if (signedIn.value !== null) void work();
    }, waitMs);
  };
}
