import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../../cloud/doors/cli/apply.js';
import { runBackup } from '../../../cloud/doors/cli/backup.js';
import { backUpSqlite } from '../../../cloud/kernel/store/sqlite/sqlite-backup.js';
import { journalHeadOf } from '../../../cloud/kernel/store/journal-queries.js';
import { leapIfRestored } from '../../../cloud/kernel/store/leap-if-restored.js';
import { insertRow } from '../../../cloud/kernel/store/row-queries.js';
import { accountIds } from '../../../cloud/site/account/account-queries.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { type ApplyWorld, createApplyWorld } from '../site/apply-world.js';
import { FULL_SITE_TEXT } from '../site/full-site-text.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { recordIo } from '../../world/record-io.js';

const LOST = { gateway_id: 1, epoch: 'e', lane: 0, from_seq: 1, to_seq: 1, created_at: 1 };

let world: ApplyWorld;
let file: string;

beforeEach(async () => {
  world = await createApplyWorld();
  file = join(world.directory, 'copies', 'friday.db');
  mkdirSync(join(world.directory, 'copies'));
});
afterEach(() => world.close());

interface Given {
  to?: string;
  serverKey?: string | null;
  backUp?: typeof backUpSqlite;
  databaseUrl?: string;
}

async function backUp({ to = file, serverKey = null, backUp: doIt = backUpSqlite, databaseUrl }: Given = {}) {
  const { io, all: out } = recordIo();
  const url = databaseUrl ?? `sqlite:${join(world.directory, 'cloud.db')}`;
  const config = { dataDir: world.directory, serverKey, databaseUrl: url };
  const code = await runBackup({ file: to, config }, { backUp: doIt }, io);
  return { code, out };
}

const openCopy = (path: string) =>
  createCloudStore({ url: `sqlite:${path}`, clock: world.clock, logger: silentLogger });

describe('backup', () => {
  it('is not opened over the log that the former database left', async () => {
    await world.apply(FULL_SITE_TEXT);
    await backUp();
    const restored = join(world.directory, 'cloud-again.db');
    copyFileSync(file, restored);
    // What a killed cloud leaves: changes that are in its log alone.
    copyFileSync(join(world.directory, 'cloud.db-wal'), `${restored}-wal`);
    expect(statSync(`${restored}-wal`).size).toBeGreaterThan(0);
    await expect(openCopy(restored)).rejects.toThrow(
      `it is a backup, and ${restored}-wal is of the database that was there before and would damage it. Remove`,
    );
    rmSync(`${restored}-wal`);
    await (await openCopy(restored)).close();
    // From then on the log is its own.
    const opened = await openCopy(restored);
    await opened.change((tx) => tx.updateTable('lots').set({ name: 'Own' }).execute());
    for (const behind of ['', '-wal'])
      copyFileSync(`${restored}${behind}`, join(world.directory, `killed.db${behind}`));
    await opened.close();
    const killed = await openCopy(join(world.directory, 'killed.db'));
    expect(await killed.reader.selectFrom('lots').select('name').distinct().execute()).toEqual([{ name: 'Own' }]);
    await killed.close();
  });

  it('restores to a cloud that has everything, its secrets too', async () => {
    await world.apply(FULL_SITE_TEXT);
    const { code, out } = await backUp();
    expect(code).toBe(0);
    expect(out).toEqual([
      `database     ${file}`,
      `server keys  ${file}.keys (who has both can open every secret: keep them apart, and both of them)`,
      `Pictures are not in it: ${world.directory}/images.`,
      `To restore: into an empty DATA_DIR put ${file} as cloud.db and ${file}.keys as server-keys.json, and start the cloud on it.`,
    ]);
    expect(readdirSync(join(world.directory, 'copies')).toSorted()).toEqual(['friday.db', 'friday.db.keys']);
    for (const path of [file, `${file}.keys`]) expect(statSync(path).mode & 0o777).toBe(0o600);

    const restored = join(world.directory, 'restored');
    mkdirSync(restored);
    copyFileSync(file, join(restored, 'cloud.db'));
    copyFileSync(`${file}.keys`, join(restored, 'server-keys.json'));
    const { io, all: printed } = recordIo();
    const options = { file: join(world.directory, 'site.yaml'), prune: true, dryRun: false };
    const openStore = () => openCopy(join(restored, 'cloud.db'));
    // Whether a secret is the same can be told with the right keys only.
    const config = { ...world.config, dataDir: restored };
    expect(
      await runApply({ ...options, config }, { openStore, clock: world.clock, passwords: quickPasswords }, io),
    ).toBe(0);
    expect(printed.at(-1)).toBe('0 created, 0 changed, 25 unchanged.');
  });

  it('gives other numbers than the cloud that went on, and each life that begins with it other ones', async () => {
    await world.apply(FULL_SITE_TEXT);
    const begin = async (path: string, random: number) => {
      const store = await openCopy(path);
      const isRestored = await leapIfRestored({ store, clock: world.clock, random: () => random, accountIds });
      const id = await store.change((tx) => insertRow(tx, 'lost_records', LOST));
      const head = await journalHeadOf(store.reader, 1);
      await store.close();
      return { isRestored, id, head };
    };
    const original = join(world.directory, 'cloud.db');
    const before = await begin(original, 0);
    expect(before).toMatchObject({ isRestored: false, id: 1 });
    await backUp();
    expect(await begin(original, 0)).toEqual({ ...before, id: 2 });

    const lives = [];
    for (const random of [0.1, 0.2]) {
      const path = join(world.directory, `life-${random}.db`);
      copyFileSync(file, path);
      // A program that was killed before it had seen to it leaves it to the next one.
      await (await openCopy(path)).close();
      await world.clock.advance(1_000);
      const life = await begin(path, random);
      expect(await begin(path, random)).toEqual({ ...life, isRestored: false, id: life.id + 1 });
      lives.push(life);
    }
    expect(lives.map(({ isRestored }) => isRestored)).toEqual([true, true]);
    const ids = [before, ...lives].map(({ id }) => id);
    expect(ids.slice(1).every((id, at) => id > (ids[at] ?? 0) + 500_000)).toBe(true);
    const heads = [before, ...lives].map(({ head }) => head);
    expect(heads.slice(1).every((head, at) => head >= (heads[at] ?? 0) + 1_000)).toBe(true);
  });

  it('is of one moment, however busy the cloud is', async () => {
    await world.apply(FULL_SITE_TEXT);
    const { store } = world;
    const value = { event: 'gateway_status' as const, payload: 'x'.repeat(2_000), created_at: 1 };
    const ended = new AbortController();
    let written = 0;
    const busy = (async () => {
      // Each transaction writes two.
      while (!ended.signal.aborted) {
        await store.change(async (tx) => {
          await tx
            .insertInto('events')
            .values({ ...value, id: written + 1, account_id: 1, lot_id: 1 })
            .execute();
          await tx
            .insertInto('events')
            .values({ ...value, id: written + 1, account_id: 2, lot_id: 2 })
            .execute();
        });
        written += 1;
      }
    })();
    await expect.poll(() => written).toBeGreaterThan(20);
    const counts: number[] = [];
    for (const name of ['one.db', 'two.db', 'three.db']) {
      const before = written;
      expect((await backUp({ to: join(world.directory, 'copies', name) })).code).toBe(0);
      const copy = await openCopy(join(world.directory, 'copies', name));
      const rows = await copy.reader.selectFrom('events').select('account_id').execute();
      await copy.close();
      const [ones, twos] = [1, 2].map((account) => rows.filter(({ account_id }) => account_id === account).length);
      expect(ones).toBe(twos);
      expect(ones).toBeGreaterThanOrEqual(before);
      counts.push(ones ?? 0);
    }
    ended.abort();
    await busy;
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  it.each(['friday.db', 'friday.db.keys'])('overwrites nothing: %s', async (name) => {
    await world.apply(FULL_SITE_TEXT);
    const stored = join(world.directory, 'copies', name);
    writeFileSync(stored, 'precious');
    const { code, out } = await backUp();
    expect([code, out]).toEqual([2, [`${stored} is there already: a backup overwrites nothing; choose another name`]]);
    expect(readFileSync(stored, 'utf8')).toBe('precious');
    expect(readdirSync(join(world.directory, 'copies'))).toEqual([name]);
  });

  it('makes no database where there is none', async () => {
    const none = join(world.directory, 'elsewhere', 'cloud.db');
    const { code, out } = await backUp({ databaseUrl: `sqlite:${none}` });
    expect([code, out]).toEqual([2, [`there is no database ${none}: give the DATA_DIR or DATABASE_URL of the cloud`]]);
    expect(existsSync(join(world.directory, 'elsewhere'))).toBe(false);
  });

  it('leaves a database on a server to the programs of the server, and repeats no password', async () => {
    const { code, out } = await backUp({ databaseUrl: 'postgres://parking:secret@db/parking' });
    const printed =
      'the database is on a PostgreSQL server: back it up with pg_dump, and server-keys.json of DATA_DIR with it';
    expect([code, out]).toEqual([2, [printed]]);
    expect(readdirSync(join(world.directory, 'copies'))).toEqual([]);
  });

  it('does not copy a server key that the environment holds', async () => {
    const { code, out } = await backUp({ serverKey: 'ab'.repeat(32) });
    expect(code).toBe(0);
    expect(out[1]).toBe('server keys  not copied: the restored cloud needs the same SERVER_KEY');
    expect(readdirSync(join(world.directory, 'copies'))).toEqual(['friday.db']);
  });

  it('fails without the server keys of the database, and leaves nothing', async () => {
    await world.apply(FULL_SITE_TEXT);
    rmSync(join(world.directory, 'server-keys.json'));
    await expect(backUp()).rejects.toThrow('There are no server keys');
    expect(readdirSync(join(world.directory, 'copies'))).toEqual([]);
  });

  it('leaves nothing when it fails', async () => {
    await world.apply(FULL_SITE_TEXT);
    const failing = () => Promise.reject(new Error('disk full'));
    await expect(backUp({ backUp: failing })).rejects.toThrow('disk full');
    expect(readdirSync(join(world.directory, 'copies'))).toEqual([]);
    await expect(backUp({ to: join(world.directory, 'no', 'such', 'place') })).rejects.toThrow(
      /Cannot write .*place\.keys/,
    );
    await expect(backUp({ to: join(world.directory, 'no', 'place'), serverKey: 'ab'.repeat(32) })).rejects.toThrow(
      /Cannot write the backup .*place/,
    );
  });

  it('tells of a damaged database instead of keeping a damaged copy', async () => {
    await world.apply(FULL_SITE_TEXT);
    const value = {
      account_id: 1,
      lot_id: 1,
      event: 'gateway_status' as const,
      payload: 'x'.repeat(2_000),
      created_at: 1,
    };
    await world.store.change((tx) =>
      tx
        .insertInto('events')
        .values(Array.from({ length: 200 }, (_, index) => ({ ...value, id: index + 1 })))
        .execute(),
    );
    await world.store.close();
    const path = join(world.directory, 'cloud.db');
    const db = new Database(path);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(path);
    // Pages at the end, as a dying disk leaves them.
    bytes.fill(0xa5, bytes.length - 20 * 4_096, bytes.length - 10 * 4_096);
    writeFileSync(path, bytes);
    await expect(backUp()).rejects.toThrow(/Cannot write the backup .*(damaged|malformed)/);
    expect(readdirSync(join(world.directory, 'copies'))).toEqual([]);
  });
});
