/** Reads and writes licence plate alerts with their plates and receivers. */
import { sql } from 'kysely';
import { inPieces } from '../../../shared/grouping.js';
import type { Where } from '../../rest/entry.js';
import {
  byOwner,
  type Db,
  insertRows,
  type NamedThing,
  type Row,
  ROWS_OF_STATEMENT_MAX,
} from '../../kernel/store/entry.js';

/** The columns of a new plate except its times. */
export type NewAlertPlate = Pick<Row<'alert_plates'>, 'plate' | 'plate_normalised'>;

export type NewAlertReceiver = Pick<Row<'alert_receivers'>, 'name' | 'receiver_email'>;

export type AlertRow = Row<'license_plate_alerts'> & {
  /** As typed, not normalised. */
  plates: string[];
  zone: NamedThing | null;
  receivers: (NamedThing & { receiver_email: string })[];
};

/** The source of the list of alerts. */
export const alertsWithZones = (db: Db) =>
  db.selectFrom('license_plate_alerts').leftJoin('zones', 'zones.id', 'license_plate_alerts.zone_id');

/** The lots that an alert without a zone covers: all lots of its account. The lot of an alert with a zone is that of the zone. */
export const LOTS_OF_ALERT = sql`
  select lots.id as lot_id from lots
  where license_plate_alerts.zone_id is null and lots.account_id = license_plate_alerts.account_id
`;

/** Whether one of an alert's plates meets a condition. */
export const somePlateOfAlert = (where: Where): Where =>
  sql`exists (select 1 from alert_plates where license_plate_alert_id = license_plate_alerts.id and ${where})`;

/** The first of an alert's normalised plates, in alphabetical order. */
export const FIRST_PLATE_OF_ALERT = sql`coalesce(
  (select min(plate_normalised) from alert_plates where license_plate_alert_id = license_plate_alerts.id), ''
)`;

export async function alertsByIds(db: Db, ids: readonly number[]): Promise<AlertRow[]> {
  const alerts = await db
    .selectFrom('license_plate_alerts')
    .leftJoin('zones', 'zones.id', 'license_plate_alerts.zone_id')
    .selectAll('license_plate_alerts')
    .select('zones.name as zone_name')
    .where('license_plate_alerts.id', 'in', ids)
    .execute();
  const plates = await db
    .selectFrom('alert_plates')
    .select(['license_plate_alert_id as owner', 'plate'])
    .where('license_plate_alert_id', 'in', ids)
    .orderBy('id')
    .execute();
  const receivers = await db
    .selectFrom('alert_receivers')
    .select(['license_plate_alert_id as owner', 'id', 'name', 'receiver_email'])
    .where('license_plate_alert_id', 'in', ids)
    .orderBy('id')
    .execute();
  const [platesOf, receiversOf] = [byOwner(plates), byOwner(receivers)];
  return alerts.map(({ zone_name, ...alert }) => ({
    ...alert,
    plates: platesOf(alert.id).map(({ plate }) => plate),
    zone: alert.zone_id === null || zone_name === null ? null : { id: alert.zone_id, name: zone_name },
    receivers: receiversOf(alert.id),
  }));
}

/** Replaces the plates of an alert. */
export async function replaceAlertPlates(
  tx: Db,
  alert: { id: number; plates: readonly NewAlertPlate[]; now: number },
): Promise<void> {
  await tx.deleteFrom('alert_plates').where('license_plate_alert_id', '=', alert.id).execute();
  const rows = alert.plates.map((plate) => ({ ...plate, ...partOf(alert) }));
  await insertRows(tx, 'alert_plates', rows);
}

/** Replaces the receivers of an alert. A receiver with an unchanged address keeps its id. */
export async function replaceAlertReceivers(
  tx: Db,
  alert: { id: number; receivers: readonly NewAlertReceiver[]; now: number },
): Promise<void> {
  const before = await tx
    .selectFrom('alert_receivers')
    .select(['id', 'receiver_email'])
    .where('license_plate_alert_id', '=', alert.id)
    .execute();
  const kept = new Set(alert.receivers.map(({ receiver_email }) => receiver_email));
  const gone = before.filter(({ receiver_email }) => !kept.has(receiver_email)).map(({ id }) => id);
  for (const ids of inPieces(gone, ROWS_OF_STATEMENT_MAX)) {
    await tx.deleteFrom('alert_receivers').where('id', 'in', ids).execute();
  }
  const rows = alert.receivers.map((receiver) => ({ ...receiver, ...partOf(alert) }));
  for (const piece of inPieces(rows, ROWS_OF_STATEMENT_MAX)) {
    await tx
      .insertInto('alert_receivers')
      .values(piece)
      .onConflict((conflict) =>
        conflict
          .columns(['license_plate_alert_id', 'receiver_email'])
          .doUpdateSet((eb) => ({ name: eb.ref('excluded.name'), updated_at: eb.ref('excluded.updated_at') })),
      )
      .execute();
  }
}

const partOf = ({ id, now }: { id: number; now: number }) => ({
  license_plate_alert_id: id,
  created_at: now,
  updated_at: now,
});

/** @returns whether the receiver still existed */
export async function deleteAlertReceiver(tx: Db, receiver: { id: number; alert_id: number }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('alert_receivers')
    .where('id', '=', receiver.id)
    .where('license_plate_alert_id', '=', receiver.alert_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
