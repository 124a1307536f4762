import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteConnection } from '../../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../../cloud/kernel/store/sqlite/sqlite-dialect.js';
import { addValueChecks, dropValueChecks } from '../../../cloud/kernel/store/sqlite/value-checks.js';

describe('the checks of the numbers of a SQLite database', () => {
  let directory: string;
  let db: Kysely<unknown>;
  const run = (statement: string) => sql.raw(statement).execute(db);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'value-checks-'));
    const path = join(directory, 'cloud.db');
    const connection = await openSqliteConnection({ path, readonly: false, busyTimeoutMs: 5_000 });
    db = new Kysely<unknown>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
    await run('create table t (n integer, d double precision, s text)');
  });
  afterEach(async () => {
    await db.destroy();
    await rm(directory, { recursive: true });
  });

  it('refuse what a column of PostgreSQL refuses, and are made once', async () => {
    await run("insert into t values (2, 0.5, 'a'), (null, null, 'b')");
    for (let time = 0; time < 2; time++) await addValueChecks(db);
    await expect(run("insert into t values (1.5, 0, 'c')")).rejects.toMatchObject({ code: 'constraint' });
    await expect(run("update t set d = 'half'")).rejects.toMatchObject({ code: 'constraint' });
  });

  it('are not made, on any table, where a row breaks one', async () => {
    await run('create table a (n integer)');
    await run("insert into t values ('one', 0, 'a')");
    await expect(addValueChecks(db)).rejects.toMatchObject({ code: 'constraint' });
    await run("insert into a values ('two')");
  });

  it('follow the columns', async () => {
    await addValueChecks(db);
    await dropValueChecks(db);
    await run('alter table t drop column d');
    await run('alter table t add column d bigint');
    await addValueChecks(db);
    await expect(run('insert into t (d) values (0.5)')).rejects.toMatchObject({ code: 'constraint' });
    await run('alter table t add column e bigint');
    await addValueChecks(db);
    await expect(run('insert into t (e) values (0.5)')).rejects.toMatchObject({ code: 'constraint' });
  });
});
