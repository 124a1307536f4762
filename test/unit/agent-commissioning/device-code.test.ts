import { describe, expect, it } from 'vitest';
import { createDeviceCodeGuard, DeviceCodeError, makeDeviceCode } from '../../../agent/commissioning/device-code.js';
import { FakeClock } from '../../world/fake-clock.js';

const CODE = 'K7M2-PQ85';
const MIN_MS = 60_000;

function start() {
  const clock = new FakeClock();
  const guard = createDeviceCodeGuard({ clock });
  /** 'in', 'no', or the seconds after which it may be tried again. */
  function guess(typed: string | undefined, address = '192.168.1.9'): 'in' | 'no' | number {
    try {
      guard.check(CODE, { typed, address });
      return 'in';
    } catch (error) {
      if (!(error instanceof DeviceCodeError)) throw error;
      return error.retryAfterS ?? 'no';
    }
  }
  const wrong = (count: number, address?: string) => Array.from({ length: count }, () => guess('AAAA-AAAA', address));
  return { clock, guess, wrong };
}

describe('a device code', () => {
  it('has eight letters and digits that do not look alike, in two groups', () => {
    const codes = Array.from({ length: 200 }, makeDeviceCode);
    for (const code of codes) expect(code).toMatch(/^[2-9AC-HJKMNP-RT-Y]{4}-[2-9AC-HJKMNP-RT-Y]{4}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each(['K7M2-PQ85', 'k7m2pq85', ' k7m2 pq85\n', 'K7M2\u2013PQ85', 'k7mz-pqbs', '\uff2b7M2-PQ85'])(
    'is known as people type it: %j',
    (typed) => {
      expect(start().guess(typed)).toBe('in');
    },
  );

  it.each(['K7M2-PQ86', 'K7M2-PQ8', 'K7M2-PQ855', '-', '\u0000', 'x'.repeat(100)])('is not %j', (typed) => {
    expect(start().guess(typed)).toBe('no');
  });
});

describe('guesses of a device code', () => {
  it('are five in a minute from one address, whatever the next one would be', async () => {
    const { clock, guess, wrong } = start();
    expect(wrong(4)).toEqual(Array(4).fill('no'));
    await clock.advance(20_000);
    expect([...wrong(1), guess('AAAA-AAAA'), guess(CODE)]).toEqual(['no', 40, 40]);
    // Another address, and the other side of the same one.
    expect([guess(CODE, '192.168.1.10'), guess(CODE, '::ffff:192.168.1.9')]).toEqual(['in', 40]);
    await clock.advance(40_000);
    expect(guess(CODE)).toBe('in');
    expect(wrong(5)).toEqual([...Array(4).fill('no'), 20]);
  });

  it('are thirty in an hour from all', async () => {
    const { clock, guess, wrong } = start();
    for (let host = 0; host < 6; host += 1) expect(wrong(5, `192.168.1.${host}`)).toEqual(Array(5).fill('no'));
    expect([guess(CODE, '10.0.0.1'), ...wrong(100, '10.0.0.2').slice(99)]).toEqual([3_600, 3_600]);
    await clock.advance(60 * MIN_MS);
    expect(guess(CODE, '10.0.0.1')).toBe('in');
  });

  it('are none where no code is given', () => {
    const { guess } = start();
    expect(Array.from({ length: 50 }, () => guess(undefined)).concat(guess(''), guess(' '))).toEqual(
      Array(52).fill('no'),
    );
    expect(guess(CODE)).toBe('in');
  });
});
