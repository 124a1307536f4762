import { ApiError } from '../../shared/errors.js';

/**
 * Things that work together are in one lot. Throws 422 naming every field whose thing is in another one; undefined: not given.
 */
export function sameLot(lot_id: number | null, fields: Readonly<Record<string, number | null | undefined>>): void {
  const elsewhere = Object.entries(fields).filter(([, lot]) => lot !== undefined && lot !== lot_id);
  if (elsewhere.length === 0) return;
  throw ApiError.validation(elsewhere.map(([field]) => ({ field, message: 'Is, or would be, in another lot' })));
}
