import { applyDirect } from './apply-direct.js';
import { markStale } from './batch-plan.js';
import { type BatchScope, timePlacer } from './batch-scope.js';
import type { NewRow } from '../../kernel/entry.js';
import { insertDeadLetters } from './ingest-queries.js';
import { deadLetterOf } from './plan-batch.js';
import type { RecordContext } from './record-context.js';
import { UnusableRecord } from './unusable-record.js';

/** Applies the records that query the database themselves. A record that turns out to be unusable has written nothing. */
export async function applyDirectRecords(scope: BatchScope): Promise<void> {
  const { deps, place, plan, gateway, epoch, lane, now } = scope;
  if (place === null) return;
  const { tx } = deps;
  const letters: NewRow<'dead_letters'>[] = [];
  for (const { record, payload } of scope.direct) {
    const placeTime = timePlacer(deps, gateway, { record, now });
    try {
      const context: RecordContext = {
        tx,
        gateway: place,
        record,
        now,
        placeTime,
        markStale: (section) => markStale(plan, place.lot_id, section),
        applyPairingOffer: (offer) => deps.commands.applyOffer(tx, { gateway_id: gateway.id, record: offer }),
        applyCommandResult: (result) => deps.commands.applyResult(tx, { gateway_id: gateway.id, ...result }),
      };
      await applyDirect(context, payload);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      const letter = deadLetterOf(
        { deps, gateway, now },
        { ...record, raw: record, epoch, lane, reason: error.message },
      );
      letters.push(letter);
    }
  }
  scope.givenUp += letters.length;
  await insertDeadLetters(tx, letters);
}
