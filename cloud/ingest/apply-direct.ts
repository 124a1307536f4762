/**
 * Records that are too rare to be worth a plan: each is applied by statements of its own, after the rest of its batch and in
 * the same transaction. They throw UnusableRecord before anything is written.
 */
import type { CommandResultRecord, PairingOfferRecord, RecordPayload } from '../../shared/uplink.js';
import { applyParkingGatewayStatus, applyPlaceChange } from './apply-sensor-change.js';
import { UnusableRecord } from './batch-plan.js';
import type { RecordContext } from './record-context.js';

const DIRECT_KINDS = ['place_change', 'parking_gateway_status', 'command_result', 'pairing_offer'] as const;
export type DirectPayload = Extract<RecordPayload, { kind: (typeof DIRECT_KINDS)[number] }>;

export function isDirect(payload: RecordPayload): payload is DirectPayload {
  return DIRECT_KINDS.some((kind) => kind === payload.kind);
}

export function applyDirect(context: RecordContext, payload: DirectPayload): Promise<void> {
  switch (payload.kind) {
    case 'place_change':
      return applyPlaceChange(context, payload);
    case 'parking_gateway_status':
      return applyParkingGatewayStatus(context, payload);
    case 'command_result':
      return applyCommandResult(context, payload);
    case 'pairing_offer':
      return applyPairingOffer(context, payload);
  }
}

async function applyCommandResult(context: RecordContext, payload: CommandResultRecord): Promise<void> {
  const at_ms = context.placeTime(context.record.wall_ms).at_ms;
  const step = await context.takeCommandResult({ record: payload, at_ms });
  if (step === null) {
    throw new UnusableRecord(
      `no command ${payload.event_id} for product ${payload.product_id} was given to the gateway`,
    );
  }
  if (step.isPaired === true) context.dirty.add('products').add('plates');
  context.commandSteps.push(step);
}

async function applyPairingOffer(context: RecordContext, payload: PairingOfferRecord): Promise<void> {
  const step = await context.takePairingOffer(payload);
  if (step === null) {
    throw new UnusableRecord(
      `no pairing ${payload.event_id} of product ${payload.product_id} was given to the gateway`,
    );
  }
  context.commandSteps.push(step);
}
