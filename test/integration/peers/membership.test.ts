/** What a cloud process does among others on one PostgreSQL database: its beat, and what it takes over. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { joinProcesses, type Membership } from '../../../cloud/kernel/peers/membership.js';
import { insertProcess } from '../../../cloud/kernel/peers/peer-queries.js';
import { type CloudStore, StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import type { Peers } from '../../../cloud/kernel/store/peers.js';
import { createPostgresStore } from '../../../cloud/kernel/store/postgres/postgres-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import {
  ask,
  createDatabase,
  dropDatabase,
  hasPostgres,
  postgresUrl,
  TEMPLATE,
} from '../../world/postgres-databases.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

describe.runIf(hasPostgres())('a member of the cloud processes on one database', () => {
  let name: string;
  let clock: FakeClock;
  let store: CloudStore;
  let peers: Peers;
  let membership: Membership | undefined;
  const called: string[] = [];
  beforeEach(async () => {
    name = `members_${randomBytes(6).toString('hex')}`;
    await createDatabase(name, { template: TEMPLATE });
    clock = new FakeClock();
    called.length = 0;
    store = await createPostgresStore({ url: postgresUrl(name), clock, logger: silentLogger });
    if (store.peers === null) throw new Error('there are none');
    peers = store.peers;
  });
  afterEach(async () => {
    await membership?.close();
    membership = undefined;
    await store.close();
    await dropDatabase(name);
  });

  const note = (what: string) => () => void called.push(what);
  const join = async (overrides: Partial<Peers> = {}) => {
    membership = await joinProcesses({
      peers: { ...peers, ...overrides },
      clock,
      logger: silentLogger,
      canHear: () => true,
      onParts: () => {},
      onDeath: note('death'),
      onFirst: note('first'),
      onLeft: note('left'),
      onExpelled: note('expelled'),
    });
    return membership;
  };
  const rows = () => store.reader.selectFrom('cloud_processes').selectAll().orderBy('started_at').execute();
  const beat = async () => (await rows()).find(({ id }) => id === peers.id)?.beat ?? Number.NaN;
  /** Lets time pass until the next beat. */
  async function beatOnce(): Promise<void> {
    const before = await beat();
    await waitUntil('the next beat', async () => {
      await clock.advance(100);
      return (await beat()) > before;
    });
  }

  it('beats on while all of its changes wait for somebody else', async () => {
    await join();
    const other = new Client({ connectionString: postgresUrl(name) });
    await other.connect();
    await other.query('begin; lock table members');
    const waiting = Array.from({ length: store.writersMax + 1 }, () =>
      store.change((tx) => tx.updateTable('members').set({ name: 'x' }).where('id', '=', 0).execute()),
    );
    await waitUntil('all of them to wait', async () => {
      const stuck = await ask(
        `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock' and query like 'update%'`,
      );
      return stuck.length === store.writersMax;
    });
    for (let time = 0; time < 10; time++) await beatOnce();
    await other.query('rollback');
    await other.end();
    await Promise.all(waiting);
    expect(called).toEqual([]);
  });

  it('ends what a dead one does, as often as it takes, and then says so', async () => {
    await peers.apart((tx) => insertProcess(tx, { id: 'dead', beat: 1, is_hearing: 1, started_at: 0 }));
    const ended: string[] = [];
    const { isFirst } = await join({
      async endWorkOf(db, id) {
        ended.push(id);
        if (ended.length === 1) throw new StoreError('io', 'the connection was lost');
        await peers.endWorkOf(db, id);
      },
    });
    expect(isFirst()).toBe(false);
    while (called.length === 0) await beatOnce();
    expect(ended).toEqual(['dead', 'dead']);
    expect((await rows()).map(({ id }) => id)).toEqual([peers.id]);
    expect(isFirst()).toBe(true);
    await waitUntil('what it calls', () => called.length === 2);
    await beatOnce();
    expect(called).toEqual(['first', 'death']);
  });
});
