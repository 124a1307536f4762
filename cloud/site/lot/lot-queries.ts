/** Reads lots and assigns them to users. */
import { countedZone, isZoneKnown } from '../../../shared/counted-zone.js';
import { type Db, deletedAt, type GoneRows, type Row, type Tx } from '../../kernel/store/entry.js';
import { knownLots } from '../../rest/entry.js';

export const lotsByIds = (db: Db, ids: readonly number[]): Promise<Row<'lots'>[]> =>
  db.selectFrom('lots').selectAll().where('id', 'in', ids).execute();

/** Finds the account of a lot. */
export async function findLotScope(db: Db, id: number): Promise<{ account_id: number; lot_id: number } | null> {
  const lot = await db.selectFrom('lots').select(['id', 'account_id']).where('id', '=', id).executeTakeFirst();
  return lot === undefined ? null : { account_id: lot.account_id, lot_id: lot.id };
}

/** An emergency: everything in the lot is held open. */
export type LotRelease = Pick<Row<'lots'>, 'released_at' | 'released_by' | 'release_ordered_at'>;

const NOT_RELEASED = { released_at: null, released_by: null };

/** @param lot_id null: a product of no lot asks */
export async function findLotRelease(db: Db, lot_id: number | null): Promise<LotRelease> {
  const none = { ...NOT_RELEASED, release_ordered_at: null };
  if (lot_id === null) return none;
  const columns = ['released_at', 'released_by', 'release_ordered_at'] as const;
  const lot = await db.selectFrom('lots').select(columns).where('id', '=', lot_id).executeTakeFirst();
  return lot ?? none;
}

/** An order to hold everything in a lot open, or to end that. */
export interface ReleaseOrder {
  lot_id: number;
  /** The name of who releases it; null: the release ends. */
  released_by: string | null;
  /**
   * Where it was given. The one that the cloud took last counts, whatever time a device states. One that was given at a gateway `cut_off` from
   * the cloud, and comes late, loses to what a person ordered at the cloud after it.
   */
  from: 'cloud' | 'gateway' | 'cut_off_gateway';
  /** When it was given. A time after `now` counts as now. */
  at: number;
  /** The cloud's time at which it is taken. */
  now: number;
}

/**
 * Keeps an order about the release of a lot. A release that holds already goes on: it has been open since then.
 * @returns whether the order counts
 */
export async function saveReleaseOrder(
  tx: Tx,
  { lot_id, released_by, from, ...times }: ReleaseOrder,
): Promise<boolean> {
  const { now } = times;
  const at = Math.min(times.at, now);
  const { numUpdatedRows } = await tx
    .updateTable('lots')
    .set(({ fn, val }) => ({
      ...(released_by === null
        ? NOT_RELEASED
        : {
            released_at: fn.coalesce('released_at', val(at)),
            released_by: fn.coalesce('released_by', val(released_by)),
          }),
      ...(from === 'cloud' ? { release_changed_at: now } : {}),
      release_ordered_at: now,
    }))
    .where('id', '=', lot_id)
    .$if(from === 'cut_off_gateway', (order) =>
      order.where(({ eb, fn, lit }) => eb(fn.coalesce('release_changed_at', lit(0)), '<=', at)),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function lotIdsOfAccount(db: Db, account_id: number): Promise<number[]> {
  const rows = await db.selectFrom('lots').select('id').where('account_id', '=', account_id).execute();
  return rows.map(({ id }) => id);
}

/** Returns the time zones, as IANA names, in which lots are counted: UTC for one that this machine does not know. */
export async function timezonesOfLots(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await knownLots(db).where('lots.id', 'in', ids).select(['lots.id', 'lots.timezone']).execute();
  return new Map(rows.map(({ id, timezone }) => [id, countedZone(timezone)]));
}

/** The time zone in which a lot is counted. @param id null: of no lot, which is UTC */
export async function timezoneOfLot(db: Db, id: number | null): Promise<string> {
  return (id === null ? undefined : (await timezonesOfLots(db, [id])).get(id)) ?? 'UTC';
}

/** Whether there is anything in a lot that a person put up: what its deletion would take along, or leave without a lot. */
export async function hasEquipment(db: Db, lot_id: number): Promise<boolean> {
  const ofLot = ['gateways', 'products', 'parking_gateways', 'parking_places', 'rgb_displays'] as const;
  const ofZone = ['lpr_cameras', 'terminals'] as const;
  const found = await Promise.all([
    ...ofLot.map((table) => db.selectFrom(table).select('id').where('lot_id', '=', lot_id).limit(1).execute()),
    ...ofZone.map((table) =>
      db
        .selectFrom(table)
        .select('id')
        .where('zone_id', 'in', db.selectFrom('zones').select('id').where('lot_id', '=', lot_id))
        .limit(1)
        .execute(),
    ),
  ]);
  return found.some((rows) => rows.length > 0);
}

/** Lists the time zones of all lots that this machine does not know, and so counts in UTC. */
export async function unknownZones(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('lots').select('timezone').distinct().orderBy('timezone').execute();
  return rows.map(({ timezone }) => timezone).filter((timezone) => !isZoneKnown(timezone));
}

/** Assigns a lot to a user, who can see it from then on. */
export async function assignLot(tx: Db, pair: { account_user_id: number; lot_id: number }): Promise<void> {
  await tx.insertInto('account_user_lots').values(pair).execute();
}

const KEPT_OF_LOTS = ['id', 'account_id', 'name', 'timezone', 'created_at', 'updated_at'] as const;

/** Keeps lots that are being deleted. */
export async function keepLots(tx: Db, { ids, now }: GoneRows): Promise<void> {
  const lots = tx
    .selectFrom('lots')
    .select([...KEPT_OF_LOTS, deletedAt(now)])
    .where('id', 'in', ids);
  await tx
    .insertInto('deleted_lots')
    .columns([...KEPT_OF_LOTS, 'deleted_at'])
    .expression(lots)
    .execute();
}
