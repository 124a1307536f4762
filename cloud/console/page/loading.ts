/** Reads what the views show: for one person, the newest answer of each part alone, and what could not be read is said until it is. */
import { computed, signal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import { refusalOf, signedIn } from './session.js';

/** What is read together, and fails together. */
export type Part =
  | 'lots'
  | 'zones'
  | 'devices'
  | 'changed devices'
  | `health of ${number}`
  | 'inside'
  | 'readings'
  | 'refused'
  | 'renewed'
  | 'sightings'
  | 'places';

const refusals = signal<ReadonlyMap<Part, Refusal>>(new Map());
/** Something could not be read: the sentence's facts. */
export const loadRefusal = computed<Refusal | null>(() => [...refusals.value.values()][0] ?? null);

/** Of the person that is signed in: what an earlier one's requests still bring is not kept. */
let generation = 0;
let begun = 0;
/** Of each part the reading whose answer is shown: readings may overtake each other. */
const shown = new Map<Part, number>();

/** Everything that is under way is for nobody any more. */
export function forgetLoading(): void {
  generation += 1;
  shown.clear();
  refusals.value = new Map();
}

/** @param refusal null: it could be read, or nobody shows it any more */
export function setRefusal(part: Part, refusal: Refusal | null): void {
  if (refusal === null && !refusals.value.has(part)) return;
  const next = new Map(refusals.value);
  if (refusal === null) next.delete(part);
  else next.set(part, refusal);
  refusals.value = next;
}

/** Keeps what was read, unless a later reading of the same part was faster or another person has come, and remembers why it failed. */
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
 * The newest items of a list, at most so many: by the id of the last one, so that what is added or ends meanwhile moves nothing.
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

/** Events that come together are answered by one reading, and a rush of them by one each second: a token may ask 600 times a minute. */
const GATHER_MS = 50;
const APART_MS = 1_000;

/** @returns what asks for the work: soon, as long as somebody is signed in */
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
