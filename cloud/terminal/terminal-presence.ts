/** Keeps `status` and `last_seen` of registered terminals up to date. */
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CloudStore } from '../store/cloud-store.js';
import { saveTerminalStatus, terminalKeys } from './terminal-queries.js';
import type { TerminalLink } from './terminal-link.js';

export interface TerminalPresence {
  /** Resolves when what is known is written. */
  close(): Promise<void>;
}

/** Whether a terminal is connected is asked when it is written, so that the last write is right in whatever order changes come. */
export async function startTerminalPresence(deps: {
  store: CloudStore;
  link: TerminalLink;
  clock: Clock;
  logger: Logger;
}): Promise<TerminalPresence> {
  const { store, link, clock, logger } = deps;
  const changed = new Set<string>();
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (changed.size > 0) {
      const keys = [...changed];
      changed.clear();
      try {
        await store.change(async (tx) => {
          for (const public_key of keys) {
            const status = link.isConnected(public_key) ? 'online' : 'offline';
            await saveTerminalStatus(tx, { public_key, status, now: clock.now() });
          }
        });
      } catch (error) {
        logger.error({ err: error }, 'whether terminals are there could not be written');
      }
    }
    writing = undefined;
  }
  const note = (key: string) => {
    changed.add(key);
    writing ??= write();
  };

  const stop = link.onPresence(note);
  const noteAll = async () => {
    for (const key of await terminalKeys(store.reader)) note(key);
  };
  // Terminals that were connected when the cloud stopped may be gone.
  await noteAll();
  const stopForeign = store.onForeignChange(() => {
    noteAll().catch((error: unknown) => logger.error({ err: error }, 'terminals could not be read'));
  });
  return {
    async close() {
      stop();
      stopForeign();
      await writing;
    },
  };
}
