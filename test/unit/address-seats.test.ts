import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import { addressNetwork, createAddressSeats } from '../../shared/address-seats.js';
import { runs } from '../depth.js';

describe('shares of addresses', () => {
  it('whoever fills the room loses its own places, oldest first, and nobody else does', () => {
    const room = createAddressSeats<string>({ placesMax: 5 });
    expect(room.enter('honest', 'a')).toBeNull();
    const gone = Array.from({ length: 1_000 }, (_, number) => room.enter(`flood ${number}`, 'b'));
    expect(gone.slice(0, 4)).toEqual([null, null, null, null]);
    expect(gone.slice(4)).toEqual(Array.from({ length: 996 }, (_, number) => `flood ${number}`));
    expect(room.enter('also honest', 'c')).toBe('flood 996');
    expect(room.size).toBe(5);
  });

  it('who has just been busy stays longer, and who is busy longest', () => {
    const room = createAddressSeats<string>({ placesMax: 3 });
    for (const place of ['one', 'two', 'three']) room.enter(place, 'a');
    room.setBusy('one', true);
    expect(room.enter('four', 'a')).toBe('two');
    room.setBusy('one', false);
    expect(room.enter('five', 'a')).toBe('three');
    for (const place of ['one', 'four', 'five']) room.setBusy(place, true);
    // All of the address are busy: its new one has no place.
    expect(room.enter('six', 'a')).toBe('six');
    expect(room.enter('other', 'b')).toBe('one');
  });

  it('an address that stands for many is held to no share, but not beyond the room', () => {
    const room = createAddressSeats<string>({ placesMax: 2 });
    expect(room.enter('proxied', null)).toBeNull();
    expect(room.enter('direct', 'a')).toBeNull();
    expect(room.enter('proxied too', null)).toBe('direct');
    expect(room.enter('third', null)).toBe('third');
    expect(room.enter('direct', 'a')).toBe('direct');
    room.leave('proxied');
    expect(room.enter('fourth', null)).toBeNull();
  });

  it('keeps to its rules, whoever comes, goes and is busy', () => {
    const PLACES_MAX = 6;
    const step = fc.record({
      do: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'busy', 'idle'),
      key: fc.constantFrom('a', 'a', 'b', 'c', null),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const room = createAddressSeats<number>({ placesMax: PLACES_MAX });
        const keys = new Map<number, string | null>();
        const busy = new Set<number>();
        const heldBy = (key: string | null) => [...keys.values()].filter((each) => each === key).length;
        for (const [number, { do: what, key, which }] of steps.entries()) {
          const known = [...keys.keys()][which % Math.max(keys.size, 1)];
          if (what === 'enter') {
            keys.set(number, key);
            const gone = room.enter(number, key);
            expect(gone === null).toBe(keys.size <= PLACES_MAX);
            if (gone === null) continue;
            const loser = keys.get(gone) ?? null;
            const most = Math.max(...['a', 'b', 'c'].map(heldBy));
            // Only the new one itself can be of an address that is held to no share.
            if (loser === null) expect([gone, most]).toEqual([number, 0]);
            else expect(heldBy(loser)).toBe(most);
            const others = [...keys].filter(([place, itsKey]) => place !== gone && itsKey === loser);
            if (busy.has(gone)) expect(others.every(([place]) => busy.has(place))).toBe(true);
            keys.delete(gone);
            busy.delete(gone);
          } else if (known !== undefined && what === 'leave') {
            room.leave(known);
            keys.delete(known);
            busy.delete(known);
          } else if (known !== undefined) {
            room.setBusy(known, what === 'busy');
            if (what === 'busy' && keys.get(known) !== null) busy.add(known);
            else busy.delete(known);
          }
          expect(room.size).toBe(keys.size);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the key of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8:9'],
    ['1::2::3', '1::2::3'],
    ['a:b', 'a:b'],
    ['no address', 'no address'],
    ['', ''],
  ])('for %s is %s', (address, key) => {
    expect(addressNetwork(address)).toBe(key);
  });
});
