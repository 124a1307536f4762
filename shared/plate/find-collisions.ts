/**
 * Finds the pairs of plates that an exit could confuse (`match-plate.ts`) without comparing every pair. Look-alike plates have the same fold.
 * Two plates that are one edit apart have a common text after at most one character is removed from each.
 */
import { foldPlate, looksAlike } from './match-plate.js';

export const COLLISION_KINDS = ['look_alike', 'one_edit'] as const;

export interface Collision {
  kind: (typeof COLLISION_KINDS)[number];
  /** In alphabetical order. */
  plates: [string, string];
}

interface Limits {
  /** The maximum number of pairs to find. */
  pairsMax: number;
  /** Called after every few milliseconds of work, so that other work can run. */
  pause: () => Promise<unknown>;
}

/**
 * A pair is stored as one number: the index of its first plate times PLATES_MAX, plus the index of the second. This limits the number of
 * plates.
 */
const PLATES_MAX = 2 ** 20;
const PLATES_PER_TURN = 2_000;
const PAIRS_PER_TURN = 10_000;
const BUCKETS = 64;

/** Finds pairs of plates, look-alikes first, each kind in alphabetical order. @param plates normalised, without duplicates */
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

/** Collects the pairs within runs of indexes. A null in `runs` marks an amount of work that produced no run. */
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
 * Yields the indexes of plates that have a text in common: the plate itself, or the plate without one of its characters. Texts are hashed to
 * 32 bits, and a hash and its index are stored as one number, so that a hundred thousand plates take a few megabytes. Accidentally equal
 * hashes only cost a comparison.
 */
function* editedRuns(plates: readonly string[]): Generator<number[] | null> {
  const buckets = Array.from({ length: BUCKETS }, (): number[] => []);
  for (const [place, plate] of plates.entries()) {
    // Among equal adjacent characters it does not matter which one is removed.
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

/** FNV-1a of a text without the character at an index; -1: of the whole text. */
function hashWithout(text: string, without: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    if (at !== without) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
