import { beforeEach, describe, expect, it } from 'vitest';
import { createPasswordGuesses, type PasswordGuesses } from '../../../agent/console/password-guesses.js';
import { FakeClock } from '../../world/fake-clock.js';

const CHECK_MS = 50;

let clock: FakeClock;
let guesses: PasswordGuesses;
let running: number;
let mostAtOnce: number;
let checked: string[];

beforeEach(() => {
  clock = new FakeClock();
  guesses = createPasswordGuesses({ clock });
  running = mostAtOnce = 0;
  checked = [];
});

function attempt(address: string, isRight = false) {
  return guesses.attempt(address, async () => {
    checked.push(address);
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    await new Promise<void>((resolve) => clock.setTimer(CHECK_MS, resolve));
    running -= 1;
    return isRight;
  });
}

/** Lets time pass until the attempt has ended. Returns how much, and what came of it. */
async function ended<T>(attempted: Promise<T>): Promise<{ ms: number; result: T }> {
  const began = clock.monotonic();
  const results: T[] = [];
  void attempted.then((result) => results.push(result));
  for (;;) {
    await clock.advance(CHECK_MS);
    const [result] = results;
    if (result !== undefined) return { ms: clock.monotonic() - began, result };
  }
}

describe('guesses of the password', () => {
  it('are wrong five times at once, and then one in twelve seconds, each with the time to wait', async () => {
    for (let time = 0; time < 5; time++) {
      expect((await ended(attempt('10.0.0.7'))).result).toEqual({ is: 'wrong' });
      await clock.advance(250);
    }
    const refused = await attempt('10.0.0.7', true);
    expect(refused).toEqual({ is: 'too many', retryAfterS: expect.any(Number) });
    const { retryAfterS } = refused as { retryAfterS: number };
    expect(retryAfterS).toBeLessThanOrEqual(12);
    expect(checked).toHaveLength(5);
    await clock.advance(retryAfterS * 1_000);
    expect((await ended(attempt('10.0.0.7', true))).result).toEqual({ is: 'right' });
  });

  it('are forgiven by the right one', async () => {
    for (let time = 0; time < 4; time++) await ended(attempt('10.0.0.7'));
    expect((await ended(attempt('10.0.0.7', true))).result).toEqual({ is: 'right' });
    for (let time = 0; time < 5; time++) {
      expect((await ended(attempt('10.0.0.7'))).result).toEqual({ is: 'wrong' });
    }
  });

  it('are of one address where they come from one IPv6 network', async () => {
    for (let time = 0; time < 5; time++) await ended(attempt(`2001:db8::${time + 1}`));
    expect(await attempt('2001:db8::abcd')).toMatchObject({ is: 'too many' });
    expect((await ended(attempt('2001:db8:0:1::1'))).result).toEqual({ is: 'wrong' });
  });

  it('are checked one at a time, with a pause, and no more than a few wait', async () => {
    const attempts = Array.from({ length: 100 }, (_, index) => attempt(`10.0.1.${index}`));
    let settled = 0;
    for (const each of attempts) void each.then(() => (settled += 1));
    await clock.advance(0);
    expect(settled).toBe(100 - 17);
    expect(checked).toHaveLength(1);
    await clock.advance(20_000);
    expect(settled).toBe(100);
    expect(checked).toHaveLength(17);
    expect(mostAtOnce).toBe(1);
  });

  it('hardly hold up a person who knows the password when a stranger with many addresses makes them', async () => {
    const flood = () => {
      for (let index = 0; index < 250; index++) void attempt(`10.0.2.${index}`);
    };
    for (let round = 0; round < 100; round++) {
      flood();
      await clock.advance(1_000);
    }
    flood();
    const { ms, result } = await ended(attempt('10.0.9.9', true));
    expect(result).toEqual({ is: 'right' });
    expect(ms).toBeLessThan(9_000);
  });

  it('come behind those from where somebody has signed in before when strangers make them', async () => {
    await ended(attempt('10.0.9.9', true));
    await ended(attempt('10.0.9.9'));
    for (let index = 0; index < 17; index++) void attempt(`10.0.2.${index}`);
    const { ms, result } = await ended(attempt('10.0.9.9', true));
    expect([result, ms]).toEqual([{ is: 'right' }, expect.toSatisfy((waited: number) => waited <= 1_200)]);
  });

  it('leave no room for ever: those of thousands of addresses are forgotten, the fewest tries first', async () => {
    for (let time = 0; time < 5; time++) await ended(attempt('10.0.0.7'));
    for (let index = 0; index < 3_000; index++) void attempt(`10.${1 + Math.floor(index / 250)}.0.${index % 250}`);
    await clock.advance(5_000);
    expect(await attempt('10.0.0.7')).toMatchObject({ is: 'too many' });
  });
});
