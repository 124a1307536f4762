/** Random bytes for ids and nonces. The system answers for a kilobyte as fast as for four bytes, and a vehicle waits for several of these. */

const POOL_BYTES = 1_024;

/**
 * Makes a source of random bytes, as good as `randomBytes`, which it asks for many at a time. What it has given away it does not keep.
 * @param randomBytes of the system, made for cryptography
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
