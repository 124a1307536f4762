import { type Caller, seesLot } from '../../kernel/auth/entry.js';

/**
 * Checks that the caller may see one thing. A thing of another account, or in a lot that is not assigned to the caller, is answered
 * like one that does not exist.
 */
export function visibleTo<Details extends { account_id: number; lot_id: number | null }>(
  caller: Caller,
  details: Details | null,
): Details | null {
  if (details === null || details.account_id !== caller.account_id) return null;
  return seesLot(caller, details.lot_id) ? details : null;
}
