import { type Caller, seesLot } from '../auth/caller.js';

/**
 * Tenancy and lot scope of single records, in one place: what is another account's, or in a lot that is not assigned to
 * the caller, is answered like what does not exist.
 */
export function visibleTo<Details extends { account_id: number; lot_id: number | null }>(
  caller: Caller,
  details: Details | null,
): Details | null {
  if (details === null || details.account_id !== caller.account_id) return null;
  return seesLot(caller, details.lot_id) ? details : null;
}
