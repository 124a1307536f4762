/** Composes what terminals have to do with: their registration, and whether they are there. */
import * as nodeCrypto from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { shareTerminals } from './shared-terminals.js';
import type { TerminalLink } from './terminal-link.js';
import { startTerminalPresence } from './terminal-presence.js';
import { createTerminalRegistrations } from './terminal-registrations.js';

/** @param ownLink to the terminals that are connected to this process */
export async function composeTerminals(
  { terminalWaitMs: waitMs }: { terminalWaitMs: number },
  { store, clock, logger }: { store: CloudStore; clock: Clock; logger: Logger },
  ownLink: TerminalLink,
) {
  const link = await shareTerminals({ store, link: ownLink, clock, logger });
  const terminals = createTerminalRegistrations({ link, clock, waitMs, generateRequestId: nodeCrypto.randomUUID });
  const presence = await startTerminalPresence({ store, link, clock, logger });
  return {
    terminals,
    isTerminalConnected: link.isConnected,
    /** Ends the registrations that wait for a terminal, as not answered. */
    endWaiting: terminals.close,
    async close() {
      await presence.close();
      link.close();
    },
  };
}
