/**
 * Applies records that are too rare to be planned: each has statements of its own, after the rest of its batch and in the same
 * transaction. An unusable one throws UnusableRecord before anything is written.
 */
import type { CommandResultRecord, PairingOfferRecord } from '../../../shared/uplink.js';
import { applyParkingGatewayStatus, applyPlaceChange } from './apply-sensor-change.js';
import type { DirectPayload } from './direct-record.js';
import type { RecordContext } from './record-context.js';
import { UnusableRecord } from './unusable-record.js';

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
  if (!(await context.applyCommandResult({ record: payload, at_ms }))) {
    throw new UnusableRecord(
      `no command ${payload.event_id} for product ${payload.product_id} was given to the gateway`,
    );
  }
}

async function applyPairingOffer(context: RecordContext, payload: PairingOfferRecord): Promise<void> {
  if (!(await context.applyPairingOffer(payload))) {
    throw new UnusableRecord(
      `no pairing ${payload.event_id} of product ${payload.product_id} was given to the gateway`,
    );
  }
}
