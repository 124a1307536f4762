/**
 * Tells other processes of commits and of what else they need to know, and hears of theirs (LISTEN and NOTIFY). What is told goes out after
 * the commit: within it, it would make all commits of the database wait for each other.
 */
import { Client, type Pool } from 'pg';
import { z } from 'zod';
import type { Clock, Timer } from '../../../../shared/clock.js';
import { parseJson } from '../../../../shared/json-text-codec.js';
import type { Logger } from '../../../../shared/logger.js';
import { createListeners } from '../listeners.js';
import type { ForeignChange, WrittenNames } from '../written-tables.js';
import { toStoreError } from './postgres-errors.js';
import { clientConfig } from './postgres-pool.js';
import { createUntoldNews } from './untold-news.js';

const CHANNEL = 'parking_commits';
const RETRY_MS = 1_000;
/** A host that lets in and then says nothing is given up. */
const LISTEN_MS_MAX = 10_000;
/** PostgreSQL takes notices of less than 8,000 bytes; what is told of commits needs some of them. */
const NEWS_BYTES_MAX = 6_000;
/** What waits because the database takes no notices; older news is given up. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/** What a process tells at once. */
const noticeSchema = z.object({
  by: z.string(),
  isOfTool: z.boolean().default(true),
  written: z.union([z.literal('any'), z.array(z.string())]).default([]),
  news: z.array(z.object({ topic: z.string(), news: z.unknown() })).default([]),
  /** Whether news was given up. */
  isIncomplete: z.boolean().default(false),
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
  /** Calls the listeners of commits, as if another process had written anything. */
  assumeMissed(): void;
  close(): Promise<void>;
}

export interface NoticesOptions {
  url: string;
  /** The name of this process, by which it does not hear itself. */
  processId: string;
  /** Whether it is a tool, which tells of its commits only. */
  isTool: () => boolean;
  /** What is told goes through it. */
  pool: Pick<Pool, 'query'>;
  clock: Clock;
  logger: Logger;
}

export async function openPostgresNotices(options: NoticesOptions): Promise<PostgresNotices> {
  const { url, processId, pool, clock, logger } = options;
  const changes = createListeners<ForeignChange>(logger);
  const told = createListeners<News>(logger);
  const missed = createListeners<void>(logger);
  let untold: Set<string> | 'any' = new Set();
  const untoldNews = createUntoldNews({ noticeBytesMax: NEWS_BYTES_MAX, waitingBytesMax: WAITING_BYTES_MAX });
  let telling: Promise<void> | null = null;
  let isRefused = false;
  /** Waits while the database takes no notices. */
  let tellAgain: Timer | null = null;
  let client: Client | null = null;
  let listenAgain: Timer | undefined;
  let lockAgain: Timer | undefined;
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
    if (notice.data.isIncomplete) missed.notify();
  };

  async function listen(): Promise<void> {
    const listening = new Client(clientConfig({ url, processId, isReadOnly: true, statementMsMax: LISTEN_MS_MAX }));
    listening.on('notification', ({ payload }) => hear(payload));
    listening.on('error', () => {});
    listening.once('end', () => {
      if (client !== listening) return;
      client = null;
      logger.warn({}, 'The connection that hears of other processes is lost: it is opened again');
      later();
    });
    let isLocked: boolean;
    try {
      await listening.connect();
      await listening.query(`listen ${CHANNEL}`);
      isLocked = await lockName(listening);
    } catch (error) {
      // A standby lets in, and refuses to listen. Nobody waits for the end: a host that is gone does not tell it.
      void listening.end().catch(() => {});
      throw error;
    }
    client = listening;
    if (!isLocked) lockLater(listening);
  }

  /** The others see by the lock that this process is there. */
  async function lockName(by: Client): Promise<boolean> {
    const { rows } = await by.query<{ is_locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_locked',
      [processId],
    );
    return rows[0]?.is_locked === true;
  }

  /** The connection before this one has it still, until the server notices that nobody is there. */
  function lockLater(by: Client): void {
    lockAgain = clock.setTimer(RETRY_MS, () => {
      if (client !== by) return;
      lockName(by).then(
        (isLocked) => void (isLocked || lockLater(by)),
        () => lockLater(by),
      );
    });
  }

  function later(): void {
    if (isClosed) return;
    listenAgain = clock.setTimer(RETRY_MS, () => {
      listen().then(() => {
        // Nobody knows what was told meanwhile.
        changes.notify({ written: 'any', isOfTool: true });
        missed.notify();
      }, later);
    });
  }

  const noteWritten = (written: WrittenNames) => {
    if (written === 'any' || untold === 'any') untold = 'any';
    else for (const name of written) untold.add(name);
  };

  const isUntold = () => untold === 'any' || untold.size > 0 || !untoldNews.isEmpty || untoldNews.isIncomplete;

  /** @throws what the database says: then all of it is untold still */
  async function tellAll(): Promise<void> {
    while (isUntold()) {
      const [written, news, { isIncomplete }] = [untold, untoldNews.take(), untoldNews];
      untold = new Set();
      untoldNews.isIncomplete = false;
      const head = {
        by: processId,
        isOfTool: options.isTool(),
        written: written === 'any' ? written : [...written],
        ...(isIncomplete ? { isIncomplete } : {}),
      };
      const payload = `${JSON.stringify(head).slice(0, -1)},"news":[${news.join(',')}]}`;
      try {
        await pool.query(`select pg_notify('${CHANNEL}', $1)`, [payload]);
      } catch (error) {
        noteWritten(written);
        untoldNews.isIncomplete ||= isIncomplete;
        untoldNews.putBack(news);
        throw error;
      }
      isRefused = false;
    }
  }

  function tellSoon(): void {
    if (tellAgain !== null) return;
    telling ??= tellAll().then(
      () => {
        telling = null;
        // Something may have come in the moment in which it ended.
        if (isUntold()) tellSoon();
      },
      (error: unknown) => {
        telling = null;
        if (!isRefused) {
          logger.warn(
            { err: toStoreError(error, 'notify') },
            'Other processes cannot be told of changes; it is tried again every second',
          );
        }
        isRefused = true;
        if (isClosed) return;
        tellAgain = clock.setTimer(RETRY_MS, () => {
          tellAgain = null;
          tellSoon();
        });
      },
    );
  }

  try {
    await listen();
  } catch (error) {
    throw toStoreError(error, 'listen');
  }
  return {
    tellCommit(written) {
      noteWritten(written);
      tellSoon();
    },
    tell(news) {
      const text = JSON.stringify(news);
      if (Buffer.byteLength(text) > NEWS_BYTES_MAX) {
        logger.warn({ topic: news.topic }, 'News is too large to be told to other processes');
        return;
      }
      untoldNews.add(text);
      tellSoon();
    },
    onForeign: changes.add,
    onTold: told.add,
    onMissed: missed.add,
    assumeMissed: () => changes.notify({ written: 'any', isOfTool: false }),
    async close() {
      isClosed = true;
      for (const timer of [listenAgain, lockAgain, tellAgain]) timer?.cancel();
      tellAgain = null;
      // What waits is tried once more.
      await telling;
      tellSoon();
      await telling;
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
