/** Sessions as REST shows them. */
import { majorUnits } from '../../shared/money.js';
import { imageLinks } from '../lpr/reading-images-payload.js';
import type { AmountDue } from '../session/amount-due.js';
import { durationSeconds } from '../session/session-payload.js';
import type { SessionPlate, ShownSession } from '../store/queries/session-details.js';
import type { PlateReadingDetails } from '../store/queries/single-records.js';
import { isoTime } from './iso-time.js';
import { plateReadingRecord } from './records.js';
import type { Session, SessionWithReadings } from './resources.js';

/** What the records of one answer are made with. */
export interface SessionsShown {
  /** Wall milliseconds: an open session has lasted, and is due, until now. */
  now: number;
  amountDue: AmountDue;
}

export function sessionRecord(details: ShownSession, { now, amountDue }: SessionsShown): Session {
  const { session, tariff } = details;
  const { ended_at, exit_type, exit_source_id } = session;
  const currency = tariff?.currency ?? null;
  return {
    id: session.id,
    public_id: session.public_id,
    ended_at: ended_at === null ? null : isoTime(ended_at),
    duration: durationSeconds(session, now),
    discount_time: session.discount_time,
    amount_paid: majorUnits(session.amount_paid_minor, currency),
    possibly_exited: session.possibly_exited === null ? null : session.possibly_exited === 1,
    exit_allowed: ended_at === null,
    entry_license_plate: sessionPlate(details.entry),
    created_at: isoTime(session.created_at),
    entry: { id: session.entry_source_id, type: session.entry_type as Session['entry']['type'] },
    exit:
      exit_type === null || exit_source_id === null
        ? null
        : { id: exit_source_id, type: exit_type as Session['entry']['type'] },
    zone_id: session.zone_id,
    lot_id: session.lot_id,
    tariff_id: session.tariff_id,
    currency,
    amount_due: majorUnits(amountDue(details, now), currency),
    exit_license_plate: sessionPlate(details.exit),
    updated_at: isoTime(session.updated_at),
  };
}

export function sessionWithReadings(
  details: ShownSession,
  readings: readonly PlateReadingDetails[],
  shown: SessionsShown,
): SessionWithReadings {
  return { ...sessionRecord(details, shown), plate_readings: readings.map(plateReadingRecord) };
}

function sessionPlate(plate: SessionPlate | null): Session['entry_license_plate'] {
  return plate === null ? null : { id: plate.reading_id, plate: plate.plate, ...imageLinks(plate.images) };
}
