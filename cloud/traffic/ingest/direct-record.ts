/** Records that are applied one by one, because they query the database first. */
import type { RecordPayload } from '../../../shared/uplink.js';

const DIRECT_KINDS = ['place_change', 'parking_gateway_status', 'command_result', 'pairing_offer'] as const;

export type DirectPayload = Extract<RecordPayload, { kind: (typeof DIRECT_KINDS)[number] }>;

export function isDirect(payload: RecordPayload): payload is DirectPayload {
  return DIRECT_KINDS.some((kind) => kind === payload.kind);
}
