/** What everybody holds to who changes a product's clock. */
import { readUint } from './bytes.js';

/** By how much `set_time` moves a valid clock, in all. Only a `clock` record of the cloud corrects more. */
export const CLOCK_BUDGET_S = 15 * 60;

/** How long after an exchange a `clock` record may name it. */
export const CLOCK_NONCE_LIFE_MS = 10 * 60_000;

/** What a `clock` record names an exchange by: the first four bytes of its Np, which nobody could know before. */
export function clockNonceOf(productNonce: Uint8Array): number {
  return readUint(productNonce, 0, 4);
}
