import { describe, expect, it } from 'vitest';
import { createLinkWaits } from '../../shared/backoff.js';
import * as fc from '../property.js';
import { FakeClock } from '../world/fake-clock.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';

const LIMITS = { baseMs: 1_000, maxMs: 60_000 };
const GOOD_AFTER_MS = 10_000;

/** A client that keeps a link, and how its links fare. */
function createClient(random: () => number = () => 0.5) {
  const clock = new FakeClock();
  const waits = createLinkWaits({ limits: LIMITS, goodAfterMs: GOOD_AFTER_MS, clock, random });
  const next = async () => {
    const waitMs = waits.lost();
    await clock.advance(waitMs);
    return waitMs;
  };
  return {
    clock,
    /** A try takes so long, and fails. @returns the wait behind it, which then has passed */
    async fail(tookMs: number) {
      await clock.advance(tookMs);
      return next();
    },
    /** The link stands for so long. */
    async stand(standsMs: number) {
      waits.opened();
      await clock.advance(standsMs);
      return next();
    },
  };
}

describe('the waits of one that keeps a link', () => {
  it('grow while it cannot be made, however long a try takes', async () => {
    const client = createClient();
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries++) waits.push(await client.fail(45_000));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('go on growing while links do not stand, for the time that is needed and for their own wait', async () => {
    const client = createClient();
    const waits: number[] = [];
    for (const standsMs of [0, 100, 9_999, 9_999, 9_999, 15_999, 31_999]) waits.push(await client.stand(standsMs));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  it('begin anew after a link that stood', async () => {
    const client = createClient();
    for (const standsMs of [0, 0]) await client.stand(standsMs);
    expect(await client.stand(GOOD_AFTER_MS)).toBe(500);
    for (let tries = 0; tries < 7; tries++) await client.fail(0);
    expect(await client.stand(60_000)).toBe(500);
  });

  it('let two that cut each other off come ever less often, whatever chance says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const client = createClient(seededRandom(seed));
        // Each link stands as long as the other one waits, which is at most a minute.
        const standing = seededRandom(seed + 1);
        let links = 0;
        while (client.clock.monotonic() < 3_600_000) {
          await client.stand(standing() * Math.min(LIMITS.maxMs, LIMITS.baseMs * 2 ** (links - 1)));
          links += 1;
        }
        expect(links).toBeLessThan(120);
      }),
    );
  });
});
