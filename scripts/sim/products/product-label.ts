/** The text on a simulated product's label: the secret that pairs it. */
import { createHash } from 'node:crypto';
import type { ProductDeviceId } from '../../../shared/ids.js';

/** 16 bytes, the same for a product in every run, so that its label need not be looked up. */
export function labelSecretOf(device_id: ProductDeviceId): Uint8Array {
  return createHash('sha256').update(`label of ${device_id}`).digest().subarray(0, 16);
}
