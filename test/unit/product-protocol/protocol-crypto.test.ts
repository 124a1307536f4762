import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../../shared/product-protocol/bytes.js';
import { bitFlips, crypto } from './protocol-fixture.js';

describe('cryptography on node:crypto', () => {
  it('HMAC-SHA256: RFC 4231, test case 1', () => {
    expect(bytesToHex(crypto.hmacSha256(new Uint8Array(20).fill(0x0b), hexToBytes('4869205468657265')))).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
  });

  it('HKDF-SHA256: RFC 5869, test case 1', () => {
    const okm = crypto.hkdfSha256(
      new Uint8Array(22).fill(0x0b),
      hexToBytes('000102030405060708090a0b0c'),
      hexToBytes('f0f1f2f3f4f5f6f7f8f9'),
      42,
    );
    expect(bytesToHex(okm)).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    );
  });

  it('X25519: RFC 7748, section 6.1, and the public keys by its base point', () => {
    const bob = hexToBytes('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb');
    const alicePublic = hexToBytes('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a');
    const basePoint = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 9 : 0));
    expect(crypto.x25519(bob, basePoint)).toEqual(
      hexToBytes('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'),
    );
    expect(crypto.x25519(bob, alicePublic)).toEqual(
      hexToBytes('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'),
    );
  });

  it('X25519 gives nothing for a public key of small order, or one of a wrong length', () => {
    const privateKey = new Uint8Array(32).fill(1);
    expect(crypto.x25519(privateKey, new Uint8Array(32))).toBeNull();
    expect(crypto.x25519(privateKey, new Uint8Array(31).fill(9))).toBeNull();
  });

  it('AES-128-CCM opens what it sealed, and nothing that differs in a bit', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(8 as const, 16 as const),
        (key, aad, plaintext, tagLength) => {
          const common = { key, nonce: new Uint8Array(13).fill(3), aad, tagLength };
          const sealed = crypto.aesCcmSeal({ ...common, plaintext });
          expect(sealed.length).toBe(plaintext.length + tagLength);
          expect(crypto.aesCcmOpen({ ...common, sealed })).toEqual(plaintext);
          for (const flipped of bitFlips(sealed)) expect(crypto.aesCcmOpen({ ...common, sealed: flipped })).toBeNull();
          expect(crypto.aesCcmOpen({ ...common, sealed: sealed.slice(0, tagLength - 1) })).toBeNull();
        },
      ),
      { numRuns: 20 },
    );
  });

  it('gives plain Uint8Arrays, never Buffers, whose slice shares memory', () => {
    const key = new Uint8Array(16);
    const sealed = crypto.aesCcmSeal({ key, nonce: new Uint8Array(13), aad: key, plaintext: key, tagLength: 8 });
    const opened = crypto.aesCcmOpen({ key, nonce: new Uint8Array(13), aad: key, sealed, tagLength: 8 });
    for (const bytes of [crypto.hmacSha256(key, key), crypto.hkdfSha256(key, key, key, 32), sealed, opened]) {
      expect(bytes?.constructor).toBe(Uint8Array);
    }
  });

  it('compares, also bytes of different lengths', () => {
    expect(crypto.equal(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(crypto.equal(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(crypto.equal(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3))).toBe(false);
  });
});
