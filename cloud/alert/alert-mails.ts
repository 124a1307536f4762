/** Mails the receivers of license plate alerts, in the transaction of the reading: at most one mail per plate and receiver in the alert's minutes. */
import { groupBy } from '../../shared/grouping.js';
import { type NewMail, queueMail } from '../mail/mail-queue-queries.js';
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { claimAlertMail, placeOfReading, type ReadingPlace, type Watcher, watchersOf } from './alert-mail-queries.js';

const MINUTE_MS = 60_000;

export type AlertedReading = Pick<
  Row<'plate_readings'>,
  | 'id'
  | 'account_id'
  | 'lot_id'
  | 'zone_id'
  | 'lpr_camera_id'
  | 'plate'
  | 'plate_normalised'
  | 'direction'
  | 'access_decision'
  | 'access_decision_reason'
  | 'created_at'
> & {
  /** null: there is no picture. */
  image_uid: string | null;
};

/**
 * Queues the mails of readings that were just written, or whose plates were just refined. For a reading that
 * came days late the minutes are counted from now: it is the mails that come too often.
 * @param now wall milliseconds
 */
export async function mailAlerts(tx: Db, readings: readonly AlertedReading[], now: number): Promise<void> {
  const read = readings.filter(({ plate_normalised }) => plate_normalised !== '');
  if (read.length === 0) return;
  const watchers = await watchersOf(tx, {
    account_ids: [...new Set(read.map(({ account_id }) => account_id))],
    plates_normalised: [...new Set(read.map(({ plate_normalised }) => plate_normalised))],
  });
  const watchersOfPlate = groupBy(watchers, plateKey);
  for (const reading of read.toSorted(byPlate)) {
    for (const watcher of watchersOfPlate.get(plateKey(reading)) ?? []) {
      if (watcher.zone_id !== null && watcher.zone_id !== reading.zone_id) continue;
      if (!(await isDue(tx, { reading, watcher, now }))) continue;
      await queueMail(tx, mailOf(reading, watcher, await placeOfReading(tx, reading)), now);
    }
  }
}

const plateKey = ({ account_id, plate_normalised }: Pick<Watcher, 'account_id' | 'plate_normalised'>): string =>
  `${account_id} ${plate_normalised}`;

/** Transactions claim mails in one order, so that they seldom wait for each other in a circle. */
const byPlate = (one: AlertedReading, other: AlertedReading): number =>
  plateKey(one) < plateKey(other) ? -1 : plateKey(one) > plateKey(other) ? 1 : one.id - other.id;

function isDue(tx: Db, due: { reading: AlertedReading; watcher: Watcher; now: number }): Promise<boolean> {
  const { reading, watcher, now } = due;
  const { account_id, plate_normalised, receiver_email, min_minutes_between_emails } = watcher;
  return claimAlertMail(tx, {
    account_id,
    plate_normalised,
    receiver_email,
    plate_reading_id: reading.id,
    mailed_at: now,
    since: now - min_minutes_between_emails * MINUTE_MS,
  });
}

function mailOf(reading: AlertedReading, watcher: Watcher, place: ReadingPlace): NewMail {
  const { plate, created_at, direction, access_decision, access_decision_reason, image_uid } = reading;
  const { account_id, alert_name, receiver_id, receiver_email } = watcher;
  const decided = { direction, access_decision, access_decision_reason, image_uid };
  return {
    kind: 'alert',
    to: receiver_email,
    // Nobody has asked the receiver for a language.
    locale: null,
    content: { alert_name, receiver_id, plate, event_time: created_at, ...place, ...decided },
    account_id,
    lot_id: reading.lot_id,
  };
}
