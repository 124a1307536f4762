import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

it('migrations are numbered in the order in which they run: a new one never comes before one that ran', () => {
  for (const [at, name] of Object.keys(MIGRATIONS).entries())
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, '0')}-[a-z-]+$`));
});

describe('a database that another version left', () => {
  let directory: string;
  let store: CloudStore;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'migrations-'));
    store = await openMigratedStore({
      url: `sqlite:${directory}/cloud.db`,
      clock: new FakeClock(),
      logger: silentLogger,
    });
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const run = (statement: string) => store.change((tx) => sql.raw(statement).execute(tx));
  /** The names of migrations, and the tables with their checks. */
  const schema = async () => [
    (await sql`select name from kysely_migration order by name`.execute(store.reader)).rows,
    (await store.reader.introspection.getTables()).toSorted((a, b) => a.name.localeCompare(b.name)),
  ];

  it('gets what this one adds, and its new columns are checked like the others', async () => {
    const next = {
      up: (db: CloudStore['reader']) => db.schema.alterTable('lot_plans').addColumn('width', 'integer').execute(),
    };
    const migrations = { ...MIGRATIONS, '9999-next': next };
    expect(await store.migrate(migrations)).toEqual(['9999-next']);
    expect(await store.migrate(migrations)).toEqual([]);
    const plan = (width: string) => `insert into lot_plans (lot_id, items, width, created_at, updated_at)
      select id, '[]', ${width}, 1, 1 from (select 1 as id) as lot`;
    await expect(run(plan("'wide'"))).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('is refused when that was a newer one, and stays as it is', async () => {
    await run("insert into kysely_migration values ('9999-flying-cars', '')");
    const before = await schema();
    await expect(store.migrate(MIGRATIONS)).rejects.toThrow(
      'The database is of a newer version (9999-flying-cars). Start the version that changed it, or restore a backup',
    );
    expect(await schema()).toEqual(before);
  });

  it('is refused when that was one from before the first release, and stays as it is', async () => {
    await run("update kysely_migration set name = '0000-first' where name = '0001-baseline'");
    const before = await schema();
    await expect(store.migrate(MIGRATIONS)).rejects.toThrow(
      'A version from before the first release made this database. Name an empty database in DATABASE_URL, and declare the site there with parking-cloud apply',
    );
    expect(await schema()).toEqual(before);
  });
});
