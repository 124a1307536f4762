/**
 * Applies what somebody did at a gateway itself: an entry of the audit log, at the time when it was done, however late the gateway can tell of
 * it. A release of the lot, or its end, counts like one that was ordered here.
 */
import type { LocalActionRecord } from '../../../../shared/uplink.js';
import { findGatewayName, findProductPlaces } from '../../../equipment/entry.js';
import { appendAudit } from '../../../kernel/audit/entry.js';
import type { Tx } from '../../../kernel/store/entry.js';
import { saveLotRelease } from '../../../site/entry.js';
import { type RecordContext, UnusableRecord } from '../plan/context.js';

/** @throws UnusableRecord when the product is not of the gateway's lot */
export async function applyLocalAction(tx: Tx, context: RecordContext, record: LocalActionRecord): Promise<void> {
  const { id: gateway_id, account_id, lot_id } = context.gateway;
  const at = context.placeTime(record.at_ms).at_ms;
  const product = await productOf(tx, context.gateway, record);
  const { action, by, address, event_id, sighting_uid, outcome, gateway_error_type, count, operation } = record;
  const known = { event_id, sighting_uid, outcome, gateway_error_type };
  const details = {
    gateway_id,
    by,
    address,
    ...(operation === null ? {} : { values: { operation } }),
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
    ...(count === 1 ? {} : { count }),
  };
  await appendAudit(tx, [
    {
      account_id,
      lot_id,
      actor_type: 'gateway',
      actor_id: gateway_id,
      action: `local_console.${action}`,
      target: targetOf(record.action, product, context.gateway),
      details,
      created_at: at,
    },
  ]);
  if (action === 'release_clear') await saveLotRelease(tx, { id: lot_id, at, released_by: null });
  if (action === 'release') {
    await saveLotRelease(tx, { id: lot_id, at, released_by: (await findGatewayName(tx, gateway_id)) ?? 'gateway' });
  }
}

/** null: of none, or of one that was removed meanwhile. What was done there is told nevertheless, of the gateway. */
async function productOf(
  tx: Tx,
  of: { account_id: number; lot_id: number },
  { product_id }: LocalActionRecord,
): Promise<number | null> {
  if (product_id === null) return null;
  const [product] = await findProductPlaces(tx, [product_id]);
  if (product === undefined) return null;
  if (product.account_id === of.account_id && product.lot_id === of.lot_id) return product_id;
  throw new UnusableRecord(`product ${product_id} is not of the gateway's lot`);
}

function targetOf(
  action: LocalActionRecord['action'],
  product: number | null,
  of: { id: number; lot_id: number },
): string {
  if (product !== null) return `product ${product}`;
  return action === 'release' || action === 'release_clear' ? `lot ${of.lot_id}` : `gateway ${of.id}`;
}
