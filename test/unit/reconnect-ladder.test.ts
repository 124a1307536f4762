import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createReconnectLadder, endOfError, FIRST_TRY_MAX_MS, type LinkEnd } from '../../shared/reconnect-ladder.js';
import * as fc from '../property.js';
import { FakeClock } from '../world/fake-clock.js';
import { freePorts } from '../world/free-ports.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { MINUTE_MS } from '../../shared/durations.js';

/** A client whose link was lost at 0, on a ladder that draws `random`. */
function createClient(random: () => number = () => 0.5) {
  const clock = new FakeClock();
  const ladder = createReconnectLadder({ clock, random });
  const wait = async (waitMs: number) => {
    await clock.advance(waitMs);
    client.tries.push(clock.monotonic());
    return waitMs;
  };
  const client = {
    /** When it tried. */
    tries: [] as number[],
    clock,
    /** A try fails after `tookMs`. @returns the wait until the next one, which then has passed */
    async fail(end: LinkEnd, tookMs = 0): Promise<number> {
      await clock.advance(tookMs);
      return wait(ladder.lost(end));
    },
    /** The link stands for so long, and ends. */
    stand(standsMs: number, end: LinkEnd = 'closed'): Promise<number> {
      ladder.opened();
      return client.fail(end, standsMs);
    },
    /** The network comes back while it waits. */
    returned: (): Promise<number> => wait(ladder.returned()),
  };
  return client;
}

async function waitsOf(ends: readonly LinkEnd[]): Promise<number[]> {
  const client = createClient();
  const waits: number[] = [];
  for (const end of ends) waits.push(await client.fail(end));
  return waits;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
/** Drawn in the middle: of 1 to 2 s, 2 to 4 s and so on, up to 30 to 60 s. */
const DOUBLING = [1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000];

describe('the reconnect ladder', () => {
  it.each<[string, LinkEnd, number[]]>([
    ['nothing listens there: about once a second for ten seconds, then doubling', 'absent', times(12, 875)],
    ['it closes the connection, as a proxy does before a program that is away: the same', 'closed', times(12, 875)],
    ['it is silent: doubling', 'broken', []],
  ])('begins within half a second. %s, to a minute', async (_name, end, onceASecond) => {
    const expected = [250, ...onceASecond, ...DOUBLING];
    expect(await waitsOf(times(expected.length, end))).toEqual(expected);
  });

  it('doubles from the first wait on when the other side wants none', async () => {
    expect(await waitsOf(times(DOUBLING.length, 'refused'))).toEqual(DOUBLING);
  });

  it('draws each wait, so that a fleet stays spread', async () => {
    const [soon, late] = [createClient(() => 0), createClient(() => 1 - Number.EPSILON)];
    const both = async (end: LinkEnd) => [await soon.fail(end), await late.fail(end)];
    expect(await both('absent')).toEqual([0, 499]);
    expect(await both('absent')).toEqual([1_000, 750]);
    expect(await both('broken')).toEqual([1_000, 1_999]);
    for (let rung = 0; rung < 8; rung++) await both('broken');
    expect(await both('broken')).toEqual([30_000, 59_999]);
  });

  it('begins anew after a link that stood for ten seconds, and goes on after one that did not', async () => {
    const client = createClient();
    for (let rung = 0; rung < 5; rung++) await client.fail('broken');
    expect(await client.stand(9_999, 'broken')).toBe(24_000);
    expect(await client.stand(10_000, 'broken')).toBe(250);
    expect(await client.fail('absent')).toBe(875);
  });

  it('begins anew when the network is back', async () => {
    const client = createClient();
    for (let rung = 0; rung < 7; rung++) await client.fail('broken');
    expect(await client.returned()).toBe(250);
    expect(await client.fail('absent')).toBe(875);
    // Once more, at once: it tries, but looks no longer for an absent program than before.
    await client.clock.advance(10_000);
    expect(await client.returned()).toBe(250);
    expect(await client.fail('absent')).toBe(1_500);
  });

  it('begins anew when a silent machine answers that its program is not there yet', async () => {
    const client = createClient();
    for (let rung = 0; rung < 5; rung++) await client.fail('broken', 20_000);
    expect(await client.fail('absent')).toBe(250);
    expect(await client.fail('absent')).toBe(875);
  });

  it('lets two clones that cut each other off wait ever longer', async () => {
    const client = createClient();
    for (let cut = 0; cut < 30; cut++) await client.stand(100);
    expect(client.tries.filter((at) => at > 10_000 && at <= 10_000 + MINUTE_MS).length).toBeLessThanOrEqual(6);
  });
});

const end = fc.constantFrom<LinkEnd>('absent', 'closed', 'refused', 'broken');
const failure = fc.record({ do: fc.constant('fail' as const), end, tookMs: fc.integer({ min: 0, max: 20_000 }) });
const quickFailure = fc.record({ do: fc.constant('fail' as const), end, tookMs: fc.constant(0) });
const standing = fc.record({ do: fc.constant('stand' as const), end, tookMs: fc.integer({ min: 0, max: 30_000 }) });
/** Addresses are looked at once a second, and have to be away for one look. */
const networkReturn = fc.record({
  do: fc.constant('return' as const),
  afterMs: fc.integer({ min: 2_000, max: 60_000 }),
});

/** The most tries in any minute from `fromMs` on. */
const mostInAMinute = (tries: readonly number[], fromMs: number): number =>
  Math.max(
    0,
    ...tries
      .filter((start) => start >= fromMs)
      .map((start) => tries.filter((at) => at >= start && at < start + MINUTE_MS).length),
  );

describe('however a link fares', () => {
  it('the first try after one that stood comes within half a second', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(failure), fc.integer(), async (before, seed) => {
        const client = createClient(seededRandom(seed));
        for (const each of before) await client.fail(each.end, each.tookMs);
        for (const how of ['absent', 'closed', 'broken'] as const) {
          expect(await client.stand(10_000, how)).toBeLessThan(FIRST_TRY_MAX_MS);
        }
      }),
    );
  });

  it('nobody is hammered who refuses, is away or is silent: after ten seconds at most 7 tries a minute', async () => {
    await fc.assert(
      fc.asyncProperty(end, fc.integer(), async (always, seed) => {
        const client = createClient(seededRandom(seed));
        while (client.clock.monotonic() < 10 * MINUTE_MS) await client.fail(always);
        expect(mostInAMinute(client.tries, 0)).toBeLessThanOrEqual(21);
        expect(mostInAMinute(client.tries, 11_000)).toBeLessThanOrEqual(7);
      }),
    );
  });

  it('nobody is hammered by a network that comes and goes, and links that do not stand: at most one try a second', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(failure, quickFailure, standing, networkReturn), { minLength: 50, maxLength: 200 }),
        fc.integer(),
        async (events, seed) => {
          const client = createClient(seededRandom(seed));
          for (const event of events) {
            if (event.do === 'return') {
              await client.clock.advance(event.afterMs);
              await client.returned();
            } else if (event.do === 'fail') await client.fail(event.end, event.tookMs);
            else await client.stand(event.tookMs, event.end);
          }
          expect(mostInAMinute(client.tries, 0)).toBeLessThanOrEqual(60);
        },
      ),
    );
  });
});

describe('what an error says', () => {
  it('knows a machine where nothing listens, also by the cause of a failed request', async () => {
    const error = await new Promise((resolve) => connect(1, '127.0.0.1').once('error', resolve));
    expect(endOfError(error)).toBe('absent');
    const [port] = await freePorts(1);
    const failed = await fetch(`http://127.0.0.1:${port}`).catch((cause: unknown) => new Error('no answer', { cause }));
    expect(endOfError(failed)).toBe('absent');
  });

  it('knows the refusal of a broker by its number, and takes the rest for silence', () => {
    expect(endOfError(Object.assign(new Error('Not authorized'), { code: 5 }))).toBe('refused');
    expect(endOfError(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }))).toBe('broken');
    expect(endOfError('no error')).toBe('broken');
  });
});
