/** Counts what code does instead of how long it takes: the blocks of it that run, and the characters that it has searched natively. */
import { Session } from 'node:inspector/promises';

export interface StepCounter {
  /**
   * Runs `work` and returns how many steps it made: how often blocks (loop bodies, branches, functions) of the named files ran, and for
   * each native search the characters between its start and what it found, and those of what it looked for.
   */
  count(work: () => void): Promise<number>;
  close(): Promise<void>;
}

/** @param files part of the names of the files whose blocks count; a function that ran before is not counted */
export async function startStepCounter(files: string): Promise<StepCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async count(work) {
      // What ran since the last time is none of it.
      await session.post('Profiler.takePreciseCoverage');
      const searched = countSearches(work);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const counts = result
        .filter(({ url }) => url.includes(files))
        .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
      return counts.reduce((sum, count) => sum + count, searched);
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

type Search = (this: { length: number }, what: string | number | Uint8Array, from?: number) => number;

function countSearches(work: () => void): number {
  let searched = 0;
  const watched = [Buffer.prototype, String.prototype].map((owner) => {
    const prototype = owner as unknown as { indexOf: Search };
    const { indexOf } = prototype;
    prototype.indexOf = function watchedIndexOf(what, from = 0) {
      const at = indexOf.call(this, what, from);
      searched += (at === -1 ? this.length : at) - from + (typeof what === 'number' ? 1 : what.length);
      return at;
    };
    return () => void (prototype.indexOf = indexOf);
  });
  try {
    work();
  } finally {
    for (const restore of watched) restore();
  }
  return searched;
}
