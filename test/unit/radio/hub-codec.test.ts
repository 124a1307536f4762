import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  decodeJoin,
  decodePower,
  encodeJoin,
  encodeJoined,
  encodePower,
  isJoined,
} from '../../../agent/product/hci/hub-codec.js';

describe('hub codec', () => {
  it('carries who joins', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('central' as const, 'peripheral' as const),
        fc.string({ minLength: 1, maxLength: 16, unit: 'grapheme' }).filter((name) => Buffer.byteLength(name) <= 64),
        (role, name) => {
          expect(decodeJoin(encodeJoin({ role, name }))).toEqual({ role, name });
        },
      ),
    );
    expect(encodeJoin({ role: 'peripheral', name: 'a4c1' }).toString('hex')).toBe('0100fc050161346331');
  });

  it('refuses a name that is none', () => {
    expect(() => encodeJoin({ role: 'central', name: '' })).toThrow('1 to 64 bytes');
    expect(() => encodeJoin({ role: 'central', name: 'x'.repeat(65) })).toThrow('1 to 64 bytes');
  });

  it.each([
    ['another command', '01030c00'],
    ['a role that is none', '0100fc020278'],
    ['no name', '0100fc0100'],
    ['an event', '0400fc020078'],
  ])('takes %s for no JOIN', (_what, packet) => {
    expect(decodeJoin(Buffer.from(packet, 'hex'))).toBeUndefined();
  });

  it('knows its own answers from those of HCI', () => {
    expect(isJoined(encodeJoined(Buffer.alloc(6)))).toBe(true);
    expect(isJoined(Buffer.from('040e0401030c00', 'hex'))).toBe(false);
    expect([decodePower(encodePower(true)), decodePower(encodePower(false))]).toEqual([true, false]);
    expect(decodePower(Buffer.from('040e0401030c00', 'hex'))).toBeUndefined();
  });
});
