/**
 * Tells other processes of commits and of what else they need to know, and hears of theirs (LISTEN and NOTIFY). What is told goes out after
 * the commit: within it, it would make all commits of the database wait for each other.
 */
import { Client, type Pool } from 'pg';
import { z } from 'zod';
import type { Clock, Timer } from '../../../shared/clock.js';
import { parseJson } from '../../../shared/json-text-codec.js';
import type { Logger } from '../../../shared/logger.js';
import { createListeners } from '../listeners.js';
import type { ForeignChange, WrittenNames } from '../written-tables.js';
import { toStoreError } from './postgres-errors.js';
import { clientConfig } from './postgres-pool.js';

const CHANNEL = 'parking_commits';
const RECONNECT_MS = 1_000;
/** PostgreSQL takes notices of less than 8,000 bytes; what is told of commits needs some of them. */
const NEWS_BYTES_MAX = 6_000;

/** What a process tells at once. */
const noticeSchema = z.object({
  by: z.string(),
  isOfTool: z.boolean().default(true),
  written: z.union([z.literal('any'), z.array(z.string())]).default([]),
  news: z.array(z.object({ topic: z.string(), news: z.unknown() })).default([]),
});

export interface News {
  topic: string;
  news: unknown;
}

export interface PostgresNotices {
  /** Tells the others of a commit, soon: several commits are told of at once. */
  tellCommit(written: WrittenNames): void;
  /** Tells the others, after what was told before. */
  tell(news: News): void;
  /** Calls the listener after commits of others, with what they wrote. @returns how to stop */
  onForeign(listener: (change: ForeignChange) => void): () => void;
  onTold(listener: (news: News) => void): () => void;
  /** Calls the listener when something may have been told that was not heard. */
  onMissed(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface NoticesOptions {
  url: string;
  /** The name of this process, by which it does not hear itself. */
  processId: string;
  /** Whether it is a tool, which tells of its commits only. */
  isTool: () => boolean;
  /** What is told goes through it. */
  pool: Pool;
  clock: Clock;
  logger: Logger;
}

export async function openPostgresNotices(options: NoticesOptions): Promise<PostgresNotices> {
  const { url, processId, pool, clock, logger } = options;
  const changes = createListeners<ForeignChange>(logger);
  const told = createListeners<News>(logger);
  const missed = createListeners<void>(logger);
  let untold: Set<string> | 'any' = new Set();
  /** As JSON. */
  const untoldNews: string[] = [];
  let telling: Promise<void> | null = null;
  let client: Client | null = null;
  let retry: Timer | undefined;
  let isClosed = false;

  const hear = (payload: string | undefined) => {
    const notice = noticeSchema.safeParse(parseJson(payload ?? ''));
    if (!notice.success) {
      // Who cannot read a notice knows only that something was written.
      changes.notify({ written: 'any', isOfTool: true });
      return;
    }
    const { by, isOfTool, written, news } = notice.data;
    if (by === processId) return;
    if (written === 'any') changes.notify({ written, isOfTool });
    else if (written.length > 0) changes.notify({ written: new Set(written), isOfTool });
    for (const each of news) told.notify(each);
  };

  async function listen(): Promise<void> {
    const listening = new Client(clientConfig({ url, processId, isReadOnly: true }));
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
    // The others see by it that this process is there.
    await listening.query('select pg_try_advisory_lock(hashtextextended($1, 0))', [processId]);
    client = listening;
  }

  function later(): void {
    if (isClosed) return;
    retry = clock.setTimer(RECONNECT_MS, () => {
      listen().then(() => {
        // Nobody knows what was told meanwhile.
        changes.notify({ written: 'any', isOfTool: true });
        missed.notify();
      }, later);
    });
  }

  /** Takes so much of the news as one notice holds, but one at least. */
  function takeNews(): string[] {
    let bytes = 0;
    const count = untoldNews.findIndex((text) => (bytes += Buffer.byteLength(text) + 1) > NEWS_BYTES_MAX);
    return untoldNews.splice(0, count === -1 ? untoldNews.length : Math.max(count, 1));
  }

  async function tellAll(): Promise<void> {
    while (untold === 'any' || untold.size > 0 || untoldNews.length > 0) {
      const written = untold === 'any' ? 'any' : [...untold];
      untold = new Set();
      const head = { by: processId, isOfTool: options.isTool(), written };
      const payload = `${JSON.stringify(head).slice(0, -1)},"news":[${takeNews().join(',')}]}`;
      try {
        await pool.query(`select pg_notify('${CHANNEL}', $1)`, [payload]);
      } catch (error) {
        // Others hear of a commit with the next one, or when they look by themselves.
        logger.warn({ err: toStoreError(error, 'notify') }, 'Other processes could not be told of a change');
        untoldNews.length = 0;
        return;
      }
    }
  }

  function tellSoon(): void {
    telling ??= tellAll().finally(() => {
      telling = null;
    });
  }

  try {
    await listen();
  } catch (error) {
    throw toStoreError(error, 'listen');
  }
  return {
    tellCommit(written) {
      if (written === 'any' || untold === 'any') untold = 'any';
      else for (const name of written) untold.add(name);
      tellSoon();
    },
    tell(news) {
      const text = JSON.stringify(news);
      if (Buffer.byteLength(text) > NEWS_BYTES_MAX) {
        logger.warn({ topic: news.topic }, 'News is too large to be told to other processes');
        return;
      }
      untoldNews.push(text);
      tellSoon();
    },
    onForeign: changes.add,
    onTold: told.add,
    onMissed: missed.add,
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
