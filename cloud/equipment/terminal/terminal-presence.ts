/** Keeps `status` and `last_seen` of registered terminals up to date. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { type CloudStore, includesOneOf } from '../../kernel/store/entry.js';
import { notedTerminals, registeredOf, saveTerminalStatus } from './terminal-queries.js';
import type { TerminalLink } from './terminal-link.js';

export interface TerminalPresence {
  /** Resolves when the last known status is written. */
  close(): Promise<void>;
}

/** The link is asked at each write whether a terminal is connected, so that the last write is right in whatever order changes come. */
export async function startTerminalPresence(deps: {
  store: CloudStore;
  link: TerminalLink;
  clock: Clock;
  logger: Logger;
}): Promise<TerminalPresence> {
  const { store, link, clock, logger } = deps;
  const changed = new Set<string>();
  let writing: Promise<void> | undefined;
  const statusOf = (key: string) => (link.isConnected(key) ? 'online' : 'offline');

  async function write(): Promise<void> {
    while (changed.size > 0) {
      const noted = [...changed];
      changed.clear();
      try {
        // Anybody can connect with invented keys. They are sorted out by a read, so that other writes do not wait for them.
        const keys = await registeredOf(store.reader, noted);
        if (keys.length === 0) continue;
        await store.change(async (tx) => {
          for (const public_key of keys) {
            await saveTerminalStatus(tx, { public_key, status: statusOf(public_key), now: clock.now() });
          }
        });
      } catch (error) {
        logger.error({ err: error }, 'the status of terminals could not be written');
      }
    }
    writing = undefined;
  }
  const note = (key: string) => {
    changed.add(key);
    writing ??= write();
  };

  const stop = link.onPresence(note);
  /** Writes only wrong statuses, because each process is notified of the other's writes and would answer them for ever. */
  const correct = async () => {
    for (const { public_key, status } of await notedTerminals(store.reader)) {
      if (status !== statusOf(public_key)) note(public_key);
    }
  };
  // Terminals that were connected when the cloud stopped may be gone.
  await correct();
  const stopForeign = store.onForeignChange(({ written }) => {
    if (!includesOneOf(written, ['terminals'])) return;
    correct().catch((error: unknown) => logger.error({ err: error }, 'terminals could not be read'));
  });
  return {
    async close() {
      stop();
      stopForeign();
      await writing;
    },
  };
}
