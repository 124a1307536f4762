import { array, assert, boolean, property } from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideGatewaySlot, type GatewaySlot } from '../../../cloud/equipment/gateway/decide-gateway-slot.js';

const FULL: GatewaySlot[] = Array.from({ length: 15 }, (_, index) => ({ slot: index + 1, generation: 0 }));

describe('the slot of a gateway', () => {
  it('is the lowest that nobody had', () => {
    expect(decideGatewaySlot([], new Set())).toEqual({ slot: 1, generation: 0 });
    expect(decideGatewaySlot([{ slot: 1, generation: 0 }], new Set())).toEqual({ slot: 2, generation: 0 });
    expect(decideGatewaySlot(FULL.slice(0, 14), new Set([3]))).toEqual({ slot: 15, generation: 0 });
  });

  it('is one given before, a generation later, once all were given', () => {
    expect(decideGatewaySlot(FULL, new Set([1, 2, 3]))).toEqual({ slot: 4, generation: 1 });
    const uneven = FULL.map(({ slot }) => ({ slot, generation: slot === 9 ? 3 : 4 }));
    expect(decideGatewaySlot(uneven, new Set())).toEqual({ slot: 9, generation: 4 });
  });

  it('is none when all are held, or can go no higher', () => {
    expect(decideGatewaySlot(FULL, new Set(FULL.map(({ slot }) => slot)))).toBeNull();
    const last = FULL.map(({ slot }) => ({ slot, generation: 255 }));
    expect(decideGatewaySlot(last, new Set([1]))).toBeNull();
  });

  it('is never one that another gateway of the lot ever had at that generation', () => {
    assert(
      property(array(boolean(), { maxLength: 300 }), (comings) => {
        const given = new Map<number, GatewaySlot>();
        const held: number[] = [];
        const seen = new Set<string>();
        for (const comes of comings) {
          if (!comes) held.shift();
          const assigned = comes ? decideGatewaySlot([...given.values()], new Set(held)) : null;
          if (assigned === null) continue;
          expect(seen).not.toContain(`${assigned.slot}/${assigned.generation}`);
          expect(held).not.toContain(assigned.slot);
          seen.add(`${assigned.slot}/${assigned.generation}`);
          given.set(assigned.slot, assigned);
          held.push(assigned.slot);
        }
      }),
    );
  });
});
