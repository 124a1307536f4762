/**
 * Finds what keeps a thing from being deleted. A transaction acquires the locks of what it looks for first, so that no session or command
 * begins between the look and the deletion.
 */
import { OPERATION_UNFINISHED, VALIDATION } from '../../../shared/errors.js';
import { type Db, LOCKS } from '../../kernel/store/entry.js';
import type { Deciding, Hold } from '../../rest/entry.js';

/** A lot is held by its open sessions, and by the commands of its products that have not ended. */
export async function lotHeldBy(db: Deciding, lot_id: number): Promise<Hold | null> {
  const products = await db.selectFrom('products').select('id').where('lot_id', '=', lot_id).execute();
  const product_ids = products.map(({ id }) => id);
  await db.lock?.(LOCKS.openSessions(lot_id), ...product_ids.map(LOCKS.pendingCommands));
  return heldBySessions(await countOpenSessions(db, 'lot_id', lot_id)) ?? heldByCommand(db, product_ids);
}

/** A zone is held by its open sessions. */
export async function zoneHeldBy(db: Deciding, zone_id: number): Promise<Hold | null> {
  const zone = await db.selectFrom('zones').select('lot_id').where('id', '=', zone_id).executeTakeFirst();
  if (zone !== undefined) await db.lock?.(LOCKS.openSessions(zone.lot_id));
  return heldBySessions(await countOpenSessions(db, 'zone_id', zone_id));
}

/** A product is held by a command that has not ended. */
export async function productHeldBy(db: Deciding, product_id: number): Promise<Hold | null> {
  await db.lock?.(LOCKS.pendingCommands(product_id));
  return heldByCommand(db, [product_id]);
}

async function countOpenSessions(db: Db, column: 'lot_id' | 'zone_id', id: number): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where(column, '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function heldBySessions(count: number): Hold | null {
  if (count === 0) return null;
  const reason = count === 1 ? 'has 1 open session: close it first' : `has ${count} open sessions: close them first`;
  return { code: VALIDATION, reason };
}

async function heldByCommand(db: Db, product_ids: readonly number[]): Promise<Hold | null> {
  if (product_ids.length === 0) return null;
  const pending = await db
    .selectFrom('commands')
    .select('event_id')
    .where('product_id', 'in', product_ids)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (pending === undefined) return null;
  return {
    code: OPERATION_UNFINISHED,
    reason: `has the command ${pending.event_id}, which has not ended: wait for it`,
  };
}
