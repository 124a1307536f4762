/** Cuts off gateways that are being deleted. */
import { deleteRow, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Gone } from '../../rest/entry.js';
import { retireDevice } from './retired-device-queries.js';
import { revokeGatewaySlot } from './slot-revocation-queries.js';
import { findGatewayUuid, gatewayIdsOfLot, gatewaysByIds, keepGateway } from './gateway-queries.js';

/** Keeps a gateway that is being deleted, journals that it is offline, has products refuse it, and ends its connection after the commit. */
export async function cutOffGateway(tx: Tx, { id, cutOff, now }: Gone): Promise<void> {
  const uuid = await findGatewayUuid(tx, id);
  if (uuid === null) return;
  await tx.lock(LOCKS.gatewaySlots, LOCKS.presence(uuid));
  const [gateway] = await gatewaysByIds(tx, [id]);
  if (gateway !== undefined) await retireDevice(tx, gateway, { why: 'deleted', now });
  const products_untold = gateway === undefined ? [] : await revokeGatewaySlot(tx, gateway, now);
  if (products_untold.length > 0) noteAudit(tx, { details: { products_untold } });
  if (gateway?.status === 'online') {
    const { account_id, lot_id } = gateway;
    tx.journal({ account_id, lot_id, event: 'gateway_status', payload: { uuid, status: 'offline' } });
  }
  await keepGateway(tx, { id, uuid, deleted_at: now });
  if (cutOff !== undefined) tx.onCommit(() => cutOff({ id, uuid }));
}

/** Deletes the gateways of a lot that is being deleted. */
export async function deleteGatewaysOfLot(tx: Tx, lot: Gone): Promise<void> {
  for (const id of await gatewayIdsOfLot(tx, lot.id)) {
    await cutOffGateway(tx, { ...lot, id });
    await deleteRow(tx, 'gateways', id);
  }
}
