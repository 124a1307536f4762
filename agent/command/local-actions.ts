/** Tells the cloud what people do at the gateway itself, for its audit log. */
import type { Clock, Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { Lane, LocalActionRecord } from '../../shared/uplink.js';
import { type OpenSessions, type OwnChange, storedChange } from '../access/open-sessions.js';
import type { AgentStore, RecordStamp } from '../store/agent-store.js';

/** The caller. */
export type Asking = Pick<LocalActionRecord, 'by' | 'address'>;

type ActionFacts = Omit<LocalActionRecord, 'kind' | 'at_ms' | 'count' | 'action' | 'was_cut_off'>;

/** Refused sign-ins are told at once, and those of this time after them together: a stranger's guesses must not fill the queue. */
const FOLDED_MS = 10 * 60_000;

export interface LocalActions {
  /** The latest actions on products since the start, newest first: a few, for whoever looks at the gateway's page. */
  recent(): readonly RecentAction[];
  /**
   * Keeps a record. An action of a gateway that belongs to no cloud is told to nobody. @param at_ms left out: now
   * @param ended the stays that it ended, which are kept with it
   * @returns when it is kept, or could not be. Never rejects
   */
  note(
    action: Exclude<LocalActionRecord['action'], 'sign_in_refused'>,
    facts: Partial<ActionFacts> & Asking,
    at_ms?: number,
    ended?: OwnChange[],
  ): Promise<void>;
  noteRefusedSignIn(asking: Asking): void;
  /** Keeps what was not told yet. */
  close(): Promise<void>;
}

/** As `note` was told of it. */
export type RecentAction = Pick<LocalActionRecord, 'action' | 'product_id' | 'operation' | 'outcome' | 'at_ms'>;

const RECENT_MAX = 20;
/** Signing in moves nothing. */
const DONE_WITH_PRODUCTS: ReadonlySet<string> = new Set(['operation', 'let_in', 'release', 'release_clear']);

export interface LocalActionsDeps {
  store: Pick<AgentStore, 'append' | 'recordLetIn'>;
  sessions: Pick<OpenSessions, 'committed'>;
  stamp(): RecordStamp;
  isClaimed: boolean;
  isConnected(): boolean;
  onCommitted(lane: Lane): void;
  clock: Clock;
  logger: Logger;
}

const NOTHING_MORE = {
  plate: null,
  product_id: null,
  operation: null,
  event_id: null,
  sighting_uid: null,
  reading_uid: null,
  outcome: null,
  gateway_error_type: null,
} as const;

export function createLocalActions(deps: LocalActionsDeps): LocalActions {
  const { store, clock, logger } = deps;
  const writing = new Set<Promise<void>>();
  const recent: RecentAction[] = [];
  /** Refused sign-ins that are not told yet, of which the last one says from where. */
  let folded: { asking: Asking; count: number } | null = null;
  let foldTimer: Timer | null = null;

  /** Keeps an action for a refused read with the stay that it ended. */
  async function write(record: LocalActionRecord, ended: OwnChange[]): Promise<void> {
    const { reading_uid } = record;
    if (reading_uid === null) return void (await store.append({ ...deps.stamp(), lane: 0, payload: record }));
    const commit = { ...deps.stamp(), record: { ...record, reading_uid }, sessions: ended.map(storedChange) };
    deps.sessions.committed(ended, await store.recordLetIn(commit));
  }

  function keep(record: Omit<LocalActionRecord, 'kind' | 'was_cut_off'>, ended: OwnChange[] = []): Promise<void> {
    if (!deps.isClaimed) return Promise.resolve();
    const kept = write({ kind: 'local_action', was_cut_off: !deps.isConnected(), ...record }, ended).then(
      () => deps.onCommitted(0),
      (error: unknown) =>
        logger.error({ err: error, action: record.action }, 'what was done here could not be kept for the cloud'),
    );
    writing.add(kept);
    void kept.finally(() => writing.delete(kept));
    return kept;
  }

  const keepRefused = (asking: Asking, count: number) =>
    void keep({ action: 'sign_in_refused', ...NOTHING_MORE, ...asking, at_ms: clock.now(), count });

  function recordFolded(): void {
    foldTimer = null;
    if (folded === null) return;
    keepRefused(folded.asking, folded.count);
    folded = null;
    foldTimer = clock.setTimer(FOLDED_MS, recordFolded);
  }

  return {
    recent: () => recent,
    note(action, facts, at_ms = clock.now(), ended = []) {
      if (DONE_WITH_PRODUCTS.has(action)) {
        const { product_id, operation, outcome } = { ...NOTHING_MORE, ...facts };
        recent.unshift({ action, product_id, operation, outcome, at_ms });
        recent.length = Math.min(recent.length, RECENT_MAX);
      }
      return keep({ action, ...NOTHING_MORE, ...facts, at_ms, count: 1 }, ended);
    },
    noteRefusedSignIn(asking) {
      if (foldTimer !== null) {
        folded = { asking, count: (folded?.count ?? 0) + 1 };
        return;
      }
      keepRefused(asking, 1);
      foldTimer = clock.setTimer(FOLDED_MS, recordFolded);
    },
    async close() {
      foldTimer?.cancel();
      if (folded !== null) keepRefused(folded.asking, folded.count);
      await Promise.all(writing);
    },
  };
}
