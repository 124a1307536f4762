/**
 * Applies records that are too rare to be planned: each has statements of its own, after the rest of its batch and in the same
 * transaction.
 */
import type { NewRow, Tx } from '../../../kernel/store/entry.js';
import type { CommandDispatcher } from '../../../equipment/entry.js';
import { insertDeadLetters } from '../ingest-queries.js';
import { type DirectRecord, UnusableRecord } from '../plan/context.js';
import { deadLetterOf } from '../plan/plan-part.js';
import { applyLocalAction } from './apply-local-action.js';
import { applyParkingGatewayStatus, applyPlaceChange } from './apply-sensor-change.js';
import { errorText } from '../../../../shared/error-text.js';
import { createLotCounts, type LotCounts } from './lot-counts.js';

interface DirectDeps {
  tx: Tx;
  commands: Pick<CommandDispatcher, 'applyResult' | 'applyOffer'>;
}

/** Applies the records. One that turns out to be unusable has written nothing, and becomes a dead letter. */
export async function applyDirectRecords(deps: DirectDeps, records: readonly DirectRecord[]): Promise<void> {
  const letters: NewRow<'dead_letters'>[] = [];
  const [first] = records;
  if (first === undefined) return;
  const counts = createLotCounts({ tx: deps.tx, now: first.context.now });
  for (const direct of records) {
    try {
      await applyDirect(deps, counts, direct);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      const { part, record } = direct.context;
      const { epoch, lane } = part;
      letters.push(deadLetterOf(direct.context, { ...record, raw: record, epoch, lane, reason: errorText(error) }));
    }
  }
  await insertDeadLetters(deps.tx, letters);
}

async function applyDirect(
  { tx, commands }: DirectDeps,
  counts: LotCounts,
  { context, payload }: DirectRecord,
): Promise<void> {
  const gateway_id = context.gateway.id;
  switch (payload.kind) {
    case 'place_change':
      return applyPlaceChange({ tx, counts }, context, payload);
    case 'parking_gateway_status':
      return applyParkingGatewayStatus(tx, context, payload);
    case 'command_result': {
      const at_ms = context.placeTime(context.record.wall_ms).at_ms;
      const isGiven = await commands.applyResult(tx, { gateway_id, record: payload, at_ms });
      return requireGiven(isGiven, 'command', payload);
    }
    case 'local_action':
      return applyLocalAction(tx, context, payload);
    case 'pairing_offer':
      return requireGiven(await commands.applyOffer(tx, { gateway_id, record: payload }), 'pairing', payload);
  }
}

function requireGiven(
  isGiven: boolean,
  what: 'command' | 'pairing',
  { event_id, product_id }: { event_id: string; product_id: number },
): void {
  if (isGiven) return;
  const of = what === 'command' ? 'for' : 'of';
  throw new UnusableRecord(`no ${what} ${event_id} ${of} product ${product_id} was given to the gateway`);
}
