import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRandomPool } from '../../shared/random-pool.js';

it('gives each random byte to one, and asks the system for many at a time', () => {
  const asked: Uint8Array[] = [];
  const draw = createRandomPool((length) => {
    const bytes = randomBytes(length);
    asked.push(Uint8Array.from(bytes));
    return bytes;
  });
  const lengths = [4, 12, 16, 255, 1, 8];
  const given = lengths.map((length) => draw(length));
  expect(given.map(({ length }) => length)).toEqual(lengths);
  expect(asked).toHaveLength(1);
  // What was given stays as it is, though the pool forgets it.
  expect(Buffer.concat(given)).toEqual(Buffer.from(asked[0] ?? []).subarray(0, 296));
});

it('begins a new pool where the rest is too short, and asks at once for what is long', () => {
  const lengths: number[] = [];
  const draw = createRandomPool((length) => {
    lengths.push(length);
    return randomBytes(length);
  });
  for (let count = 0; count < 5; count++) expect(draw(250)).toHaveLength(250);
  expect(draw(4_096)).toHaveLength(4_096);
  expect(lengths).toEqual([1_024, 1_024, 4_096]);
});
