/** Alerts, displays, terminals and weblinks, with all that their records show. */
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';
import { byOwner, type NamedThing } from './site-records.js';

const ROWS_PER_STATEMENT = 500;

/** Their columns without the times. */
export type NewAlertPlate = Pick<Row<'alert_plates'>, 'plate' | 'plate_normalised'>;
export type NewAlertReceiver = Pick<Row<'alert_receivers'>, 'name' | 'receiver_email'>;

export type AlertRow = Row<'license_plate_alerts'> & {
  /** As they were given. */
  plates: string[];
  zone: NamedThing | null;
  receivers: (NamedThing & { receiver_email: string })[];
};

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

/** The alert watches these plates, in this order, and no others. */
export async function replaceAlertPlates(
  tx: Db,
  alert: { id: number; plates: readonly NewAlertPlate[]; now: number },
): Promise<void> {
  await tx.deleteFrom('alert_plates').where('license_plate_alert_id', '=', alert.id).execute();
  const rows = alert.plates.map((plate) => ({ ...plate, ...partOf(alert) }));
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('alert_plates')
      .values(rows.slice(from, from + ROWS_PER_STATEMENT))
      .execute();
  }
}

/** The alert mails these people and no others. Who was among them before keeps its id. */
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
  for (let from = 0; from < gone.length; from += ROWS_PER_STATEMENT) {
    await tx
      .deleteFrom('alert_receivers')
      .where('id', 'in', gone.slice(from, from + ROWS_PER_STATEMENT))
      .execute();
  }
  const rows = alert.receivers.map((receiver) => ({ ...receiver, ...partOf(alert) }));
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('alert_receivers')
      .values(rows.slice(from, from + ROWS_PER_STATEMENT))
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

/** @returns whether it was there */
export async function deleteAlertReceiver(tx: Db, receiver: { id: number; alert_id: number }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('alert_receivers')
    .where('id', '=', receiver.id)
    .where('license_plate_alert_id', '=', receiver.alert_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

export const displaysByIds = (db: Db, ids: readonly number[]): Promise<Row<'rgb_displays'>[]> =>
  db.selectFrom('rgb_displays').selectAll().where('id', 'in', ids).execute();

export const displayRulesByIds = (db: Db, ids: readonly number[]): Promise<Row<'rgb_display_rules'>[]> =>
  db.selectFrom('rgb_display_rules').selectAll().where('id', 'in', ids).execute();

/** The highest `order` of a display's rules; 0 without any. */
export async function lastRuleOrder(db: Db, rgb_display_id: number): Promise<number> {
  const { last } = await db
    .selectFrom('rgb_display_rules')
    .select(({ fn }) => fn.max<number | null>('order').as('last'))
    .where('rgb_display_id', '=', rgb_display_id)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

export const terminalsByIds = (db: Db, ids: readonly number[]): Promise<Row<'terminals'>[]> =>
  db.selectFrom('terminals').selectAll().where('id', 'in', ids).execute();

export const weblinksByIds = (db: Db, ids: readonly string[]): Promise<Row<'weblinks'>[]> =>
  db.selectFrom('weblinks').selectAll().where('id', 'in', ids).execute();

export async function insertWeblink(tx: Db, row: NewRow<'weblinks'>): Promise<Row<'weblinks'>> {
  return tx.insertInto('weblinks').values(row).returningAll().executeTakeFirstOrThrow();
}

/** @returns the row as it is then; undefined when it is gone or was revoked */
export function updateWeblink(
  tx: Db,
  id: string,
  set: { [Name in keyof Row<'weblinks'>]?: Row<'weblinks'>[Name] | undefined },
): Promise<Row<'weblinks'> | undefined> {
  return tx
    .updateTable('weblinks')
    .set(set)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** A link that works now: not revoked, in its window, and the key it was sent with, if any, active in its own. */
export function findLiveWeblink(db: Db, id: string, now: number): Promise<Row<'weblinks'> | undefined> {
  return db
    .selectFrom('weblinks')
    .leftJoin('operation_tokens as key', 'key.id', 'weblinks.operation_token_id')
    .selectAll('weblinks')
    .where('weblinks.id', '=', id)
    .where('weblinks.revoked_at', 'is', null)
    .where('weblinks.start_time', '<=', now)
    .where((eb) => eb.or([eb('weblinks.end_time', 'is', null), eb('weblinks.end_time', '>', now)]))
    .where((eb) => {
      const isUnended = eb.or([eb('key.end_time', 'is', null), eb('key.end_time', '>', now)]);
      const isActive = eb.and([eb('key.status', '=', 'active'), eb('key.start_time', '<=', now), isUnended]);
      return eb.or([eb('weblinks.operation_token_id', 'is', null), isActive]);
    })
    .executeTakeFirst();
}

/** One more use of a link, and of the key it was sent with. */
export async function countWeblinkUse(
  tx: Db,
  link: Pick<Row<'weblinks'>, 'id' | 'operation_token_id'>,
  use: { event_id: string; now: number },
): Promise<void> {
  await tx
    .updateTable('weblinks')
    .set((eb) => ({ used_count: eb('used_count', '+', 1), last_event_id: use.event_id, updated_at: use.now }))
    .where('id', '=', link.id)
    .execute();
  if (link.operation_token_id === null) return;
  await tx
    .updateTable('operation_tokens')
    .set((eb) => ({ used_count: eb('used_count', '+', 1), updated_at: use.now }))
    .where('id', '=', link.operation_token_id)
    .execute();
}
