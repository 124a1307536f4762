/** The columns of exports, in their order. New ones come last: programs read some by their place. */
import { majorUnits } from '../../../shared/currencies.js';
import { localTimeText, utcOffsetText } from '../../../shared/local-time-text.js';
import { isoTime } from '../../rest/entry.js';
import { type ExportColumns, localTimeOf, timezoneOfRow, utcOffsetOf } from '../../site/entry.js';
import { taxWithin } from '../tariff/tax-within.js';
import type { ExportedPayment } from './payment-export-queries.js';
import type { Session } from './session-rest-payload.js';

/** A session with the names of who or what began and ended it; null where there is none. */
export type ExportedSession = Session & { entry_name: string | null; exit_name: string | null };

export const SESSION_COLUMNS: ExportColumns<ExportedSession> = {
  id: ({ id }) => id,
  public_id: ({ public_id }) => public_id,
  lot_id: ({ lot_id }) => lot_id,
  zone_id: ({ zone_id }) => zone_id,
  entry_license_plate: ({ entry_license_plate }) => entry_license_plate?.plate ?? null,
  exit_license_plate: ({ exit_license_plate }) => exit_license_plate?.plate ?? null,
  created_at: ({ created_at }) => created_at,
  ended_at: ({ ended_at }) => ended_at,
  duration: ({ duration }) => duration,
  discount_time: ({ discount_time }) => discount_time,
  amount_paid: ({ amount_paid }) => amount_paid,
  amount_due: ({ amount_due }) => amount_due,
  currency: ({ currency }) => currency,
  tariff_id: ({ tariff_id }) => tariff_id,
  entry_type: ({ entry }) => entry.type,
  entry_id: ({ entry }) => entry.id,
  exit_type: ({ exit }) => exit?.type ?? null,
  exit_id: ({ exit }) => exit?.id ?? null,
  possibly_exited: ({ possibly_exited }) => possibly_exited,
  exit_allowed: ({ exit_allowed }) => exit_allowed,
  updated_at: ({ updated_at }) => updated_at,
  lot_name: ({ lot_id }, { lots }) => lots.get(lot_id) ?? null,
  zone_name: ({ zone_id }, { zones }) => zones.get(zone_id) ?? null,
  tariff_name: ({ tariff_name }) => tariff_name,
  entered_at_local: (session, names) => localTimeOf(session.created_at, session, names),
  entered_at_offset: (session, names) => utcOffsetOf(session.created_at, session, names),
  left_at_local: (session, names) => localTimeOf(session.ended_at, session, names),
  left_at_offset: (session, names) => utcOffsetOf(session.ended_at, session, names),
  overpaid: ({ overpaid }) => overpaid,
  vat: ({ vat }) => vat,
  discount_reason: ({ discount_reason }) => discount_reason,
  discount_granted_by: ({ discount_granted_by }) => discount_granted_by,
  discount_granted_at: ({ discount_granted_at }) => discount_granted_at,
  entry_name: ({ entry_name }) => entry_name,
  exit_name: ({ exit_name }) => exit_name,
};

/** For an accountant: each payment and refund with its day, tax and person. */
export const PAYMENT_COLUMNS: ExportColumns<ExportedPayment> = {
  id: ({ id }) => id,
  day: ({ created_at, ...of }, names) => localTimeText(created_at, timezoneOfRow(of, names)).slice(0, 10),
  paid_at_local: ({ created_at, ...of }, names) => localTimeText(created_at, timezoneOfRow(of, names)),
  paid_at_offset: ({ created_at, ...of }, names) => utcOffsetText(created_at, timezoneOfRow(of, names)),
  created_at: ({ created_at }) => isoTime(created_at),
  kind: ({ amount_minor }) => (amount_minor < 0 ? 'refund' : 'payment'),
  amount: ({ amount_minor, currency }) => majorUnits(amount_minor, currency),
  currency: ({ currency }) => currency,
  vat: ({ vat }) => vat,
  tax: ({ amount_minor, vat, currency }) => {
    const tax = vat === null ? null : taxWithin(amount_minor, vat);
    return tax === null ? null : majorUnits(tax, currency);
  },
  reference: ({ reference }) => reference,
  reason: ({ reason }) => reason,
  created_by_name: ({ created_by_name }) => created_by_name,
  created_by: ({ source_type, source_id }) => (source_type === 'attendant' ? source_id : null),
  license_plate: ({ plate }) => plate,
  public_id: ({ public_id }) => public_id,
  session_id: ({ session_id }) => session_id,
  lot_name: ({ lot_id }, { lots }) => lots.get(lot_id) ?? null,
  zone_name: ({ zone_id }, { zones }) => zones.get(zone_id) ?? null,
  tariff_name: ({ tariff_name }) => tariff_name,
};
