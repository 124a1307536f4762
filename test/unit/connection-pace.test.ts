import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import { createConnectionPace, type PaceLimits } from '../../shared/connection-pace.js';
import { runs } from '../depth.js';
import { FakeClock } from '../world/fake-clock.js';

const LIMITS: PaceLimits = { burst: 3, perSecond: 10, heldMax: 100, heldMs: 10_000 };

function paceOf(limits: Partial<PaceLimits> = {}) {
  const clock = new FakeClock();
  const pace = createConnectionPace({ limits: { ...LIMITS, ...limits }, clock });
  const admitted: string[] = [];
  const refused: string[] = [];
  const proofs = new Map<string, () => void>();
  const come = (key: string | null, name: string) =>
    pace.enter(key, {
      admit(proved) {
        admitted.push(name);
        proofs.set(name, proved);
      },
      refuse: () => void refused.push(name),
    });
  return { clock, pace, admitted, refused, come, prove: (name: string) => proofs.get(name)?.() };
}

describe('the pace of an address', () => {
  it('lets a burst in at once, and then so many a second, the newest first', async () => {
    const { clock, admitted, come } = paceOf();
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) come('a', name);
    come('b', 'other');
    come(null, 'proxied');
    expect(admitted).toEqual(['one', 'two', 'three', 'other', 'proxied']);
    await clock.advance(100);
    expect(admitted.slice(5)).toEqual(['six']);
    await clock.advance(200);
    expect(admitted.slice(5)).toEqual(['six', 'five', 'four']);
  });

  it('does not count who proves who it is: a crowd of a thousand comes in at once', () => {
    const { admitted, come, prove } = paceOf({ heldMax: 1_000 });
    for (let number = 0; number < 1_000; number++) come('a', `${number}`);
    expect(admitted).toHaveLength(3);
    for (let proved = 0; proved < admitted.length; proved++) prove(admitted[proved] ?? '');
    expect(new Set(admitted).size).toBe(1_000);
  });

  it('gets one turn back for a proof, however often it is shown', () => {
    const { admitted, come, prove } = paceOf();
    for (const name of ['one', 'two', 'three', 'four', 'five']) come('a', name);
    prove('one');
    prove('one');
    expect(admitted).toEqual(['one', 'two', 'three', 'five']);
  });

  it('holds nobody for long, and does not let in who has left', async () => {
    const { clock, pace, admitted, refused, come } = paceOf({ perSecond: 0.01 });
    for (const name of ['one', 'two', 'three', 'four']) come('a', name);
    const leave = come('a', 'gone');
    leave();
    leave();
    await clock.advance(10_000);
    expect([admitted, refused]).toEqual([['one', 'two', 'three'], ['four']]);
    come('a', 'six');
    pace.close();
    expect(refused).toEqual(['four', 'six']);
    await clock.advance(600_000);
    expect(admitted).toHaveLength(3);
  });

  it('refuses a crowd that was held too long in small shares, the longest held first', async () => {
    const { clock, refused, come } = paceOf({ perSecond: 0.01 });
    for (let number = 0; number < 63; number++) come('a', `${number}`);
    await clock.advance(10_000);
    expect(refused).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 3}`));
    await clock.advance(20);
    expect(refused).toHaveLength(20);
    await clock.advance(100);
    expect(refused).toHaveLength(60);
  });

  it('takes the places of those who are held from the address that holds most', () => {
    const { refused, come } = paceOf({ heldMax: 4 });
    for (const name of ['', '', '', 'first', 'second', 'third']) come('flood', name);
    for (const name of ['', '', '', 'honest']) come('b', name);
    come('flood', 'fourth');
    come('flood', 'fifth');
    expect(refused).toEqual(['first', 'second']);
  });

  it('keeps to its rules, whoever comes, proves and goes', async () => {
    const step = fc.record({
      what: fc.constantFrom('come', 'come', 'come', 'come', 'prove', 'leave', 'wait'),
      key: fc.constantFrom('a', 'a', 'b'),
      which: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { clock, pace, admitted, refused, come, prove } = paceOf({ heldMax: 5, heldMs: 500 });
        const leaves: (() => void)[] = [];
        const proofs = new Map<string, number>();
        for (const [number, { what, key, which }] of steps.entries()) {
          if (what === 'come') leaves.push(come(key, `${key} ${number}`));
          else if (what === 'wait') await clock.advance(which % 300);
          else if (what === 'leave') leaves[which % (leaves.length || 1)]?.();
          else {
            const name = admitted[which % (admitted.length || 1)];
            if (name === undefined) continue;
            proofs.set(name.slice(0, 1), (proofs.get(name.slice(0, 1)) ?? 0) + 1);
            prove(name);
          }
          for (const each of ['a', 'b']) {
            const most = LIMITS.burst + (clock.monotonic() / 1_000) * LIMITS.perSecond + (proofs.get(each) ?? 0);
            expect(admitted.filter((name) => name.startsWith(each)).length).toBeLessThanOrEqual(most + 1e-6);
          }
        }
        pace.close();
        const ended = [...admitted, ...refused];
        expect(new Set(ended).size).toBe(ended.length);
        await clock.advance(10_000);
        expect([...admitted, ...refused]).toEqual(ended);
      }),
      { numRuns: runs(300) },
    );
  });
});
