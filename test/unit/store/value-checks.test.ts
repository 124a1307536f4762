import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteConnection } from '../../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../../../cloud/kernel/store/sqlite/sqlite-dialect.js';
import { addValueChecks, dropValueChecks } from '../../../cloud/kernel/store/sqlite/value-checks.js';

describe('the checks of a SQLite database that is older than they are', () => {
  let directory: string;
  let db: Kysely<unknown>;
  const run = (statement: string) => sql.raw(statement).execute(db);
  const values = async () => (await run('select n, d from t')).rows;

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

  it('round what is there, and refuse what comes', async () => {
    await run("insert into t values (1.75, 0.5, 'a'), (null, null, 'b')");
    expect(await addValueChecks(db)).toEqual([]);
    expect(await values()).toEqual([
      { n: 2, d: 0.5 },
      { n: null, d: null },
    ]);
    await expect(run("insert into t values (1.5, 0, 'c')")).rejects.toMatchObject({ code: 'constraint' });
    await expect(run("update t set d = 'half'")).rejects.toMatchObject({ code: 'constraint' });
    expect(await addValueChecks(db)).toEqual([]);
  });

  it('leave out a table whose rows they cannot mend, and name it', async () => {
    await run("insert into t values ('one', 0, 'a')");
    expect(await addValueChecks(db)).toEqual(['t']);
    await run('delete from t');
    expect(await addValueChecks(db)).toEqual([]);
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
