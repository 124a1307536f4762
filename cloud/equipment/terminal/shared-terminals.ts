/**
 * The terminals of all cloud processes on one database as one link. A terminal is connected to one process, but the request to register it
 * may reach another. So each process sends the others the keys of its terminals, and passes on what these terminals answer.
 */
import { z } from 'zod';
import { type Clock, every, sleep } from '../../../shared/clock.js';
import { inPieces } from '../../../shared/grouping.js';
import { keepNewest } from '../../../shared/keep-newest.js';
import type { Logger } from '../../../shared/logger.js';
import { allProcesses } from '../../kernel/peers/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { TerminalLink } from './terminal-link.js';
import { createTerminalListeners, type TerminalListeners, type TerminalMessage } from './terminal-listeners.js';

const TOPIC = 'terminals';
/** How many keys one message has, so that it is not too long. */
const KEYS_AT_ONCE = 50;
/** How often the processes that had terminals are looked up, because some may have ended. */
const LOOK_EVERY_MS = 5_000;
/** How long a process that starts waits for the terminals of the others. */
const ALL_ANSWER_MS = 3_000;
/** For how many terminals at once the processes that asked are remembered, and how many messages of each are passed on. */
const ASKED_MAX = 100;
const ANSWER_NOTICES_MAX = 3;

const newsSchema = z.discriminatedUnion('kind', [
  /** A process that has missed messages asks all others for their terminals. */
  z.object({ kind: z.literal('who') }),
  /** All terminals of a process, in several parts. */
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

interface ShareDeps {
  link: TerminalLink;
  store: Pick<CloudStore, 'peers' | 'reader'>;
  clock: Clock;
  logger: Logger;
}

/** Resolves when the terminals of the other processes are known. With one process on the database the link is returned as it is. */
export async function shareTerminals(deps: ShareDeps): Promise<SharedTerminals> {
  const { link, store, clock, logger } = deps;
  const { peers } = store;
  if (peers === null) return { ...link, close() {} };
  const listeners = createTerminalListeners();
  const others = createOtherTerminals(listeners.notifyPresence);
  const notify = (news: News) => peers.notify(TOPIC, news);
  const asked = createAskedTerminals(notify);
  const handle = createNewsHandler(deps, { me: peers.id, notify, others, asked, listeners });

  const stops = [
    peers.onNotice(TOPIC, (notice) => {
      // Another process may run another version of this program.
      const news = newsSchema.safeParse(notice).data;
      if (news !== undefined) handle(news);
    }),
    peers.onMissed(() => notify({ kind: 'who' })),
    link.onPresence((key) => {
      notify({ kind: link.isConnected(key) ? 'here' : 'gone', by: peers.id, key });
      if (!link.isConnected(key)) asked.forget(key);
      listeners.notifyPresence(key);
    }),
    link.onMessage((message) => {
      listeners.notifyMessage(message);
      asked.passOn(message);
    }),
  ];
  const looking = every({
    clock,
    periodMs: LOOK_EVERY_MS,
    async work() {
      if (others.isEmpty) return;
      others.keepOnly(new Set((await allProcesses(store.reader)).map(({ id }) => id)));
    },
    onError: (error) => logger.warn({ err: error }, 'it could not be read which processes with terminals are running'),
  });

  const processes = (await allProcesses(store.reader)).map(({ id }) => id).filter((id) => id !== peers.id);
  if (processes.length > 0) {
    const allThere = others.whenComplete(processes);
    notify({ kind: 'who' });
    const limit = new AbortController();
    await Promise.race([allThere, sleep(clock, ALL_ANSWER_MS, limit.signal).catch(() => {})]);
    limit.abort();
  }
  notifyAll(link, peers.id, notify);

  return {
    isConnected: (key) => link.isConnected(key) || others.holderOf(key) !== undefined,
    connected: () => [...new Set([...link.connected(), ...others.keys()])],
    async publish(key, payload) {
      if (link.isConnected(key)) return link.publish(key, payload);
      const holder = others.holderOf(key);
      if (holder === undefined) return false;
      notify({ kind: 'ask', by: peers.id, to: holder, key, payload });
      return true;
    },
    onMessage: listeners.onMessage,
    onPresence: listeners.onPresence,
    close() {
      for (const stop of stops) stop();
      looking.cancel();
    },
  };
}

/** Sends the other processes all terminals that this one has. */
function notifyAll(link: TerminalLink, me: string, notify: (news: News) => void): void {
  const pieces = inPieces(link.connected(), KEYS_AT_ONCE);
  if (pieces.length === 0) pieces.push([]);
  for (const [index, keys] of pieces.entries()) {
    notify({ kind: 'all', by: me, keys, isFirst: index === 0, isLast: index === pieces.length - 1 });
  }
}

/** Handles what the other processes send. */
function createNewsHandler(
  { link, logger }: ShareDeps,
  parts: {
    me: string;
    notify: (news: News) => void;
    others: ReturnType<typeof createOtherTerminals>;
    asked: ReturnType<typeof createAskedTerminals>;
    listeners: TerminalListeners;
  },
): (news: News) => void {
  const { me, notify, others, asked, listeners } = parts;
  return (news) => {
    switch (news.kind) {
      case 'who':
        return notifyAll(link, me, notify);
      case 'all':
        if (news.isFirst) others.forget(news.by);
        others.add(news.by, news.keys);
        if (news.isLast) others.noteComplete(news.by);
        return;
      case 'here':
        return others.add(news.by, [news.key]);
      case 'gone':
        return others.delete(news.by, news.key);
      case 'ask':
        if (news.to !== me || !link.isConnected(news.key)) return;
        asked.note(news.key, news.by);
        link.publish(news.key, news.payload).catch((error: unknown) => {
          logger.warn({ err: error }, 'a terminal could not be asked for another process');
        });
        return;
      case 'said':
        if (news.to === me) listeners.notifyMessage({ public_key: news.key, payload: news.payload });
    }
  };
}

/** The terminals of the other processes, by process. @param notePresence called for each terminal that came or went */
function createOtherTerminals(notePresence: (key: string) => void) {
  const byProcess = new Map<string, Set<string>>();
  /** Processes that have not yet sent all that they have. */
  const awaited = new Set<string>();
  let onComplete = () => {};

  const forget = (process: string): void => {
    const keys = byProcess.get(process) ?? [];
    byProcess.delete(process);
    for (const key of keys) notePresence(key);
  };
  return {
    get isEmpty() {
      return byProcess.size === 0;
    },
    keys: (): string[] => [...byProcess.values()].flatMap((keys) => [...keys]),
    /** Finds the process to which a terminal is connected. */
    holderOf: (key: string): string | undefined => [...byProcess].find(([, keys]) => keys.has(key))?.[0],
    add(process: string, added: readonly string[]): void {
      const keys = byProcess.get(process) ?? new Set<string>();
      byProcess.set(process, keys);
      for (const key of added) keys.add(key);
      for (const key of added) notePresence(key);
    },
    delete(process: string, key: string): void {
      byProcess.get(process)?.delete(key);
      notePresence(key);
    },
    forget,
    /** Forgets the terminals of processes that are not among these. */
    keepOnly(living: ReadonlySet<string>): void {
      for (const process of byProcess.keys()) if (!living.has(process)) forget(process);
    },
    /** Resolves when each of these processes has sent all that it has. */
    whenComplete(processes: readonly string[]): Promise<void> {
      for (const process of processes) awaited.add(process);
      return new Promise<void>((resolve) => (onComplete = resolve));
    },
    noteComplete(process: string): void {
      if (awaited.delete(process) && awaited.size === 0) onComplete();
    },
  };
}

/** Own terminals that other processes asked something: the next messages of such a terminal are passed on to the process that asked. */
function createAskedTerminals(notify: (news: News) => void) {
  /** By terminal: the process that asked, and how many messages are still passed on. */
  const askedBy = new Map<string, { by: string; left: number }>();
  return {
    note(key: string, by: string): void {
      keepNewest(askedBy, ASKED_MAX - 1);
      askedBy.set(key, { by, left: ANSWER_NOTICES_MAX });
    },
    forget: (key: string) => void askedBy.delete(key),
    passOn({ public_key: key, payload }: TerminalMessage): void {
      const asked = askedBy.get(key);
      if (asked === undefined) return;
      asked.left -= 1;
      if (asked.left === 0) askedBy.delete(key);
      notify({ kind: 'said', to: asked.by, key, payload });
    },
  };
}
