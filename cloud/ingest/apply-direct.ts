/**
 * Records that are too rare to be worth a plan: each is applied by statements of its own, after the rest of its batch and in
 * the same transaction. They throw UnusableRecord before anything is written.
 */
import type { RecordPayload } from '../../shared/uplink.js';
import { applyParkingGatewayStatus, applyPlaceChange } from './apply-sensor-change.js';
import type { RecordContext } from './record-context.js';

const DIRECT_KINDS = ['place_change', 'parking_gateway_status'] as const;
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
  }
}
