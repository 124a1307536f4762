/** Releases of the gateways' software, which part of the gateways shall have each, and when a lot's gateways may exchange theirs. */
import {
  BIG,
  create,
  ID,
  INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  optionalPartOf,
  partOf,
  type Schema,
  TEXT,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'releases', {
    columns: {
      id: ID,
      machine: TEXT,
      version: TEXT,
      bytes: BIG,
      sha256: TEXT,
      security_floor: OPTIONAL_TEXT,
      notes: TEXT,
      is_signature_checked: INTEGER,
      is_paused: INTEGER,
      ...TIMESTAMPS,
    },
    unique: [['sha256'], ['machine', 'version']],
  });
  await create(db, 'release_rings', {
    columns: { id: ID, release_id: partOf('releases'), account_id: optionalPartOf('accounts'), percent: INTEGER },
    indices: [['release_id'], ['account_id']],
  });
  await create(db, 'gateway_updates', {
    columns: { id: ID, gateway_id: partOf('gateways'), is_paused: INTEGER, asked_at: OPTIONAL_TIME },
    unique: [['gateway_id']],
  });
  await db.schema.alterTable('lots').addColumn('update_hours', 'text').execute();
}
