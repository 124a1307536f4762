/** Randomness of the simulated car park. Each part draws from a source of its own, so that no part changes what another one draws. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { seededRandom } from './traffic/seeded-random.js';

/** Hex digits of a UUID; the digits of its version and variant are left out. */
const UUID_PARTS = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/;

export interface RandomSources {
  /** @param part whose numbers: another name gives other numbers. @returns draws numbers in [0, 1) */
  numbersOf(part: string): () => number;
  /** @returns draws so many bytes */
  bytesOf(part: string): (length: number) => Uint8Array;
  /** @returns draws UUIDs of version 4 */
  uuidsOf(part: string): () => string;
}

/** Different ones each time. */
export const systemSources: RandomSources = {
  numbersOf: () => Math.random,
  bytesOf: () => randomBytes,
  uuidsOf: () => randomUUID,
};

/** The same ones for the same seed. */
export function seededSources(seed: number): RandomSources {
  const numbersOf = (part: string) =>
    seededRandom(createHash('sha256').update(`${seed} ${part}`).digest().readInt32LE());
  const bytesOf = (part: string) => {
    const draw = numbersOf(part);
    return (length: number) => Uint8Array.from({ length }, () => Math.floor(draw() * 256));
  };
  return {
    numbersOf,
    bytesOf,
    uuidsOf(part) {
      const draw = bytesOf(part);
      return () => Buffer.from(draw(16)).toString('hex').replace(UUID_PARTS, '$1-$2-4$3-a$4-$5');
    },
  };
}
