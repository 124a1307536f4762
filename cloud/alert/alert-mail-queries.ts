/** Finds whom a reading concerns, and keeps when each was last mailed of a plate. */
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';

/** A receiver of an alert that watches a plate. */
export interface Watcher {
  account_id: number;
  plate_normalised: string;
  /** null: all zones of the account. */
  zone_id: number | null;
  alert_name: string;
  min_minutes_between_emails: number;
  receiver_id: number;
  receiver_email: string;
}

export function watchersOf(
  db: Db,
  wanted: { account_ids: readonly number[]; plates_normalised: readonly string[] },
): Promise<Watcher[]> {
  return db
    .selectFrom('alert_plates')
    .innerJoin('license_plate_alerts as alert', 'alert.id', 'alert_plates.license_plate_alert_id')
    .innerJoin('alert_receivers as receiver', 'receiver.license_plate_alert_id', 'alert.id')
    .select(['alert.account_id', 'alert_plates.plate_normalised', 'alert.zone_id', 'alert.name as alert_name'])
    .select(['alert.min_minutes_between_emails', 'receiver.id as receiver_id', 'receiver.receiver_email'])
    .where('alert_plates.plate_normalised', 'in', wanted.plates_normalised)
    .where('alert.account_id', 'in', wanted.account_ids)
    .orderBy('alert_plates.plate_normalised')
    .orderBy('receiver.receiver_email')
    .orderBy('alert.id')
    .execute();
}

/** Claims the mail of a plate to a receiver, unless one was queued since `since` or for the same reading. @returns whether it is to be queued */
export async function claimAlertMail(
  tx: Db,
  mail: Omit<Row<'alert_mails'>, 'id'> & { since: number },
): Promise<boolean> {
  const { since, ...row } = mail;
  const claimed = await tx
    .insertInto('alert_mails')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'plate_normalised', 'receiver_email'])
        .doUpdateSet(({ ref }) => ({
          mailed_at: ref('excluded.mailed_at'),
          plate_reading_id: ref('excluded.plate_reading_id'),
        }))
        .where('alert_mails.mailed_at', '<=', since)
        .where('alert_mails.plate_reading_id', '!=', row.plate_reading_id),
    )
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Where a reading was made, in words for people. What was deleted meanwhile keeps its name. */
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
  const account = await db.selectFrom('accounts').select('name').where('id', '=', account_id).executeTakeFirst();
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
