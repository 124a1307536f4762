/** The cloud processes that work on the database, and which of them hears which gateways. */
import { sql } from 'kysely';
import { create, INTEGER, isPostgres, KEY, type Schema, TEXT, TIME, BIG } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'cloud_processes', {
    columns: { id: KEY, beat: BIG, is_hearing: INTEGER, started_at: TIME },
  });
  await create(db, 'gateway_leases', {
    columns: { part: INTEGER, owner: TEXT },
    primaryKey: ['part'],
  });
  if (isPostgres(db)) await createGuard(db);
}

/** What the transactions of a process begin with: one that others have taken for dead writes nothing any more. */
async function createGuard(db: Schema): Promise<void> {
  const body = `begin
    if not exists (select 1 from cloud_processes where cloud_processes.id = process) then
      raise exception 'this process was taken for dead, and others have taken over what it did' using errcode = 'PC001';
    end if;
  end`;
  await sql`
    create function require_cloud_process(process text) returns void language plpgsql stable as ${sql.lit(body)}
  `.execute(db);
}
