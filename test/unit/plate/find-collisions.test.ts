import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type Collision, findCollisions } from '../../../shared/plate/find-collisions.js';
import { foldPlate, looksAlike } from '../../../shared/plate/match-plate.js';
import { runs } from '../../depth.js';

const find = (plates: string[], pairsMax = 1_000) => findCollisions(plates, { pairsMax, pause: async () => {} });

/** Compares each with each. */
function slowly(plates: string[]): Collision[] {
  const sorted = [...plates].sort();
  const pairs = sorted.flatMap((a, at) =>
    sorted.slice(at + 1).flatMap((b): Collision[] => {
      if (!looksAlike(a, b)) return [];
      return [{ kind: foldPlate(a) === foldPlate(b) ? 'look_alike' : 'one_edit', plates: [a, b] }];
    }),
  );
  return [...pairs.filter(({ kind }) => kind === 'look_alike'), ...pairs.filter(({ kind }) => kind === 'one_edit')];
}

describe('plates that an exit could confuse', () => {
  it('are those that look alike, and those one edit apart', async () => {
    expect(await find(['ZG1234AB', 'ZG1234A8', 'ZG123AB', 'ZG1235AB', 'ST999AA', 'ZG4321AB'])).toEqual([
      { kind: 'look_alike', plates: ['ZG1234A8', 'ZG1234AB'] },
      { kind: 'one_edit', plates: ['ZG1234AB', 'ZG1235AB'] },
      { kind: 'one_edit', plates: ['ZG1234AB', 'ZG123AB'] },
      { kind: 'one_edit', plates: ['ZG1235AB', 'ZG123AB'] },
    ]);
    expect(await find([])).toEqual([]);
  });

  it('are found as by comparing each with each', async () => {
    const plate = fc.array(fc.constantFrom('A', 'B', '8', '0', 'O', '1', 'Ž', '京'), { minLength: 1, maxLength: 5 });
    const plates = fc.uniqueArray(
      plate.map((characters) => characters.join('')),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(plates, async (given) => {
        expect(await find(given, 10_000)).toEqual(slowly(given));
      }),
      { numRuns: runs(200) },
    );
  });

  it('are bounded, and others get their turn meanwhile', async () => {
    const plates = Array.from({ length: 100_000 }, (_, number) => `ZG${String(number).padStart(5, '0')}AB`);
    let turns = 0;
    const found = await findCollisions(plates, {
      pairsMax: 5_000,
      pause: async () => {
        turns += 1;
      },
    });
    expect(found).toHaveLength(5_000);
    expect(turns).toBeGreaterThan(50);
  });
});
