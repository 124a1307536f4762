/** Composes the facts by which the gateway decides, with everything that the store kept when the program ended. */
import type { Logger } from '../../shared/logger.js';
import type { AgentStore } from '../store/agent-store.js';
import { type AccessRules, createAccessRules } from './access-rules.js';
import { createHandledVehicles, type HandledVehicles } from './handled-vehicles.js';
import { createOpenSessions, type OpenSessions } from './open-sessions.js';
import { createRecentReads, type RecentReads } from './recent-reads.js';

export interface Memory {
  sessions: OpenSessions;
  rules: AccessRules;
  recent: RecentReads;
  handled: HandledVehicles;
}

export async function composeMemory({ store, logger }: { store: AgentStore; logger: Logger }): Promise<Memory> {
  const { boot } = store;
  const sessions = createOpenSessions();
  // The configuration fills the sessions first, and then what this gateway decided itself.
  const rules = createAccessRules({ boot, sessions, logger });
  sessions.setOutboxEpoch((await store.outboxState()).epoch, 0);
  const handled = createHandledVehicles({ rules, latest: boot.latest, openings: boot.intents });
  const unknownOpenings = new Set(boot.intents.map((intent) => intent.reading_uid));
  const recent = createRecentReads(boot.recent_reads, unknownOpenings, (uid) => {
    const done = handled.of(uid);
    return done?.how === 'let_in' ? done.at_ms : null;
  });
  return { sessions, rules, recent, handled };
}
