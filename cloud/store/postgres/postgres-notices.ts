/**
 * Tells other processes of commits, and hears of theirs (LISTEN and NOTIFY). What is told goes out after the commit: within it, it would
 * make all commits of the database wait for each other.
 */
import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { z } from 'zod';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { WrittenNames } from '../written-tables.js';
import { createListeners } from '../listeners.js';
import { clientConfig } from './postgres-pool.js';
import { toStoreError } from './postgres-errors.js';
import { parseJson } from '../../../shared/json-text-codec.js';

const CHANNEL = 'parking_commits';
const RECONNECT_MS = 1_000;

const noticeSchema = z.object({
  by: z.string(),
  written: z.union([z.literal('any'), z.array(z.string())]),
});

export interface PostgresNotices {
  /** Tells the others, soon: several commits are told of at once. */
  tell(written: WrittenNames): void;
  /** Calls the listener after commits of others, with what they wrote. @returns how to stop */
  onForeign(listener: (written: WrittenNames) => void): () => void;
  close(): Promise<void>;
}

export async function openPostgresNotices(options: {
  url: string;
  /** What is told goes through it. */
  pool: Pool;
  clock: Clock;
  logger: Logger;
}): Promise<PostgresNotices> {
  const { url, pool, clock, logger } = options;
  const self = randomUUID();
  const listeners = createListeners<WrittenNames>(logger);
  let untold: Set<string> | 'any' = new Set();
  let telling: Promise<void> | null = null;
  let client: Client | null = null;
  let retry: Timer | undefined;
  let isClosed = false;

  const hear = (payload: string | undefined) => {
    const notice = noticeSchema.safeParse(parseJson(payload ?? ''));
    // Who cannot read a notice knows only that something was written.
    if (!notice.success) listeners.notify('any');
    else if (notice.data.by !== self) {
      const { written } = notice.data;
      listeners.notify(written === 'any' ? 'any' : new Set(written));
    }
  };

  async function listen(): Promise<void> {
    const listening = new Client(clientConfig({ url, isReadOnly: true }));
    listening.on('notification', ({ payload }) => hear(payload));
    listening.on('error', () => {});
    listening.once('end', () => {
      if (client !== listening) return;
      client = null;
      logger.warn({}, 'The connection that hears of other processes is lost: it is opened again');
      later();
    });
    await listening.connect();
    await listening.query(`listen ${CHANNEL}`);
    client = listening;
  }

  function later(): void {
    if (isClosed) return;
    retry = clock.setTimer(RECONNECT_MS, () => {
      listen().then(
        // Nobody knows what was told meanwhile.
        () => listeners.notify('any'),
        later,
      );
    });
  }

  async function tellAll(): Promise<void> {
    while (untold === 'any' || untold.size > 0) {
      const written = untold === 'any' ? 'any' : [...untold];
      untold = new Set();
      try {
        await pool.query(`select pg_notify('${CHANNEL}', $1)`, [JSON.stringify({ by: self, written })]);
      } catch (error) {
        // Others hear of it with the next commit, or when they look by themselves.
        logger.warn({ err: toStoreError(error, 'notify') }, 'Other processes could not be told of a change');
        return;
      }
    }
  }

  try {
    await listen();
  } catch (error) {
    throw toStoreError(error, 'listen');
  }
  return {
    tell(written) {
      if (written === 'any' || untold === 'any') untold = 'any';
      else for (const name of written) untold.add(name);
      telling ??= tellAll().finally(() => {
        telling = null;
      });
    },
    onForeign: listeners.add,
    async close() {
      isClosed = true;
      retry?.cancel();
      await telling;
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
