/**
 * Random bytes for ids and nonces, drawn from the system in larger portions: a kilobyte takes as long as four bytes, and one plate read needs
 * several draws.
 */

const POOL_BYTES = 1_024;

/**
 * Creates a source of random bytes with the quality of `randomBytes`. Bytes that were handed out are not kept.
 * @param randomBytes the cryptographic random number generator of the system
 */
export function createRandomPool(randomBytes: (length: number) => Uint8Array): (length: number) => Uint8Array {
  let pool = new Uint8Array(0);
  let used = 0;
  return (length) => {
    if (length > POOL_BYTES / 4) return new Uint8Array(randomBytes(length));
    if (used + length > pool.length) {
      pool = new Uint8Array(randomBytes(POOL_BYTES));
      used = 0;
    }
    const given = pool.slice(used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return given;
  };
}
