/**
 * The terminals of all cloud processes on one database as one link: a terminal is connected to one of them, and whoever registers it may ask
 * another. Each process tells the others which it has, and brings them what theirs say.
 */
import { z } from 'zod';
import { type Clock, every } from '../../../shared/clock.js';
import { inPieces } from '../../../shared/grouping.js';
import { keepNewest } from '../../../shared/keep-newest.js';
import type { Logger } from '../../../shared/logger.js';
import { allProcesses, type CloudStore } from '../../kernel/entry.js';
import type { TerminalLink } from './terminal-link.js';

const TOPIC = 'terminals';
/** So many keys are told at once, so that they fit. */
const KEYS_AT_ONCE = 50;
/** How often it is looked whether the processes live that had terminals. */
const LOOK_EVERY_MS = 5_000;
/** How long a process that starts waits for what the others have. */
const ROLL_CALL_MS = 3_000;
/** How many terminals others may have asked for an answer at one time, and how much of what each says they are told. */
const ASKED_MAX = 100;
const ANSWERS_TOLD_MAX = 3;

const newsSchema = z.discriminatedUnion('kind', [
  /** Who has not heard all of it asks all. */
  z.object({ kind: z.literal('who') }),
  /** All that a process has, in several parts. */
  z.object({
    kind: z.literal('all'),
    by: z.string(),
    keys: z.array(z.string()),
    isFirst: z.boolean(),
    isLast: z.boolean(),
  }),
  z.object({ kind: z.literal('here'), by: z.string(), key: z.string() }),
  z.object({ kind: z.literal('gone'), by: z.string(), key: z.string() }),
  z.object({ kind: z.literal('ask'), by: z.string(), to: z.string(), key: z.string(), payload: z.string() }),
  z.object({ kind: z.literal('said'), to: z.string(), key: z.string(), payload: z.string() }),
]);
type News = z.infer<typeof newsSchema>;

export interface SharedTerminals extends TerminalLink {
  close(): void;
}

/** Resolves when it is known what the other processes have. Of a database of one process alone it is the link as it is. */
export async function shareTerminals(deps: {
  link: TerminalLink;
  store: Pick<CloudStore, 'peers' | 'reader'>;
  clock: Clock;
  logger: Logger;
}): Promise<SharedTerminals> {
  const { link, store, clock, logger } = deps;
  const { peers } = store;
  if (peers === null) return { ...link, close() {} };
  const messageListeners = new Set<Parameters<TerminalLink['onMessage']>[0]>();
  const presenceListeners = new Set<Parameters<TerminalLink['onPresence']>[0]>();
  /** The terminals of other processes, by process. */
  const others = new Map<string, Set<string>>();
  /** By terminal: which process asked it something, and how many of its messages that is still told. */
  const askedBy = new Map<string, { by: string; left: number }>();
  const awaited = new Set<string>();
  let onAllThere = () => {};

  const tell = (news: News) => peers.tell(TOPIC, news);
  const holderOf = (key: string) => [...others].find(([, keys]) => keys.has(key))?.[0];
  const notePresence = (key: string) => {
    for (const listener of presenceListeners) listener(key);
  };
  const keysOf = (process: string) => {
    const keys = others.get(process) ?? new Set<string>();
    others.set(process, keys);
    return keys;
  };
  const forget = (process: string) => {
    const keys = others.get(process) ?? [];
    others.delete(process);
    for (const key of keys) notePresence(key);
  };

  function tellAll(): void {
    const pieces = inPieces(link.connected(), KEYS_AT_ONCE);
    if (pieces.length === 0) pieces.push([]);
    for (const [index, keys] of pieces.entries()) {
      tell({ kind: 'all', by: peers?.id ?? '', keys, isFirst: index === 0, isLast: index === pieces.length - 1 });
    }
  }

  function hear(news: News): void {
    switch (news.kind) {
      case 'who':
        return tellAll();
      case 'all':
        if (news.isFirst) forget(news.by);
        for (const key of news.keys) keysOf(news.by).add(key);
        for (const key of news.keys) notePresence(key);
        if (news.isLast && awaited.delete(news.by) && awaited.size === 0) onAllThere();
        return;
      case 'here':
        keysOf(news.by).add(news.key);
        return notePresence(news.key);
      case 'gone':
        others.get(news.by)?.delete(news.key);
        return notePresence(news.key);
      case 'ask':
        if (news.to !== peers?.id || !link.isConnected(news.key)) return;
        keepNewest(askedBy, ASKED_MAX - 1);
        askedBy.set(news.key, { by: news.by, left: ANSWERS_TOLD_MAX });
        link.publish(news.key, news.payload).catch((error: unknown) => {
          logger.warn({ err: error }, 'a terminal could not be asked for another process');
        });
        return;
      case 'said':
        if (news.to !== peers?.id) return;
        for (const listener of messageListeners) listener({ public_key: news.key, payload: news.payload });
    }
  }

  const stops = [
    peers.onTold(TOPIC, (told) => {
      // Another process may run another version of this program.
      const news = newsSchema.safeParse(told).data;
      if (news !== undefined) hear(news);
    }),
    peers.onMissed(() => tell({ kind: 'who' })),
    link.onPresence((key) => {
      tell({ kind: link.isConnected(key) ? 'here' : 'gone', by: peers.id, key });
      if (!link.isConnected(key)) askedBy.delete(key);
      notePresence(key);
    }),
    link.onMessage((message) => {
      for (const listener of messageListeners) listener(message);
      const asked = askedBy.get(message.public_key);
      if (asked === undefined) return;
      asked.left -= 1;
      if (asked.left === 0) askedBy.delete(message.public_key);
      tell({ kind: 'said', to: asked.by, key: message.public_key, payload: message.payload });
    }),
  ];
  const looking = every({
    clock,
    periodMs: LOOK_EVERY_MS,
    async work() {
      if (others.size === 0) return;
      const living = new Set((await allProcesses(store.reader)).map(({ id }) => id));
      for (const process of others.keys()) if (!living.has(process)) forget(process);
    },
    onError: (error) => logger.warn({ err: error }, 'it is not known which processes have terminals'),
  });

  for (const { id } of await allProcesses(store.reader)) if (id !== peers.id) awaited.add(id);
  if (awaited.size > 0) {
    const allThere = new Promise<void>((resolve) => (onAllThere = resolve));
    tell({ kind: 'who' });
    const timer = clock.setTimer(ROLL_CALL_MS, onAllThere);
    await allThere;
    timer.cancel();
  }
  tellAll();

  const listen = <Listener>(listeners: Set<Listener>, listener: Listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    isConnected: (key) => link.isConnected(key) || holderOf(key) !== undefined,
    connected: () => [...new Set([...link.connected(), ...[...others.values()].flatMap((keys) => [...keys])])],
    async publish(key, payload) {
      if (link.isConnected(key)) return link.publish(key, payload);
      const holder = holderOf(key);
      if (holder === undefined) return false;
      tell({ kind: 'ask', by: peers.id, to: holder, key, payload });
      return true;
    },
    onMessage: (listener) => listen(messageListeners, listener),
    onPresence: (listener) => listen(presenceListeners, listener),
    close() {
      for (const stop of stops) stop();
      looking.cancel();
    },
  };
}
