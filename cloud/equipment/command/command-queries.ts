/** Reads and writes the commands of people, and the attempts of gateways at them. */
import type { AttemptOutcome } from './command-machine.js';
import { type Db, LOCKS, type NewRow, type Row, type Tx } from '../../kernel/store/entry.js';

export interface StoredCommand {
  command: Row<'commands'>;
  /** In the order in which they were begun. */
  attempts: Row<'command_attempts'>[];
}

export async function findCommand(db: Db, event_id: string): Promise<StoredCommand | null> {
  const command = await db.selectFrom('commands').selectAll().where('event_id', '=', event_id).executeTakeFirst();
  if (command === undefined) return null;
  const attempts = await db
    .selectFrom('command_attempts')
    .selectAll()
    .where('event_id', '=', event_id)
    .orderBy('id')
    .execute();
  return { command, attempts };
}

/** A command with the rows that its representation needs. */
export interface CommandDetails {
  account_id: number;
  lot_id: number | null;
  command: Row<'commands'>;
  /** `gateway_uuid` null: the gateway had none. */
  attempts: (Row<'command_attempts'> & { gateway_uuid: string | null })[];
}

export async function findCommandDetails(db: Db, event_id: string): Promise<CommandDetails | null> {
  const command = await db.selectFrom('commands').selectAll().where('event_id', '=', event_id).executeTakeFirst();
  if (command === undefined) return null;
  const attempts = await db
    .selectFrom('command_attempts')
    .leftJoin('gateways', 'gateways.id', 'command_attempts.gateway_id')
    .leftJoin('deleted_gateways', 'deleted_gateways.id', 'command_attempts.gateway_id')
    .selectAll('command_attempts')
    .select(({ fn }) => fn.coalesce('gateways.uuid', 'deleted_gateways.uuid').as('gateway_uuid'))
    .where('event_id', '=', event_id)
    .orderBy('command_attempts.id')
    .execute();
  return { account_id: command.account_id, lot_id: command.lot_id, command, attempts };
}

/** Lists the commands of these products that have not ended. */
export async function pendingCommandsOf(
  tx: Tx,
  product_ids: readonly number[],
): Promise<Pick<Row<'commands'>, 'product_id' | 'operation'>[]> {
  if (product_ids.length === 0) return [];
  await tx.lock(...product_ids.map(LOCKS.pendingCommands));
  return tx
    .selectFrom('commands')
    .select(['product_id', 'operation'])
    .where('product_id', 'in', [...product_ids])
    .where('ended_at', 'is', null)
    .execute();
}

/** @returns false when the event_id is in use */
export async function insertCommand(db: Db, row: NewRow<'commands'>): Promise<boolean> {
  const inserted = await db
    .insertInto('commands')
    .values(row)
    .onConflict((conflict) => conflict.column('event_id').doNothing())
    .returning('event_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function saveCommandEnd(
  db: Db,
  command: Pick<Row<'commands'>, 'event_id' | 'gateway_error_type'> & {
    status: 'succeeded' | 'failed';
    ended_at: number;
  },
): Promise<void> {
  const { event_id, ...columns } = command;
  await db.updateTable('commands').set(columns).where('event_id', '=', event_id).execute();
}

export async function insertAttempt(
  db: Db,
  row: Pick<Row<'command_attempts'>, 'event_id' | 'gateway_id' | 'rssi' | 'started_at'>,
): Promise<void> {
  await db
    .insertInto('command_attempts')
    .values({ ...row, ended_at: null, outcome: null })
    .execute();
}

export async function saveAttemptOutcome(
  db: Db,
  attempt: { event_id: string; gateway_id: number; outcome: AttemptOutcome; ended_at: number },
): Promise<void> {
  const { event_id, gateway_id, ...columns } = attempt;
  await db
    .updateTable('command_attempts')
    .set(columns)
    .where('event_id', '=', event_id)
    .where('gateway_id', '=', gateway_id)
    .execute();
}

export function runningAttempts(db: Db): Promise<Row<'command_attempts'>[]> {
  return db.selectFrom('command_attempts').selectAll().where('ended_at', 'is', null).orderBy('id').execute();
}

/** Lists the commands that were requested for a product since `since`, the oldest first; commands of an emergency are left out. */
export function commandsSince(
  db: Db,
  { product_id, since }: { product_id: number; since: number },
): Promise<Pick<Row<'commands'>, 'command' | 'created_at'>[]> {
  return db
    .selectFrom('commands')
    .select(['command', 'created_at'])
    .where('product_id', '=', product_id)
    .where('created_at', '>', since)
    .where('is_emergency', '=', 0)
    .orderBy('created_at')
    .execute();
}

/** Lists the attempts of a gateway that run. */
export function runningAttemptsOf(db: Db, gateway_id: number): Promise<Row<'command_attempts'>[]> {
  return db
    .selectFrom('command_attempts')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('gateway_id', '=', gateway_id)
    .orderBy('id')
    .execute();
}

/** Counts the attempts that run at each of these gateways; one without any is left out. */
export async function runningAttemptCounts(db: Db, gateway_ids: readonly number[]): Promise<Map<number, number>> {
  if (gateway_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('command_attempts')
    .select(['gateway_id', ({ fn }) => fn.countAll<number | string>().as('count')])
    .where('ended_at', 'is', null)
    .where('gateway_id', 'in', [...gateway_ids])
    .groupBy('gateway_id')
    .execute();
  return new Map(rows.map(({ gateway_id, count }) => [gateway_id, Number(count)]));
}

/** Finds the gateways at which an attempt at a command of this product runs. */
export async function gatewaysAtProduct(db: Db, product_id: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('command_attempts')
    .innerJoin('commands', 'commands.event_id', 'command_attempts.event_id')
    .select('command_attempts.gateway_id')
    .where('command_attempts.ended_at', 'is', null)
    .where('commands.product_id', '=', product_id)
    .execute();
  return new Set(rows.map(({ gateway_id }) => gateway_id));
}

/** Removes commands that ended, with their attempts. */
export async function pruneCommands(db: Db, before: number): Promise<void> {
  const old = db
    .selectFrom('commands')
    .select('event_id')
    .where('created_at', '<', before)
    .where('ended_at', 'is not', null);
  await db.deleteFrom('command_attempts').where('event_id', 'in', old).execute();
  await db.deleteFrom('commands').where('created_at', '<', before).where('ended_at', 'is not', null).execute();
}
