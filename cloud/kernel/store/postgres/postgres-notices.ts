/**
 * Tells other processes of commits and of what else they need to know, and hears of theirs (LISTEN and NOTIFY). What is told goes out after
 * the commit: within it, it would make all commits of the database wait for each other.
 */
import { z } from 'zod';
import type { Clock, Timer } from '../../../../shared/clock.js';
import { parseJson } from '../../../../shared/json-text-codec.js';
import type { Logger } from '../../../../shared/logger.js';
import { createListeners } from '../listeners.js';
import type { ForeignChange, WrittenNames } from '../written-tables.js';
import { toStoreError } from './postgres-errors.js';
import { openHearing } from './postgres-hearing.js';
import { createNoticeQueue } from './notice-queue.js';
import type { ServerPool } from './server-pool.js';
import type { ServerWatch } from './server-watch.js';

const CHANNEL = 'parking_commits';
const RETRY_MS = 1_000;
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
  notifyCommit(written: WrittenNames): void;
  /** Tells the others, after what was told before. */
  notify(news: News): void;
  /** Calls the listener after commits of others, with what they wrote. @returns how to stop */
  onForeign(listener: (change: ForeignChange) => void): () => void;
  onNotice(listener: (news: News) => void): () => void;
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
  pool: Pick<ServerPool, 'query'>;
  server: Pick<ServerWatch, 'admit' | 'isCurrent' | 'onMoved'>;
  clock: Clock;
  logger: Logger;
}

export async function openPostgresNotices(options: NoticesOptions): Promise<PostgresNotices> {
  const { processId, logger } = options;
  const changes = createListeners<ForeignChange>(logger);
  const listeners = createListeners<News>(logger);
  const missed = createListeners<void>(logger);

  function hear(payload: string | undefined): void {
    const notice = noticeSchema.safeParse(parseJson(payload ?? ''));
    if (!notice.success) {
      // An unreadable notice says only that something was written.
      changes.notify({ written: 'any', isOfTool: true });
      return;
    }
    const { by, isOfTool, written, news } = notice.data;
    if (by === processId) return;
    if (written === 'any') changes.notify({ written, isOfTool });
    else if (written.length > 0) changes.notify({ written: new Set(written), isOfTool });
    for (const each of news) listeners.notify(each);
    if (notice.data.isIncomplete) missed.notify();
  }

  /** Nobody knows what was told meanwhile. */
  function noteMissed(): void {
    changes.notify({ written: 'any', isOfTool: true });
    missed.notify();
  }

  const sender = createNoticeSender(options);
  const hearing = await openHearing(options, {
    channel: CHANNEL,
    hear,
    onResumed: noteMissed,
  });
  const stopMoving = options.server.onMoved(noteMissed);
  return {
    notifyCommit: sender.notifyCommit,
    notify: sender.notify,
    onForeign: changes.add,
    onNotice: listeners.add,
    onMissed: missed.add,
    assumeMissed: () => changes.notify({ written: 'any', isOfTool: false }),
    async close() {
      stopMoving();
      hearing.stop();
      await sender.close();
      await hearing.close();
    },
  };
}

interface NoticeSender {
  notifyCommit(written: WrittenNames): void;
  notify(news: News): void;
  /** Tries once more to tell what waits. */
  close(): Promise<void>;
}

/** Collects what is to be told, and tells all of it at once, one notice after another. */
function createNoticeSender(options: NoticesOptions): NoticeSender {
  const { clock, logger } = options;
  const unsent = createUnsentNotices(options);
  let sender: Promise<void> | null = null;
  let isRefused = false;
  let isClosed = false;
  /** Waits while the database takes no notices. */
  let retryTimer: Timer | null = null;

  async function notifyAll(): Promise<void> {
    while (!unsent.isEmpty()) {
      await unsent.notify();
      isRefused = false;
    }
  }

  function noteRefused(error: unknown): void {
    if (!isRefused) {
      logger.warn(
        { err: toStoreError(error, 'notify') },
        'Other processes cannot be told of changes; it is tried again every second',
      );
    }
    isRefused = true;
    if (isClosed) return;
    retryTimer = clock.setTimer(RETRY_MS, () => {
      retryTimer = null;
      notifySoon();
    });
  }

  function notifySoon(): void {
    if (retryTimer !== null) return;
    sender ??= notifyAll().then(
      () => {
        sender = null;
        // Something may have come in the moment in which it ended.
        if (!unsent.isEmpty()) notifySoon();
      },
      (error: unknown) => {
        sender = null;
        noteRefused(error);
      },
    );
  }

  return {
    notifyCommit(written) {
      unsent.noteWritten(written);
      notifySoon();
    },
    notify(news) {
      const text = JSON.stringify(news);
      if (Buffer.byteLength(text) > NEWS_BYTES_MAX) {
        logger.warn({ topic: news.topic }, 'News is too large to be told to other processes');
        return;
      }
      unsent.addNews(text);
      notifySoon();
    },
    async close() {
      isClosed = true;
      retryTimer?.cancel();
      retryTimer = null;
      await sender;
      notifySoon();
      await sender;
    },
  };
}

/** What the other processes were not told yet. */
function createUnsentNotices({ processId, isTool, pool }: NoticesOptions) {
  let tables: Set<string> | 'any' = new Set();
  const news = createNoticeQueue({ noticeBytesMax: NEWS_BYTES_MAX, waitingBytesMax: WAITING_BYTES_MAX });

  function noteWritten(written: WrittenNames): void {
    if (written === 'any' || tables === 'any') tables = 'any';
    else for (const name of written) tables.add(name);
  }

  return {
    noteWritten,
    addNews: news.add,
    isEmpty: () => tables !== 'any' && tables.size === 0 && news.isEmpty && !news.isIncomplete,
    /** Tells as much as one notice holds. @throws what the database says: then all of it is untold still */
    async notify(): Promise<void> {
      const [written, texts, { isIncomplete }] = [tables, news.drain(), news];
      tables = new Set();
      news.isIncomplete = false;
      const head = {
        by: processId,
        isOfTool: isTool(),
        written: written === 'any' ? written : [...written],
        ...(isIncomplete ? { isIncomplete } : {}),
      };
      const payload = `${JSON.stringify(head).slice(0, -1)},"news":[${texts.join(',')}]}`;
      try {
        await pool.query({ text: `select pg_notify('${CHANNEL}', $1)`, values: [payload] });
      } catch (error) {
        noteWritten(written);
        news.isIncomplete ||= isIncomplete;
        news.putBack(texts);
        throw error;
      }
    },
  };
}
