/** Finds the receivers who watch a plate, and stores when each receiver was last mailed about it. */
import { inPieces } from '../../../shared/grouping.js';
import { type Db, type Row, ROWS_OF_STATEMENT_MAX } from '../../kernel/store/entry.js';
import { shownNameOf } from '../../site/entry.js';

/** A receiver of an alert, for one of the alert's plates. */
export interface Watcher {
  account_id: number;
  plate_normalised: string;
  alert_id: number;
  /** null: all zones of the account. */
  zone_id: number | null;
  alert_name: string;
  min_minutes_between_emails: number;
  receiver_id: number;
  receiver_email: string;
  /** The receiver's language, if it is known because the account has also mailed keys to them; otherwise null. */
  locale: string | null;
}

export function watchersOf(
  db: Db,
  wanted: { account_ids: readonly number[]; plates_normalised: readonly string[] },
): Promise<Watcher[]> {
  return db
    .selectFrom('alert_plates')
    .innerJoin('license_plate_alerts as alert', 'alert.id', 'alert_plates.license_plate_alert_id')
    .innerJoin('alert_receivers as receiver', 'receiver.license_plate_alert_id', 'alert.id')
    .leftJoin('key_receivers', (join) =>
      join
        .onRef('key_receivers.account_id', '=', 'alert.account_id')
        .onRef('key_receivers.email', '=', 'receiver.receiver_email'),
    )
    .select('key_receivers.locale')
    .select(['alert.account_id', 'alert.id as alert_id', 'alert_plates.plate_normalised', 'alert.zone_id'])
    .select('alert.name as alert_name')
    .select(['alert.min_minutes_between_emails', 'receiver.id as receiver_id', 'receiver.receiver_email'])
    .where('alert_plates.plate_normalised', 'in', wanted.plates_normalised)
    .where('alert.account_id', 'in', wanted.account_ids)
    .orderBy('alert_plates.plate_normalised')
    .orderBy('alert.id')
    .orderBy('receiver.receiver_email')
    .execute();
}

/**
 * Claims the mails about a plate for receivers. A claim fails for a receiver to whom a mail about the plate was queued after `since`, or for
 * the same reading.
 * @param claim.receiver_emails without duplicates
 * @returns the receivers whose mails must be queued
 */
export async function claimAlertMails(
  tx: Db,
  claim: Omit<Row<'alert_mails'>, 'id' | 'receiver_email'> & { receiver_emails: readonly string[]; since: number },
): Promise<ReadonlySet<string>> {
  const { since, receiver_emails, ...common } = claim;
  const claimed = new Set<string>();
  for (const piece of inPieces(receiver_emails, ROWS_OF_STATEMENT_MAX)) {
    const rows = await tx
      .insertInto('alert_mails')
      .values(piece.map((receiver_email) => ({ ...common, receiver_email })))
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'plate_normalised', 'receiver_email'])
          .doUpdateSet(({ ref }) => ({
            mailed_at: ref('excluded.mailed_at'),
            plate_reading_id: ref('excluded.plate_reading_id'),
          }))
          .where('alert_mails.mailed_at', '<=', since)
          .where('alert_mails.plate_reading_id', '!=', common.plate_reading_id),
      )
      .returning('receiver_email')
      .execute();
    for (const { receiver_email } of rows) claimed.add(receiver_email);
  }
  return claimed;
}

/**
 * Lists the ids of records that are no longer needed, in ascending order beyond `after`: mails up to `mailedUntil`, and mails about a plate
 * that no alert of the account watches for the receiver any more.
 */
export async function spentAlertMails(
  db: Db,
  wanted: { mailedUntil: number; after: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('alert_mails')
    .select('alert_mails.id')
    .where('alert_mails.id', '>', wanted.after)
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb('alert_mails.mailed_at', '<=', wanted.mailedUntil),
        not(
          exists(
            selectFrom('alert_plates')
              .innerJoin('license_plate_alerts as alert', 'alert.id', 'alert_plates.license_plate_alert_id')
              .innerJoin('alert_receivers as receiver', 'receiver.license_plate_alert_id', 'alert.id')
              .select('alert.id')
              .whereRef('alert_plates.plate_normalised', '=', 'alert_mails.plate_normalised')
              .whereRef('alert.account_id', '=', 'alert_mails.account_id')
              .whereRef('receiver.receiver_email', '=', 'alert_mails.receiver_email'),
          ),
        ),
      ]),
    )
    .orderBy('alert_mails.id')
    .limit(wanted.limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes these records, except those that were renewed by a mail after `mailedUntil`. */
export async function deleteAlertMails(tx: Db, spent: { ids: readonly number[]; mailedUntil: number }): Promise<void> {
  await tx.deleteFrom('alert_mails').where('id', 'in', spent.ids).where('mailed_at', '<=', spent.mailedUntil).execute();
}

/** The place of a reading, in words for people. Things that were deleted since keep their names. */
export interface ReadingPlace {
  account_name: string;
  lot_name: string;
  timezone: string;
  zone_name: string;
  camera_name: string | null;
}

export async function placeOfReading(
  db: Db,
  reading: Pick<Row<'plate_readings'>, 'account_id' | 'lot_id' | 'zone_id' | 'lpr_camera_id'>,
): Promise<ReadingPlace> {
  const { account_id, lot_id, zone_id, lpr_camera_id } = reading;
  const account = await db
    .selectFrom('accounts')
    .select(shownNameOf('accounts').as('name'))
    .where('id', '=', account_id)
    .executeTakeFirst();
  const lot = await db
    .selectFrom('lots')
    .select(['name', 'timezone'])
    .where('id', '=', lot_id)
    .unionAll(db.selectFrom('deleted_lots').select(['name', 'timezone']).where('id', '=', lot_id))
    .executeTakeFirst();
  const zone = await db
    .selectFrom('zones')
    .select('name')
    .where('id', '=', zone_id)
    .unionAll(db.selectFrom('deleted_zones').select('name').where('id', '=', zone_id))
    .executeTakeFirst();
  const camera = await db
    .selectFrom('lpr_cameras')
    .select('name')
    .where('id', '=', lpr_camera_id)
    .unionAll(db.selectFrom('deleted_lpr_cameras').select('name').where('id', '=', lpr_camera_id))
    .executeTakeFirst();
  return {
    account_name: account?.name ?? '',
    lot_name: lot?.name ?? '',
    timezone: lot?.timezone ?? 'UTC',
    zone_name: zone?.name ?? '',
    camera_name: camera?.name ?? null,
  };
}
