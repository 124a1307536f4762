/** Random draws: the same seed and name always give the same draws, independent of other names. */
import { createHash } from 'node:crypto';
import { seededRandom } from './seeded-random.js';

export interface Chance {
  /** From 0 until just below 1. */
  share(): number;
  /** True for this share of the draws. */
  happens(share: number): boolean;
  between(least: number, most: number): number;
  /** A whole number from 0 until just below `below`. */
  whole(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Around 0 with a standard deviation of 1. */
  normal(): number;
  /** How often something happens that happens `mean` times on average. */
  times(mean: number): number;
}

export function createChance(seed: number, name: string): Chance {
  const share = seededRandom(createHash('sha256').update(`${seed} ${name}`).digest().readInt32LE(0));
  const whole = (below: number) => Math.floor(share() * below);
  return {
    share,
    happens: (of) => share() < of,
    between: (least, most) => least + share() * (most - least),
    whole,
    pick(items) {
      const item = items[whole(items.length)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
    // The sum of twelve draws approximates a normal distribution.
    normal: () => Array.from({ length: 12 }, share).reduce((sum, one) => sum + one, -6),
    times(mean) {
      const limit = Math.exp(-mean);
      let count = 0;
      for (let product = share(); product > limit; product *= share()) count += 1;
      return count;
    },
  };
}
