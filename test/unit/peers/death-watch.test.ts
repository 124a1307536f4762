import { describe, expect, it } from 'vitest';
import { createDeathWatch } from '../../../cloud/kernel/peers/death-watch.js';

/** A look that is answered at once. */
const at = (ms: number) => ({ askedAt: ms, answeredAt: ms });

/** Looks every second. @param beatOf the other's beat at a second */
function lookEverySecond(from: number, to: number, beatOf: (second: number) => number, watch = createDeathWatch()) {
  const found: { second: number; dead: boolean; doubtful: boolean }[] = [];
  for (let second = from; second <= to; second++) {
    const { dead, doubtful } = watch.look(at(second * 1_000), [{ id: 'other', beat: beatOf(second) }]);
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
    expect(watch.look(at(65_000), [{ id: 'other', beat: 5 }])).toEqual({ dead: [], doubtful: [] });
    const { found } = lookEverySecond(66, 71, () => 5, watch);
    expect(found.filter(({ dead }) => dead)).toEqual([]);
  });

  /** Looks on and on, a second after the last answer, while the database takes so long over each. */
  function* slowLooks(lookMs: number) {
    for (let askedAt = 0; ; askedAt += lookMs + 1_000) yield { askedAt, answeredAt: askedAt + lookMs };
  }

  it('is found dead on a slow database as well', () => {
    const watch = createDeathWatch();
    for (const times of slowLooks(2_500)) {
      const { dead } = watch.look(times, [{ id: 'other', beat: 5 }]);
      if (dead.length > 0) break;
      expect(times.answeredAt).toBeLessThan(15_000);
    }
  });

  it('is not dead because one look took long: its beat waited for the same', () => {
    const watch = createDeathWatch();
    lookEverySecond(0, 5, (second) => second, watch);
    const looks = [
      { askedAt: 6_000, answeredAt: 20_000 },
      { askedAt: 21_000, answeredAt: 21_005 },
      { askedAt: 22_000, answeredAt: 22_005 },
    ];
    for (const times of looks) expect(watch.look(times, [{ id: 'other', beat: 5 }]).dead).toEqual([]);
    expect(watch.look(at(23_000), [{ id: 'other', beat: 6 }])).toEqual({ dead: [], doubtful: [] });
  });
});
