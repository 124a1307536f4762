import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideLeases, type Lease, PARTS } from '../../../cloud/kernel/peers/decide-leases.js';

/** Lets each process decide in turn, again and again, as their ticks do. */
function settle(hearing: readonly string[], begin: readonly Lease[]): { leases: Lease[]; rounds: number } {
  let leases = [...begin];
  for (let rounds = 1; ; rounds++) {
    const before = JSON.stringify(leases);
    for (const me of [...hearing, 'deaf']) {
      const { acquire, give } = decideLeases({ me, hearing, leases });
      leases = leases.filter(({ part, owner }) => !acquire.includes(part) && !(owner === me && give.includes(part)));
      leases.push(...acquire.map((part) => ({ part, owner: me })));
    }
    if (JSON.stringify(leases) === before) return { leases, rounds };
    if (rounds > 10) throw new Error('it never settles');
  }
}

describe('leases of gateways', () => {
  it('are shared out whole and fairly, whoever comes and goes', () => {
    const living = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
    const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'dead', 'deaf', null), {
      minLength: PARTS,
      maxLength: PARTS,
    });
    fc.assert(
      fc.property(living, owners, (hearing, held) => {
        const begin = held.flatMap((owner, part) => (owner === null ? [] : [{ part, owner }]));
        const { leases, rounds } = settle(hearing, begin);
        expect(leases.map(({ part }) => part).toSorted((a, b) => a - b)).toEqual([...Array(PARTS).keys()]);
        for (const name of hearing) {
          const fairCount = leases.filter(({ owner }) => owner === name).length;
          expect(fairCount).toBeLessThanOrEqual(Math.ceil(PARTS / hearing.length));
        }
        const names: readonly string[] = hearing;
        expect(leases.filter(({ owner }) => !names.includes(owner))).toEqual([]);
        expect(rounds).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('stay where they are when nothing changed', () => {
    const { leases } = settle(['a', 'b', 'c'], []);
    for (const me of ['a', 'b', 'c']) {
      expect(decideLeases({ me, hearing: ['a', 'b', 'c'], leases })).toEqual({ acquire: [], give: [] });
    }
  });

  it('are kept by a process that cannot hear when no other can', () => {
    const leases = [{ part: 7, owner: 'a' }];
    expect(decideLeases({ me: 'a', hearing: [], leases })).toEqual({ acquire: [], give: [] });
  });
});
