/** Limits on changes of a product's clock, which products, gateways and the cloud all apply. */
import { readUint } from './bytes.js';

/** By how much `set_time` may move a valid clock in total. Larger corrections need a `clock` record of the cloud. */
export const CLOCK_BUDGET_S = 15 * 60;

/** For how long after an exchange a `clock` record may refer to it. */
export const CLOCK_NONCE_LIFE_MS = 10 * 60_000;

/** Returns the nonce by which a `clock` record refers to an exchange: the first four bytes of its Np, which cannot be predicted. */
export function clockNonceOf(productNonce: Uint8Array): number {
  return readUint(productNonce, 0, 4);
}
