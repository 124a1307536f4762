/** What becomes of the device of a gateway when that gets another one, or none. */
import { GENERATION_MAX } from '../../../shared/product-protocol/token-codec.js';
import type { StandingEnded } from '../../../shared/gateway-standing.js';
import { LOCKS, type Tx, updateRow } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { GatewayRow } from './gateway-queries.js';
import { retireDevice } from './retired-device-queries.js';
import { assignGatewaySlot, revokeGatewaySlot } from './slot-revocation-queries.js';

/** The columns of a gateway without a device. */
export const unclaimed = {
  status: 'offline',
  agent_version: null,
  last_seen: null,
  public_key: null,
  mqtt_password_hash: null,
  claimed_code_hash: null,
  presence_boot_id: null,
  presence_connection: null,
  device_since: null,
  console_password_sealed: null,
  console_password_verifier: null,
  console_password_set_at: null,
} as const;

/** The columns of a gateway without a claim code. */
export const withdrawn = { claim_code_hash: null, claim_expires_at: null, claim_keeps_secrets: 0 } as const;

/**
 * The present device, which may have been stolen, is the gateway no more: it is told when it asks, and the products refuse its credentials.
 * The gateway gets another slot. In a full lot the slot stays, and the next device works once another gateway has told the products.
 * @returns the slot of the next device; nothing when there was none
 */
export async function replaceDevice(
  tx: Tx,
  gateway: GatewayRow,
  { why, now }: { why: StandingEnded; now: number },
): Promise<Partial<{ slot: number; slot_generation: number }>> {
  const { lot_id } = gateway;
  if (gateway.public_key === null) return {};
  await retireDevice(tx, gateway, { why, now });
  if (lot_id === null) return {};
  await revokeGatewaySlot(tx, gateway, now);
  const { slot, generation } = (await assignGatewaySlot(tx, lot_id)) ?? {
    slot: gateway.slot,
    generation: Math.min(gateway.slot_generation + 1, GENERATION_MAX),
  };
  return { slot, slot_generation: generation };
}

/** Ends the claim of a gateway: it waits for a device, and a new code. What follows after the commit is the caller's. */
export async function resetGateway(tx: Tx, gateway: GatewayRow, now: number): Promise<void> {
  const { id, account_id, lot_id, uuid, status } = gateway;
  await tx.lock(LOCKS.gatewaySlots);
  const slot = await replaceDevice(tx, gateway, { why: 'reset', now });
  await updateRow(tx, 'gateways', {
    id,
    set: { ...unclaimed, ...slot, ...withdrawn, claimed_at: null, updated_at: now },
  });
  noteAudit(tx, { account_id, lot_id, target: `gateway ${id}` });
  if (status === 'online' && uuid !== null)
    tx.journal({ account_id, lot_id, event: 'gateway_status', payload: { uuid, status: 'offline' } });
}
