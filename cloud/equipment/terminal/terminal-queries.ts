import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';

/** Lists all terminals that have a key, each with its stored status. */
export async function notedTerminals(db: Db): Promise<{ public_key: string; status: 'online' | 'offline' }[]> {
  const rows = await db.selectFrom('terminals').select(['public_key', 'status']).execute();
  return rows.flatMap(({ public_key, status }) => (public_key === null ? [] : [{ public_key, status }]));
}

/** Lists those of the keys that belong to registered terminals. */
export async function registeredOf(db: Db, keys: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('terminals').select('public_key').where('public_key', 'in', keys).execute();
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

export async function isTerminalKnown(db: Db, named: { account_id: number; device_id: string }): Promise<boolean> {
  const row = await db
    .selectFrom('terminals')
    .select('id')
    .where('account_id', '=', named.account_id)
    .where('device_id', '=', named.device_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the terminal with this key is another account's. */
export async function isTerminalOfAnother(tx: Tx, named: { account_id: number; public_key: string }): Promise<boolean> {
  await tx.lock(LOCKS.terminalKey(named.public_key));
  const row = await tx
    .selectFrom('terminals')
    .select('id')
    .where('public_key', '=', named.public_key)
    .where('account_id', '!=', named.account_id)
    .executeTakeFirst();
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
