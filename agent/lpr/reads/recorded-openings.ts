/** Opens products for readings, and records the outcome of each opening, also of one that a crash interrupted. */
import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { ProductDeviceId, Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { OpeningResultRecord } from '../../../shared/uplink.js';
import type { RecentReads } from '../../access/recent-reads.js';
import { type CommandOutcome, failedAttempt, type ProductCommander } from '../../product/product-commander.js';
import type { AgentStore, RecordStamp } from '../../store/agent-store.js';
import { createProductOpener, type Opening } from './product-opener.js';
import type { ReadKeeper } from './read-keeper.js';

export interface RecordedOpeningsDeps {
  store: Pick<AgentStore, 'boot' | 'recordOutcome'>;
  commander: ProductCommander;
  recent: Pick<RecentReads, 'setOpeningFailed'>;
  clock: Clock;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  logger: Logger;
  onCommitted: (lane: 0) => void;
}

export interface RecordedOpenings {
  /**
   * Gives the command before it returns. The outcome is recorded after the read.
   * @param isRefused no command is given, because the product is held closed
   */
  open(readingUid: Uid, command: Opening, options: { productId: number; isRefused: boolean }): void;
  /** Notes that a vehicle was read at the product. Another plate ends the attempts for an earlier one. */
  onPlateRead(deviceId: ProductDeviceId, plate: string): void;
  /** Ends all retries, and waits for the openings under way. */
  close(): Promise<void>;
}

/** Records each opening of an earlier run that has no outcome as `unknown`. It is never done again. */
export function createRecordedOpenings(
  deps: RecordedOpeningsDeps,
  keeper: Pick<ReadKeeper, 'keepAfter'>,
): RecordedOpenings {
  const { store, recent, logger } = deps;
  const opener = createProductOpener(deps);
  const opening = new Set<Promise<void>>();

  function recordOutcome(intent: Omit<OpeningResultRecord, 'kind'>): Promise<void> {
    const commit = { ...deps.stamp(deps.newUid()), record: { kind: 'opening_result' as const, ...intent } };
    return keeper.keepAfter(intent.reading_uid, commit.uid, async () => {
      await store.recordOutcome(commit);
      deps.onCommitted(0);
    });
  }

  const refused = new Set(store.boot.recent_reads.flatMap(({ uid, allowed }) => (allowed === true ? [] : uid)));
  for (const intent of store.boot.intents) {
    // A read that let nobody through opened nothing: a person did.
    const by = refused.has(intent.reading_uid) ? ({ is_on_site: true } as const) : {};
    void recordOutcome({ ...intent, outcome: 'unknown', gateway_error_type: null, ...by });
  }

  return {
    open(readingUid, command, { productId, isRefused }) {
      const outcome = isRefused
        ? Promise.resolve(failedAttempt(GATEWAY_ERROR.BUSY))
        : opener.open(command, () => recent.setOpeningFailed(readingUid, true));
      const recorded = outcome.then((result) => {
        recent.setOpeningFailed(readingUid, result.outcome === 'failed');
        if (result.outcome === 'failed') {
          const { device_id, event_id } = command;
          logger.warn(
            { uid: readingUid, event_id, device_id, type: result.type },
            isRefused
              ? 'an admitted vehicle stands at an entry that is held closed: it is not opened'
              : 'opening of an admitted vehicle failed',
          );
        }
        return recordOutcome({
          reading_uid: readingUid,
          event_id: command.event_id,
          product_id: productId,
          ...outcomeOf(result),
        });
      });
      const tracked = recorded.finally(() => opening.delete(tracked));
      opening.add(tracked);
    },
    onPlateRead: opener.onPlateRead,
    async close() {
      opener.close();
      await Promise.all(opening);
    },
  };
}

function outcomeOf(result: CommandOutcome): Pick<OpeningResultRecord, 'outcome' | 'gateway_error_type'> {
  return result.outcome === 'succeeded'
    ? { outcome: 'succeeded', gateway_error_type: null }
    : { outcome: 'failed', gateway_error_type: result.type };
}
