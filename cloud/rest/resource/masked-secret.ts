/** What becomes of a masked secret that comes back: whoever sends it, as forms do, leaves the secret as it is. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import type { Columns, Values } from '../field/field.js';
import { isMasked, maskedAddress } from '../field/masked-secret-codec.js';

const MASKED_WHOLE = 'Must hold its secret: *** stands for the present one only while nothing else of it changes';

/**
 * What PATCH of an address writes besides what was given: a masked address that comes back as it was shown is no change.
 * @param present the address as it is stored
 * @throws ApiError VALIDATION on `address` for another address with a mask in it: the secret would go to another server
 */
export function keptAddress({ address }: Values, present: string): Columns {
  if (typeof address !== 'string') return {};
  if (address === maskedAddress(present)) return { address: present };
  refuseMasked({ address });
  return {};
}

/** @throws ApiError VALIDATION on `address` for a new thing whose address holds a mask instead of a secret */
export function refuseMasked({ address }: Values): void {
  if (isMasked(address)) throw maskRefused('address');
}

/** The refusal of a mask where the secret itself is needed. */
export const maskRefused = (field: string): ApiError => new ApiError(VALIDATION, { field, message: MASKED_WHOLE });
