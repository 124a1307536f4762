/** A program that is killed inside a migration: `node cloud-store-migration-crasher.js PATH`. */
import { Kysely } from 'kysely';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { migrateToLatest } from '../../cloud/kernel/store/migrate.js';
import { openSqliteConnection } from '../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../cloud/kernel/store/sqlite/sqlite-dialect.js';

const connection = await openSqliteConnection({ path: process.argv[2] ?? '', readonly: false, busyTimeoutMs: 5_000 });
const db = new Kysely<unknown>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
const halfWay = {
  async up(tx: Kysely<unknown>) {
    await MIGRATIONS['0001-baseline']?.up(tx);
    process.stdout.write('half-way\n');
    await new Promise(() => {});
  },
};
await migrateToLatest(db, { '0001-baseline': halfWay });
