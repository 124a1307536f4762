/** What takes long of what a PostgreSQL server may suffer: failed over to a standby, left behind, slow, silent, its disk full. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { postgresOwner } from '../../scripts/machines/find-programs.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { accountRow } from '../conformance/account-row.js';
import { printsFaults } from '../faults/fault-table.js';
import { startWriters } from '../faults/postgres-writers.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { startTcpRelay, type TcpRelay } from '../world/tcp-relay.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const DATABASE = 'parking';

describe.runIf(hasPostgres())('a PostgreSQL server', () => {
  const faults = printsFaults('Faults of PostgreSQL');
  const closers: (() => unknown)[] = [];
  let server: PostgresServer;
  let relay: TcpRelay;
  let store: CloudStore;
  beforeEach(async () => {
    server = await startPostgres({ isDurable: true, settings: ['max_connections=60'] });
    closers.push(() => server.remove());
    await server.run(`create database ${DATABASE}`);
    relay = await startTcpRelay(server.port);
    closers.push(() => relay.close());
    store = await openStore();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Through the address that may lead elsewhere. */
  async function openStore(): Promise<CloudStore> {
    const url = new URL(server.url(DATABASE));
    url.port = String(relay.port);
    const opened = await createPostgresStore({ url: url.href, clock: systemClock, logger: silentLogger });
    closers.push(() => opened.close());
    await opened.migrate(MIGRATIONS);
    return opened;
  }

  /** A standby without which nothing counts as committed. */
  async function followSynchronously(): Promise<PostgresServer> {
    const standby = await startPostgres({ isDurable: true, standbyOf: server, settings: ['max_connections=60'] });
    closers.push(() => standby.remove());
    await server.run("alter system set synchronous_standby_names = '*'");
    await server.run('select pg_reload_conf()');
    await waitUntil('the standby to be synchronous', async () => {
      const rows = await server.run('select sync_state from pg_stat_replication');
      return rows.some(({ sync_state }) => sync_state === 'sync');
    });
    return standby;
  }

  it.each(['is promoted before the address leads to it', 'is promoted after the address leads to it'])(
    'may die: its standby %s',
    async (order) => {
      const standby = await followSynchronously();
      const writers = startWriters(store, { faults, fault: `standby ${order}` });
      await writers.more(200);
      await server.stop('kill');
      if (order.includes('before')) {
        await standby.promote();
        relay.leadTo(standby.port);
      } else {
        relay.leadTo(standby.port);
        await waitUntil('a refused change', () => writers.codes.has('read_only'));
        await standby.promote();
      }
      await writers.more(200);
      await writers.stop();
    },
  );

  /** How many reads of all connections at once say that the account is there. */
  async function seenBy(of: CloudStore, name: string): Promise<number> {
    const read = () => of.reader.selectFrom('accounts').select('id').where('name', '=', name).execute();
    const answers = await Promise.all(Array.from({ length: 30 }, read));
    return answers.filter((rows) => rows.length > 0).length;
  }
  const addAccount = (of: CloudStore, name: string) =>
    of.change((tx) => tx.insertInto('accounts').values(accountRow(name)).execute());
  const removeAccount = (of: CloudStore, name: string) =>
    of.change((tx) => tx.deleteFrom('accounts').where('name', '=', name).execute());

  it('may be left behind, while its connections go on: everybody is soon at the promoted standby', async () => {
    const standby = await followSynchronously();
    await addAccount(store, 'before');
    // All connections are open, of readers and of writers.
    await Promise.all(Array.from({ length: 20 }, () => addAccount(store, 'of before')));
    expect(await seenBy(store, 'before')).toBe(30);
    // It takes changes on its own, as one that nobody has fenced off does.
    await server.run("alter system set synchronous_standby_names = ''");
    await server.run('select pg_reload_conf()');
    await standby.promote();
    relay.leadNewTo(standby.port);
    // Another process, which begins now, knows nothing of the old server.
    const other = await openStore();
    const heard: string[] = [];
    store.onForeignChange(({ written }) => void (written !== 'any' && heard.push(...written)));
    await removeAccount(other, 'before');
    await addAccount(other, 'since');
    await waitUntil('nobody at the old server', async () => (await seenBy(store, 'before')) === 0, 10_000);
    for (let time = 0; time < 5; time++) {
      expect([await seenBy(store, 'before'), await seenBy(store, 'since')]).toEqual([0, 30]);
    }
    await addAccount(store, 'of the other');
    expect(await seenBy(other, 'of the other')).toBe(30);
    await waitUntil('news of the other process', async () => {
      await addAccount(other, 'more');
      return heard.includes('accounts');
    });
    await waitUntil('no connection at the old server', async () => {
      const rows = await server.run(`select 1 from pg_stat_activity where datname = '${DATABASE}'`);
      return rows.length === 0;
    });
  });

  it('may be left behind as one that only reads: what was answered is at the promoted standby', async () => {
    const standby = await followSynchronously();
    const writers = startWriters(store, { faults, fault: 'set to read only, its standby promoted, connections stay' });
    await writers.more(200);
    await server.run('alter system set default_transaction_read_only = on');
    await server.run('select pg_reload_conf()');
    await waitUntil('a refused change', () => writers.codes.has('read_only'));
    await standby.promote();
    relay.leadNewTo(standby.port);
    await writers.more(200);
    await writers.stop();
  });

  it('may be reached again for a moment by an address that leads to a standby: nobody reads what is of before', async () => {
    const standby = await followSynchronously();
    await addAccount(store, 'stays');
    expect(await seenBy(store, 'stays')).toBe(30);
    relay.leadTo(standby.port);
    await waitUntil('a refused read', async () =>
      seenBy(store, 'stays').then(
        () => false,
        (error: { code?: string }) => error.code === 'read_only',
      ),
    );
    relay.leadTo(server.port);
    await waitUntil('reads again', () =>
      seenBy(store, 'stays').then(
        (count) => count === 30,
        () => false,
      ),
    );
  });

  it('may be far away', async () => {
    const writers = startWriters(store, { faults, fault: 'each packet 100 ms later' });
    await writers.more(20);
    relay.delay(100);
    await writers.more(40);
    relay.delay(0);
    await writers.more(40);
    await writers.stop();
    expect([...writers.codes]).toEqual([]);
  });

  it('may stand still for a while', async () => {
    const writers = startWriters(store, { faults, fault: 'silent for 3 s, three times' });
    for (let time = 0; time < 3; time++) {
      await writers.more(50);
      relay.silence();
      await writers.stoodStill(3_000);
      relay.resume();
    }
    await writers.more(50);
    await writers.stop();
  });

  it('may be gone without a word: nobody waits for ever', { timeout: 600_000 }, async () => {
    const writers = startWriters(store, { faults, fault: 'silent until connections were given up' });
    await writers.more(50);
    relay.silence();
    const read = store.reader.selectFrom('accounts').select('id').limit(1).execute();
    await expect(read).rejects.toMatchObject({ code: 'io' });
    await waitUntil('refused changes', () => writers.codes.has('io'), 180_000);
    // What was sent into the silence is not to arrive late.
    relay.leadTo(server.port);
    relay.resume();
    await writers.more(50);
    await writers.stop();
  });

  it('may be held by somebody else for too long', { timeout: 300_000 }, async () => {
    const writers = startWriters(store, { faults, fault: 'a table locked by somebody else' });
    await writers.more(50);
    const other = new Client({ connectionString: server.url(DATABASE) });
    await other.connect();
    await other.query('begin');
    await other.query('lock table accounts in exclusive mode');
    await waitUntil('refused changes', () => writers.codes.has('locked'), 120_000);
    // What only reads goes on meanwhile.
    await store.reader.selectFrom('accounts').select('id').limit(1).execute();
    await other.query('rollback');
    await other.end();
    await writers.more(50);
    await writers.stop();
    expect([...writers.codes]).toEqual(['locked']);
  });

  const owner = postgresOwner();
  it.skipIf(owner === null)('may have a full disk', async () => {
    const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]);
    closers.push(() => {
      execFileSync('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    });
    chownSync(disk, owner?.uid ?? 0, owner?.gid ?? 0);
    await store.close();
    await server.run(`create tablespace small location '${disk}'`);
    await server.run(`alter database ${DATABASE} set tablespace small`);
    store = await openStore();
    const writers = startWriters(store, { faults, fault: 'its disk full' });
    await writers.more(50);
    const free = Number(execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).split('\n')[1]);
    const filler = join(disk, 'filler');
    writeFileSync(filler, Buffer.alloc(Math.max(0, free - 64 * 1024), 1));
    await waitUntil('the last page', () => writers.codes.has('full'));
    // What only reads goes on meanwhile.
    await store.reader.selectFrom('accounts').select('id').limit(1).execute();
    rmSync(filler);
    await writers.more(50);
    await writers.stop();
    expect([...writers.codes].filter((code) => code !== 'full')).toEqual([]);
  });
  if (owner === null) process.stderr.write('SKIPPED: a full disk, because only root can mount a small one\n');
});
