import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';

/** Lists the keys of all terminals that have one. */
export async function terminalKeys(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('terminals').select('public_key').where('public_key', 'is not', null).execute();
  return rows.flatMap(({ public_key }) => public_key ?? []);
}

export async function saveTerminalStatus(
  tx: Db,
  terminal: { public_key: string; status: 'online' | 'offline'; now: number },
): Promise<void> {
  const { public_key, status, now } = terminal;
  await tx
    .updateTable('terminals')
    .set({ status, ...(status === 'online' ? { last_seen: now } : {}) })
    .where('public_key', '=', public_key)
    .execute();
}

export async function isTerminalKnown(db: Db, device_id: string): Promise<boolean> {
  const row = await db.selectFrom('terminals').select('id').where('device_id', '=', device_id).executeTakeFirst();
  return row !== undefined;
}

/** Whether a terminal is registered with this key. */
export async function isTerminalKeyKnown(db: Db, public_key: string): Promise<boolean> {
  const row = await db
    .selectFrom('terminals')
    .select('id')
    .where('public_key', '=', public_key)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export const terminalsByIds = (db: Db, ids: readonly number[]): Promise<Row<'terminals'>[]> =>
  db.selectFrom('terminals').selectAll().where('id', 'in', ids).execute();

/** The tables of the list of terminals. A terminal is in no zone until it is assigned to one. */
export const terminalsWithZones = (db: Db) =>
  db.selectFrom('terminals').leftJoin('zones', 'zones.id', 'terminals.zone_id');
