/** Driver: other cloud processes on the same PostgreSQL database. */
import { type Kysely, sql } from 'kysely';
import type { Logger } from '../../../../shared/logger.js';
import type { DatabaseDriver } from '../database-driver.js';
import { createListeners } from '../listeners.js';
import { byOrder } from '../locks.js';
import type { Peers, PeersTx } from '../peers.js';
import type { Database } from '../schema.js';
import { toStoreError } from './postgres-errors.js';
import type { PostgresNotices } from './postgres-notices.js';
import { applicationNameOf } from './postgres-pool.js';
import type { ServerPool } from './server-pool.js';

export interface PostgresPeers extends Peers {
  /** What a transaction that writes begins with. */
  begin(): string;
  /** Notes that a transaction was refused, because this process is no member. */
  noteExpelled(): void;
}

export function createPostgresPeers(deps: {
  processId: string;
  notices: PostgresNotices;
  readers: Pick<ServerPool, 'query'>;
  /** Its connections are for nothing else. */
  apart: Kysely<Database>;
  lock: DatabaseDriver['lock'];
  logger: Logger;
  membership: { isRequired: boolean };
}): PostgresPeers {
  const { processId, notices, readers, membership } = deps;
  const expelled = createListeners<void>(deps.logger);
  let isExpelled = false;
  // Both go to the server at once.
  const asMember = `begin; select require_cloud_process('${processId}')`;
  return {
    id: processId,
    begin: () => (membership.isRequired ? asMember : 'begin'),
    noteExpelled() {
      if (isExpelled) return;
      isExpelled = true;
      expelled.notify();
    },
    notify: (topic, news) => notices.notify({ topic, news }),
    onNotice: (topic, listener) => notices.onNotice((notice) => void (notice.topic === topic && listener(notice.news))),
    onMissed: notices.onMissed,
    assumeMissed: notices.assumeMissed,
    apart: (work) =>
      deps.apart.transaction().execute((begun) => {
        const lock: PeersTx['lock'] = (...locks) =>
          deps.lock(
            begun,
            locks.toSorted(byOrder).map(({ name }) => name),
          );
        return work(Object.assign(begun, { lock }));
      }),
    requireMembership() {
      membership.isRequired = true;
    },
    onExpelled: expelled.add,
    async isConnected(db, id) {
      const { rows } = await sql<{ is_free: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${id}, 0)) as is_free`.execute(db);
      return rows[0]?.is_free === false;
    },
    async endWorkOf(db, id) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = current_user and application_name = ${applicationNameOf(id)}
      `.execute(db);
    },
    async now() {
      try {
        const { rows } = await readers.query<{ ms: number }>({
          text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
        });
        return rows[0]?.ms ?? Number.NaN;
      } catch (error) {
        throw toStoreError(error, 'clock');
      }
    },
  };
}
