import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decodeBase64url, encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { bytesToHex, hexToBytes, readUint, uintBytes } from '../../../shared/product-protocol/bytes.js';

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const hex = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('bytes', () => {
  it('base64url, as Node writes it, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = encodeBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64url(text)).toEqual(bytes);
      }),
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64url(text);
        if (bytes !== null) expect(encodeBase64url(bytes)).toBe(text);
      }),
    );
    for (const text of ['A', 'AB', 'AA==', 'A+/A', 'AA A', 'é234']) expect(decodeBase64url(text)).toBeNull();
  });

  it('integers and hex', () => {
    fc.assert(fc.property(u32, (value) => void expect(readUint(uintBytes(value, 4), 0, 4)).toBe(value)));
    fc.assert(fc.property(hex, (text) => void expect(bytesToHex(hexToBytes(text))).toBe(text)));
    expect(() => uintBytes(256, 1)).toThrow(RangeError);
    expect(() => uintBytes(1.5, 4)).toThrow(RangeError);
    expect(() => readUint(new Uint8Array(3), 0, 4)).toThrow(RangeError);
    expect(() => hexToBytes('abc')).toThrow(RangeError);
  });
});
