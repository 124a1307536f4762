/** Reads and writes plans of lots. */
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';
import { type PlanItem, thingOf } from './plan-payload.js';

export async function findPlan(
  db: Db,
  lot_id: number,
): Promise<{ items: readonly PlanItem[]; updated_at: number } | null> {
  const row = await db
    .selectFrom('lot_plans')
    .select(['items', 'updated_at'])
    .where('lot_id', '=', lot_id)
    .executeTakeFirst();
  return row === undefined ? null : { items: decodeJson(row.items), updated_at: row.updated_at };
}

export async function savePlan(tx: Db, plan: { lot_id: number; items: PlanItem[]; now: number }): Promise<void> {
  const { lot_id, now } = plan;
  const columns = { items: encodeJson(plan.items), updated_at: now };
  await tx
    .insertInto('lot_plans')
    .values({ lot_id, created_at: now, ...columns })
    .onConflict((conflict) => conflict.column('lot_id').doUpdateSet(columns))
    .execute();
}

/** Returns the names (`thingOf`) of everything in a lot that can be in its plan. */
export async function thingsOfLot(db: Db, lot_id: number): Promise<Set<string>> {
  const idsOf = (table: 'zones' | 'parking_places' | 'products') =>
    db.selectFrom(table).select('id').where('lot_id', '=', lot_id).execute();
  const cameras = db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .select('lpr_cameras.id')
    .where('zones.lot_id', '=', lot_id)
    .execute();
  const found = await Promise.all([
    idsOf('zones').then((rows) => rows.map(({ id }) => thingOf({ kind: 'zone', id }))),
    idsOf('parking_places').then((rows) => rows.map(({ id }) => thingOf({ kind: 'parking_place', id }))),
    idsOf('products').then((rows) => rows.map(({ id }) => thingOf({ kind: 'product', id }))),
    cameras.then((rows) => rows.map(({ id }) => thingOf({ kind: 'lpr_camera', id }))),
  ]);
  return new Set(found.flat());
}
