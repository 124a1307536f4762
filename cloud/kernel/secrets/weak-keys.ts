/** Ed25519 keys of small order: whoever sends one needs no private key, as a trivial signature fits many texts under it. */

/**
 * The y coordinates of the points of order 1, 2, 4 and 8, little-endian, with those that are written beyond the field's prime
 * 2^255-19. The list of libsodium's `ge25519_has_small_order`, which RFC 8032 leaves to the verifier and OpenSSL does not check.
 */
const WEAK_Y: ReadonlySet<string> = new Set([
  `${'00'.repeat(32)}`,
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

/** @param key raw, 32 bytes */
export function isWeakKey(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  // The highest bit is the sign of x.
  const last = y.length - 1;
  y[last] = (y[last] ?? 0) & 0x7f;
  return WEAK_Y.has(y.toString('hex'));
}
