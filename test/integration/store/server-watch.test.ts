/** The connections of a store whose address comes to lead to another server, while the old one goes on as if nothing had happened. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createPostgresStore } from '../../../cloud/kernel/store/postgres/postgres-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { hasPostgres, postgresUrl } from '../../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../../world/postgres-server.js';
import { startTcpRelay, type TcpRelay } from '../../world/tcp-relay.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

describe.runIf(hasPostgres())('the connections of a store', () => {
  const oldPort = () => Number(new URL(postgresUrl('postgres')).port);
  const clock = new FakeClock();
  let other: PostgresServer;
  let relay: TcpRelay;
  let store: CloudStore;
  beforeAll(async () => {
    other = await startPostgres();
    relay = await startTcpRelay(oldPort());
    const url = new URL(postgresUrl('postgres'));
    url.port = String(relay.port);
    store = await createPostgresStore({ url: url.href, clock, logger: silentLogger });
  });
  afterAll(async () => {
    await store?.close();
    await relay?.close();
    await other?.remove();
  });

  const port = sql<{ port: number }>`select current_setting('port')::int as port`;
  /** Where reads, changes and reports are, more of them at once than there are connections. */
  async function places(): Promise<Set<number>> {
    const newSignal = () => new AbortController().signal;
    const asked = Array.from({ length: 12 }, () => [
      port.execute(store.reader),
      store.reader.transaction().execute((tx) => port.execute(tx)),
      store.change((tx) => port.execute(tx)),
      store.report({ account_id: 1, kind: 'page', signal: newSignal() }, (db) => port.execute(db)),
    ]).flat();
    return new Set((await Promise.all(asked)).map(({ rows }) => Number(rows[0]?.port)));
  }

  it('are at the new one within two seconds, also that which hears, and a change that was under way is made there', async () => {
    expect(await places()).toEqual(new Set([oldPort()]));
    relay.leadNewTo(other.port);
    let missed = 0;
    store.peers?.onMissed(() => (missed += 1));
    let isMoved = false;
    const tries: number[] = [];
    const change = store.change(async (tx) => {
      tries.push(Number((await port.execute(tx)).rows[0]?.port));
      await waitUntil('the move to be known', () => isMoved);
    });
    await waitUntil('it to be under way', () => tries.length > 0);
    await waitUntil('the move to be known', async () => {
      await clock.advance(500);
      return missed > 0;
    });
    isMoved = true;
    await change;
    expect(tries).toEqual([oldPort(), other.port]);
    for (let time = 0; time < 3; time++) expect(await places()).toEqual(new Set([other.port]));
    const listens = async () =>
      (
        await other.run(
          "select 1 from pg_stat_activity where query ilike '%pg_try_advisory_lock%' and pid <> pg_backend_pid()",
        )
      ).length;
    await waitUntil('it to hear again', async () => {
      await clock.advance(500);
      return (await listens()) > 0;
    });
  });
});
