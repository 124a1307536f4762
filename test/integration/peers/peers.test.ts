/** What cloud processes on one PostgreSQL database know of each other, and tell each other. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertProcess } from '../../../cloud/kernel/peers/peer-queries.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import type { Peers } from '../../../cloud/kernel/store/peers.js';
import type { ForeignChange } from '../../../cloud/kernel/store/written-tables.js';
import { createPostgresStore } from '../../../cloud/kernel/store/postgres/postgres-store.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createTestLog } from '../../world/test-log.js';
import {
  ask,
  createDatabase,
  dropDatabase,
  hasPostgres,
  postgresUrl,
  TEMPLATE,
} from '../../world/postgres-databases.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

interface Process {
  store: CloudStore;
  peers: Peers;
  log: ReturnType<typeof createTestLog>;
}

describe.runIf(hasPostgres())('cloud processes on one database', () => {
  let name: string;
  let one: Process;
  let other: Process;
  const opened: CloudStore[] = [];
  beforeEach(async () => {
    name = `peers_${randomBytes(6).toString('hex')}`;
    await createDatabase(name, { template: TEMPLATE });
    [one, other] = [await open(), await open()];
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await dropDatabase(name);
  });

  async function open(): Promise<Process> {
    const log = createTestLog();
    const store = await createPostgresStore({ url: postgresUrl(name), clock: systemClock, logger: log.logger });
    opened.push(store);
    if (store.peers === null) throw new Error('there are none');
    return { store, peers: store.peers, log };
  }
  const join = ({ store, peers }: Process) =>
    store.change((tx) => insertProcess(tx, { id: peers.id, beat: 0, is_hearing: 1, started_at: 0 }));

  it('hear what another one tells, once and in order, and not themselves', async () => {
    const heard: unknown[] = [];
    const own: unknown[] = [];
    other.peers.onNotice('numbers', (news) => heard.push(news));
    one.peers.onNotice('numbers', (news) => own.push(news));
    const notified = Array.from({ length: 500 }, (_, index) => ({ index, text: 'ž'.repeat(index) }));
    for (const each of notified) one.peers.notify('numbers', each);
    one.peers.notify('letters', 'nobody listens to this');
    await waitUntil('all of it', () => heard.length === notified.length);
    expect(heard).toEqual(notified);
    expect(own).toEqual([]);
  });

  it('tell nothing that is too large, say so, and go on', async () => {
    const heard: unknown[] = [];
    other.peers.onNotice('text', (news) => heard.push(news));
    one.peers.notify('text', 'x'.repeat(20_000));
    one.peers.notify('text', 'short');
    await waitUntil('the short one', () => heard.length > 0);
    expect(heard).toEqual(['short']);
    expect(one.log.lines.map(({ message }) => message)).toContain('News is too large to be told to other processes');
  });

  it('are told when they may have missed something', async () => {
    let missed = 0;
    other.peers.onMissed(() => (missed += 1));
    await ask(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_try_advisory_lock%' and datname = '${name}'`,
    );
    await waitUntil('it', () => missed > 0);
  });

  it('look again for commits of one that may have died before it told of them', async () => {
    const seen: unknown[] = [];
    one.store.onForeignChange((change) => seen.push(change));
    one.peers.assumeMissed();
    expect(seen).toEqual([{ written: 'any', isOfTool: false }]);
  });

  it('tell which tables a commit wrote, also when it reads by SQL as text', async () => {
    const seen: ForeignChange[] = [];
    other.store.onForeignChange((change) => seen.push(change));
    await one.store.change(async (tx) => {
      await sql`select 1 as insert_id`.execute(tx);
      await sql`with asked(id) as (values (1)) select id, 'x' as updated_at from asked`.execute(tx);
      await tx.updateTable('lots').set({ name: 'x' }).where('id', '=', 0).execute();
    });
    await waitUntil('it to be told', () => seen.length > 0);
    expect(seen).toEqual([{ written: new Set(['lots']), isOfTool: true }]);
    await one.store.change((tx) => sql`with gone as (delete from lots where id = 0 returning id) select 1`.execute(tx));
    await waitUntil('the other one', () => seen.length > 1);
    expect(seen[1]).toEqual({ written: 'any', isOfTool: true });
  });

  it('write nothing when they are no members, and learn it once', async () => {
    let expelled = 0;
    one.peers.onExpelled(() => (expelled += 1));
    one.peers.requireMembership();
    for (const _ of [1, 2]) {
      await expect(join(one)).rejects.toMatchObject({ code: 'closed' });
    }
    expect(expelled).toBe(1);
    // Who reads is served on, and who is a member writes.
    expect(await one.store.reader.selectFrom('cloud_processes').selectAll().execute()).toEqual([]);
    await join(other);
    other.peers.requireMembership();
    await other.store.change((tx) => tx.updateTable('cloud_processes').set({ beat: 1 }).execute());
  });

  it('know who is connected, and end the work of who is dead', async () => {
    const isConnected = () => one.store.change((tx) => one.peers.isConnected(tx, other.peers.id));
    expect(await isConnected()).toBe(true);
    await join(other);
    const work = other.store.change(async (tx) => {
      await tx.updateTable('cloud_processes').set({ beat: 7 }).execute();
      await sql`select pg_sleep(60)`.execute(tx);
    });
    const ended = expect(work).rejects.toMatchObject({ code: 'io' });
    await waitUntil('the work to be under way', async () => {
      const rows = await ask(`select 1 from pg_stat_activity where query like '%pg_sleep%' and datname = '${name}'`);
      return rows.length > 0;
    });
    await one.store.change((tx) => one.peers.endWorkOf(tx, other.peers.id));
    await ended;
    const [row] = await one.store.reader.selectFrom('cloud_processes').select('beat').execute();
    expect(row?.beat).toBe(0);
    await other.store.close();
    await waitUntil('it to be known as gone', async () => !(await isConnected()));
  });

  it('show the same time', async () => {
    const times = [await one.peers.now(), await other.peers.now(), Date.now()];
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(30_000);
  });
});
