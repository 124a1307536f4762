/**
 * Finds the pairs among many plates that an exit could take for each other (`match-plate.ts`), without comparing each with each: plates
 * that look alike have the same fold, and of two plates one edit apart one character left out of one or both leaves the same text.
 */
import { foldPlate, looksAlike } from './match-plate.js';

export const COLLISION_KINDS = ['look_alike', 'one_edit'] as const;

export interface Collision {
  kind: (typeof COLLISION_KINDS)[number];
  /** In the order of their characters. */
  plates: [string, string];
}

interface Limits {
  /** At most so many pairs are found. */
  pairsMax: number;
  /** Lets others work; it is called after a few milliseconds of work. */
  pause: () => Promise<unknown>;
}

/** A pair is a number: the place of its first plate times this, and that of its second. So there are as many plates at most. */
const PLATES_MAX = 2 ** 20;
const PLATES_PER_TURN = 2_000;
const PAIRS_PER_TURN = 10_000;
const BUCKETS = 64;

/** Finds pairs of plates, look-alikes first, each kind in the order of its plates. @param plates normalised, each once */
export async function findCollisions(plates: readonly string[], { pairsMax, pause }: Limits): Promise<Collision[]> {
  const sorted = [...plates].sort().slice(0, PLATES_MAX);
  const folds = sorted.map(foldPlate);
  const alike = await pairsOf(alikeRuns(folds), { pairsMax, pause, isPair: () => true });
  const edited = await pairsOf(editedRuns(sorted), {
    pairsMax: pairsMax - alike.length,
    pause,
    isPair: (a, b) => folds[a] !== folds[b] && looksAlike(sorted[a] ?? '', sorted[b] ?? ''),
  });
  const collision = (kind: Collision['kind'], pair: number): Collision => {
    const first = Math.floor(pair / PLATES_MAX);
    return { kind, plates: [sorted[first] ?? '', sorted[pair % PLATES_MAX] ?? ''] };
  };
  return [...alike.map((pair) => collision('look_alike', pair)), ...edited.map((pair) => collision('one_edit', pair))];
}

/** Collects the pairs within runs of places; null stands for a turn of work without one. */
async function pairsOf(
  runs: Iterable<number[] | null>,
  { pairsMax, pause, isPair }: Limits & { isPair: (a: number, b: number) => boolean },
): Promise<number[]> {
  const pairs = new Set<number>();
  let looked = 0;
  for (const run of runs) {
    if (run === null) await pause();
    for (const [a, b] of pairsIn(run ?? [])) {
      if (pairs.size >= pairsMax) return ascending(pairs);
      if (isPair(a, b)) pairs.add(Math.min(a, b) * PLATES_MAX + Math.max(a, b));
      if (++looked % PAIRS_PER_TURN === 0) await pause();
    }
  }
  return ascending(pairs);
}

function* pairsIn(run: readonly number[]): Generator<[number, number]> {
  for (const [at, a] of run.entries()) {
    for (let next = at + 1; next < run.length; next++) yield [a, run[next] ?? a];
  }
}

const ascending = (pairs: Iterable<number>): number[] => [...pairs].sort((a, b) => a - b);

function* alikeRuns(folds: readonly string[]): Generator<number[] | null> {
  const places = new Map<string, number[]>();
  for (const [place, fold] of folds.entries()) {
    const run = places.get(fold);
    if (run === undefined) places.set(fold, [place]);
    else run.push(place);
    if (place % PLATES_PER_TURN === 0) yield null;
  }
  for (const run of places.values()) if (run.length > 1) yield run;
}

/**
 * The places of plates that share a text which a plate is, or is without one character. Texts are hashed to 32 bits, and a hash with its place is
 * one number, so that a hundred thousand plates cost some megabytes; who shares a hash by chance is compared for nothing.
 */
function* editedRuns(plates: readonly string[]): Generator<number[] | null> {
  const buckets = Array.from({ length: BUCKETS }, (): number[] => []);
  for (const [place, plate] of plates.entries()) {
    // Of equal characters in a row, leaving out one is leaving out any.
    for (let without = -1; without < plate.length; without++) {
      if (without > 0 && plate[without] === plate[without - 1]) continue;
      const hash = hashWithout(plate, without);
      buckets[hash % BUCKETS]?.push(hash * PLATES_MAX + place);
    }
    if (place % PLATES_PER_TURN === 0) yield null;
  }
  for (const bucket of buckets) {
    yield* runsOf(Float64Array.from(bucket).sort());
    bucket.length = 0;
    yield null;
  }
}

function* runsOf(sorted: Float64Array): Generator<number[]> {
  let run: number[] = [];
  let runHash = -1;
  for (const entry of sorted) {
    const hash = Math.floor(entry / PLATES_MAX);
    if (hash !== runHash) {
      if (run.length > 1) yield run;
      run = [];
      runHash = hash;
    }
    run.push(entry % PLATES_MAX);
  }
  if (run.length > 1) yield run;
}

/** FNV-1a over a text without the character at a place; -1: with all. */
function hashWithout(text: string, without: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    if (at !== without) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
