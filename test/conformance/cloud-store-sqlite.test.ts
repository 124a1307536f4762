import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { migrateToLatest } from '../../cloud/kernel/store/migrate.js';
import { openSqliteConnection } from '../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../cloud/kernel/store/sqlite/sqlite-dialect.js';
import { createCloudStore } from '../../cloud/kernel/store/sqlite/sqlite-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { accountRow } from './account-row.js';
import { cloudStoreConformance } from './cloud-store-conformance.js';

const openStore = (url: string) => createCloudStore({ url, clock: systemClock, logger: silentLogger });

async function createDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'cloud-store-'));
}

cloudStoreConformance('sqlite', async () => {
  const directory = await createDirectory();
  const url = `sqlite:${join(directory, 'data', 'cloud.db')}`;
  return {
    open: (clock, logger) => createCloudStore({ url, clock, logger }),
    crasher: [process.execPath, fileURLToPath(new URL('./cloud-store-crasher.js', import.meta.url)), url],
    remove: () => rm(directory, { recursive: true }),
  };
});

async function tables(db: Kysely<unknown>): Promise<string[]> {
  const found = await db.introspection.getTables();
  return found.map(({ name }) => name).toSorted();
}

describe('migrations on SQLite', () => {
  let directory: string;
  let path: string;
  const open = async () => {
    const connection = await openSqliteConnection({ path, readonly: false, busyTimeoutMs: 5_000 });
    return new Kysely<unknown>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
  };

  beforeEach(async () => {
    directory = await createDirectory();
    path = join(directory, 'cloud.db');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('leave nothing of one that fails, and of those before it', async () => {
    const db = await open();
    const migrations = {
      '1-good': { up: (tx: Kysely<unknown>) => tx.schema.createTable('good').addColumn('id', 'integer').execute() },
      '2-bad': {
        async up(tx: Kysely<unknown>) {
          await tx.schema.createTable('bad').addColumn('id', 'integer').execute();
          throw new Error('no more');
        },
      },
    };
    const failing = migrateToLatest(db, migrations);
    await expect(failing).rejects.toThrow('Migration 2-bad failed; nothing was changed: no more');
    expect(await tables(db)).toEqual([]);
    const { '1-good': good } = migrations;
    expect(await migrateToLatest(db, { '1-good': good })).toEqual(['1-good']);
    expect(await tables(db)).toEqual(['good']);
    await db.destroy();
  });

  it('leave nothing of one that is killed half-way', async () => {
    const script = fileURLToPath(new URL('./cloud-store-migration-crasher.js', import.meta.url));
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const [said] = (await Promise.race([once(child.stdout, 'data'), exited])) as [Buffer];
    expect(String(said)).toBe('half-way\n');
    child.kill('SIGKILL');
    await exited;
    const db = await open();
    expect(await tables(db)).toEqual([]);
    await db.destroy();
    const store = await createCloudStore({ url: `sqlite:${path}`, clock: systemClock, logger: silentLogger });
    expect(await store.migrate(MIGRATIONS)).toContain('0001-baseline');
    await store.close();
  });
});

describe('a SQLite file locked by another process', () => {
  it('is given up after a while, and can be written once it is free', async () => {
    const directory = await createDirectory();
    const options = { path: join(directory, 'cloud.db'), readonly: false, busyTimeoutMs: 10 };
    const holder = await openSqliteConnection(options);
    const connection = await openSqliteConnection(options);
    const db = new Kysely<unknown>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
    await holder.query('begin immediate');
    const work = () =>
      db.transaction().execute((tx) => tx.schema.createTable('t').addColumn('id', 'integer').execute());
    await expect(work()).rejects.toMatchObject({ name: 'StoreError', code: 'locked' });
    await holder.query('commit');
    await work();
    expect(await tables(db)).toEqual(['t']);
    await db.destroy();
    await holder.close();
    await rm(directory, { recursive: true });
  });
});

describe('the SQLite file', () => {
  it('is for its owner only', async () => {
    const directory = await createDirectory();
    const store = await openStore(`sqlite:${join(directory, 'data', 'cloud.db')}`);
    await store.migrate(MIGRATIONS);
    for (const file of ['cloud.db', 'cloud.db-wal', 'cloud.db-shm']) {
      expect((await stat(join(directory, 'data', file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('is whole when it is closed: nothing is left in a log beside it, whoever read it', async () => {
    const directory = await createDirectory();
    for (const isRead of [false, true]) {
      const store = await openStore(`sqlite:${join(directory, 'cloud.db')}`);
      await store.migrate(MIGRATIONS);
      await store.change((tx) =>
        tx
          .insertInto('accounts')
          .values(accountRow(String(isRead)))
          .execute(),
      );
      if (isRead) await store.reader.selectFrom('accounts').selectAll().execute();
      await store.close();
      expect(await readdir(directory)).toEqual(['cloud.db']);
    }
    await rm(directory, { recursive: true });
  });

  it('is refused by its name when it is no database or its folder is missing', async () => {
    const notADatabase = fileURLToPath(import.meta.url);
    await expect(openStore(`sqlite:${notADatabase}`)).rejects.toThrow(/not a database.*cloud-store-sqlite/);
    await expect(openStore('sqlite:/dev/null/x/cloud.db')).rejects.toThrow('/dev/null/x/cloud.db');
    await expect(openStore('sqlite::memory:')).rejects.toThrow('sqlite:PATH');
    await expect(openStore('mysql://x')).rejects.toThrow('sqlite:PATH');
  });
});
