import { applyDirect } from './apply-direct.js';
import { type BatchScope, timePlacer } from './batch-scope.js';
import { insertDeadLetters } from './ingest-queries.js';
import { deadLetterOf } from './plan-batch.js';
import type { RecordContext } from './record-context.js';
import { UnusableRecord } from './unusable-record.js';

/**
 * Applies the records of the plan that query the database themselves. A record that turns out to be unusable has written nothing.
 * @returns how many were
 */
export async function applyDirectRecords(scope: BatchScope): Promise<number> {
  const { deps, place, plan, gateway, epoch, lane, now } = scope;
  if (place === null) return 0;
  const { tx } = deps;
  let unusable = 0;
  for (const { record, payload } of plan.direct) {
    const placeTime = timePlacer(deps, gateway, { record, now });
    try {
      const context: RecordContext = {
        tx,
        gateway: place,
        record,
        now,
        placeTime,
        markStale: (section) => void plan.stale.add(section),
        applyPairingOffer: (offer) => deps.commands.applyOffer(tx, { gateway_id: gateway.id, record: offer }),
        applyCommandResult: (result) => deps.commands.applyResult(tx, { gateway_id: gateway.id, ...result }),
      };
      await applyDirect(context, payload);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      unusable += 1;
      const letter = deadLetterOf(
        { deps, gateway, now },
        { ...record, raw: record, epoch, lane, reason: error.message },
      );
      await insertDeadLetters(tx, [letter]);
    }
  }
  return unusable;
}
