/** What the database keeps unique over all accounts tells each of them, by a refusal, what others have: it may be nothing that anybody can guess. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestLog } from '../../world/test-log.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { onPostgres } from '../../world/postgres-databases.js';

/** Columns that name a row which is of one account, so that what is unique beside them is unique within it. */
const OF_ONE_ACCOUNT =
  /^(?:account|account_user|api_token|gateway|group|license_plate_alert|lot|lpr_camera|member|operation_token|owner|parking_place|product|webhook|zone)_id$/;
/** Values that are random and long, or made by the service for itself. */
const NOT_TO_BE_GUESSED = new Set([
  'api_tokens token_hash',
  'user_tokens token_hash',
  'gateways claim_code_hash',
  // Of the service itself: no account makes one.
  'releases machine,version',
  'releases sha256',
  // Of those that were claimed, by which they sign in; the threat model says what it tells.
  'gateways uuid',
  'commands event_id',
  'weblinks id',
  'sessions public_id',
  'sessions uid',
  'plate_readings uid',
  'sightings uid',
  'early_let_ins uid',
  'images uid',
  'ingest_uids uid',
  'early_records uid',
  'audit_log previous_hash',
  'audit_counts key',
  'cloud_processes id',
  'idempotency_keys caller,route,key',
  'kysely_migration name',
  'kysely_migration_lock id',
]);

let folder: string;
let unique: { table: string; columns: string[] }[];

beforeAll(async () => {
  if (onPostgres()) return;
  folder = mkdtempSync(join(tmpdir(), 'unique-'));
  const path = join(folder, 'cloud.db');
  const { logger } = createTestLog();
  await (await openMigratedStore({ url: `sqlite:${path}`, clock: new FakeClock(), logger })).close();
  const db = new Database(path, { readonly: true });
  unique = db
    .prepare<[], { table: string; columns: string }>(
      `select tables.name as "table", (select group_concat(name) from pragma_index_info(indices.name)) as columns
       from sqlite_schema as tables join pragma_index_list(tables.name) as indices
       where tables.type = 'table' and indices."unique" = 1`,
    )
    .all()
    .map(({ table, columns }) => ({ table, columns: columns.split(',') }));
  db.close();
});
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(onPostgres())('what is unique', () => {
  it('is so within an account, or cannot be guessed', () => {
    const overall = unique
      .filter(({ columns }) => !columns.some((column) => OF_ONE_ACCOUNT.test(column)))
      .map(({ table, columns }) => `${table} ${columns.join()}`);
    expect(new Set(overall)).toEqual(NOT_TO_BE_GUESSED);
  });

  it.each([
    ['account_users', 'email'],
    ['products', 'device_id'],
    ['terminals', 'device_id'],
    ['lpr_cameras', 'device_id'],
    ['gateways', 'uuid'],
  ])('%s have their %s for each account', (table, column) => {
    const found = unique.filter((each) => each.table === table && each.columns.includes(column));
    expect(found.map(({ columns }) => columns)).toContainEqual(expect.arrayContaining(['account_id', column]));
  });
});
