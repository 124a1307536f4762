import { sql } from 'kysely';
import type { Schema, Tables } from '../store/create-tables.js';
import { adapterOf } from '../store/database-adapter.js';
import type { Flag, TablesOf } from '../store/table-types.js';

declare module '../store/schema.js' {
  interface Database extends TablesOf<typeof PEER_BASELINE> {}
}

export const PEER_BASELINE = {
  /** A cloud process that works on the database. */
  cloud_processes: {
    columns: {
      id: 'key',
      /** It counts this up every second: one whose count stands still is dead or frozen. */
      beat: 'bigint',
      /** Whether it has a connection to the broker, so that it can have gateways. */
      is_hearing: 'integer' as Flag,
      started_at: 'bigint',
    },
    after: createGuard,
  },
  /** The process that hears the gateways of a part (`gateway-parts.ts`). */
  gateway_leases: {
    columns: {
      part: 'integer',
      /** `cloud_processes.id` */
      owner: 'text',
    },
    primaryKey: ['part'],
  },
} satisfies Tables;

/** What the transactions of a process begin with: one that others have taken for dead writes nothing any more. */
async function createGuard(db: Schema): Promise<void> {
  if (!adapterOf(db).speaksPlpgsql) return;
  const body = `begin
    if not exists (select 1 from cloud_processes where cloud_processes.id = process) then
      raise exception 'this process was taken for dead, and others have taken over what it did' using errcode = 'PC001';
    end if;
  end`;
  await sql`
    create function require_cloud_process(process text) returns void language plpgsql stable as ${sql.lit(body)}
  `.execute(db);
}
