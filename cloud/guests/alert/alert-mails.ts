/**
 * Mails the receivers of licence plate alerts in the transaction of the reading. A receiver gets at most one mail per plate within the
 * alert's minutes.
 */
import { groupBy } from '../../../shared/grouping.js';
import { type NewMail, queueMails } from '../../site/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { claimAlertMails, placeOfReading, type ReadingPlace, type Watcher, watchersOf } from './alert-mail-queries.js';
import { MINUTE_MS } from '../../../shared/durations.js';

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
  /** null: the reading has no image. */
  image_uid: string | null;
};

/**
 * Queues the mails for readings that were just written, or whose plates were just refined. It uses few statements, because an alert may have
 * thousands of receivers and the gateway's next readings wait for this transaction. The minutes between mails count from now even for a
 * reading that arrives days late, because they limit the frequency of mails and not of readings.
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
  const mails: NewMail[] = [];
  const places = new Map<string, ReadingPlace>();
  for (const reading of read.toSorted(byPlate)) {
    const watching = (watchersOfPlate.get(plateKey(reading)) ?? []).filter(
      ({ zone_id }) => zone_id === null || zone_id === reading.zone_id,
    );
    const due = await dueWatchers(tx, { reading, watching, now });
    if (due.length === 0) continue;
    const { account_id, lot_id, zone_id, lpr_camera_id } = reading;
    const name = JSON.stringify([account_id, lot_id, zone_id, lpr_camera_id]);
    const place = places.get(name) ?? (await placeOfReading(tx, reading));
    places.set(name, place);
    mails.push(...due.map((watcher) => mailOf(reading, watcher, place)));
  }
  if (mails.length > 0) await queueMails(tx, mails, now);
}

const plateKey = ({ account_id, plate_normalised }: Pick<Watcher, 'account_id' | 'plate_normalised'>): string =>
  `${account_id} ${plate_normalised}`;

/** All transactions claim mails in the same order, so that they rarely deadlock. */
const byPlate = (one: AlertedReading, other: AlertedReading): number =>
  plateKey(one) < plateKey(other) ? -1 : plateKey(one) > plateKey(other) ? 1 : one.id - other.id;

/** Claims the mails of a reading, alert by alert. @returns the receivers to mail, without duplicates */
async function dueWatchers(
  tx: Db,
  { reading, watching, now }: { reading: AlertedReading; watching: readonly Watcher[]; now: number },
): Promise<Watcher[]> {
  const due = new Map<string, Watcher>();
  for (const watchers of groupBy(watching, ({ alert_id }) => alert_id).values()) {
    const asked = watchers.filter(({ receiver_email }) => !due.has(receiver_email));
    const [first] = asked;
    if (first === undefined) continue;
    const claimed = await claimAlertMails(tx, {
      account_id: reading.account_id,
      plate_normalised: reading.plate_normalised,
      plate_reading_id: reading.id,
      mailed_at: now,
      receiver_emails: asked.map(({ receiver_email }) => receiver_email),
      since: now - first.min_minutes_between_emails * MINUTE_MS,
    });
    for (const watcher of asked) if (claimed.has(watcher.receiver_email)) due.set(watcher.receiver_email, watcher);
  }
  return [...due.values()];
}

function mailOf(reading: AlertedReading, watcher: Watcher, place: ReadingPlace): NewMail {
  const { plate, created_at, direction, access_decision, access_decision_reason, image_uid } = reading;
  const { account_id, alert_name, receiver_id, receiver_email, locale } = watcher;
  const decided = { direction, access_decision, access_decision_reason, image_uid };
  return {
    kind: 'alert',
    to: receiver_email,
    locale,
    content: { alert_name, receiver_id, plate, event_time: created_at, ...place, ...decided },
    account_id,
    lot_id: reading.lot_id,
  };
}
