import { describe, expect, it } from 'vitest';
import { createDeathWatch } from '../../../cloud/peers/death-watch.js';

/** Looks every second. @param beatOf the other's beat at a second */
function lookEverySecond(from: number, to: number, beatOf: (second: number) => number, watch = createDeathWatch()) {
  const found: { second: number; dead: boolean; doubtful: boolean }[] = [];
  for (let second = from; second <= to; second++) {
    const { dead, doubtful } = watch.look(second * 1_000, [{ id: 'other', beat: beatOf(second) }]);
    found.push({ second, dead: dead.length > 0, doubtful: doubtful.length > 0 });
  }
  return { found, watch };
}

describe('another process', () => {
  it('lives as long as its beat goes on, however slowly', () => {
    const { found } = lookEverySecond(0, 60, (second) => Math.floor(second / 2));
    expect(found.filter(({ dead, doubtful }) => dead || doubtful)).toEqual([]);
  });

  it('is doubtful soon after its last beat, and dead within ten seconds', () => {
    const { found } = lookEverySecond(0, 20, (second) => Math.min(second, 5));
    expect(found.find(({ doubtful }) => doubtful)?.second).toBe(8);
    expect(found.find(({ dead }) => dead)?.second).toBe(12);
  });

  it('is not dead because this process, or the database, stood still', () => {
    const { watch } = lookEverySecond(0, 5, () => 5);
    expect(watch.look(65_000, [{ id: 'other', beat: 5 }])).toEqual({ dead: [], doubtful: [] });
    const { found } = lookEverySecond(66, 71, () => 5, watch);
    expect(found.filter(({ dead }) => dead)).toEqual([]);
  });
});
