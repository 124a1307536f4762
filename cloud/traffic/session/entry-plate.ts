/** The plate by which a session is found: that of the reading that began it. */
import { ApiError } from '../../../shared/errors.js';
import type { Row, Tx } from '../../kernel/store/entry.js';
import { findPricedBy, hasPayments } from './session-change-queries.js';
import type { PricedBy } from '../tariff/tariff-version-queries.js';
import { lockOpenSessions } from './session-queries.js';

export const samePlate = (field: 'entry_license_plate' | 'plate') => ({
  field,
  message: 'The plate has an open session in this lot',
});

/**
 * Returns the columns of an open session that follow from its plate.
 * @param changed.field the field of the request that holds the plate
 * @throws ApiError VALIDATION if another open session of the lot has the plate
 */
export async function columnsOfPlate(
  tx: Tx,
  session: Row<'sessions'>,
  changed: { plate_normalised: string; field: 'entry_license_plate' | 'plate' },
): Promise<Pick<Row<'sessions'>, 'plate_normalised'> & Partial<PricedBy>> {
  const { id, account_id, lot_id, zone_id, created_at } = session;
  const { plate_normalised, field } = changed;
  const open = await lockOpenSessions(tx, { lot_id, plates_normalised: [plate_normalised] });
  if (open.some((other) => other.id !== id)) throw ApiError.validation([samePlate(field)]);
  // A session for which something was paid in one currency must not become due in another.
  if (await hasPayments(tx, id)) return { plate_normalised };
  // A member may have another tariff. The same one prices the session as it did before.
  const pricedBy = await findPricedBy(tx, { account_id, zone_id, plate_normalised, created_at });
  return pricedBy.tariff_id === session.tariff_id ? { plate_normalised } : { plate_normalised, ...pricedBy };
}
