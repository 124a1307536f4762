/**
 * Applies what somebody did at a gateway itself: an entry of the audit log at the cloud's time, which has beside it when the gateway says that
 * it was done. A release of the lot, or its end, counts like one that was ordered here.
 */
import { DAY_MS } from '../../../../shared/durations.js';
import type { LocalActionRecord } from '../../../../shared/uplink.js';
import { findGatewayName, findProductPlaces } from '../../../equipment/entry.js';
import { appendBoundedAudit } from '../../../kernel/audit/entry.js';
import { findVehicleId, keepEarlyLetIn, noteLetIn } from '../../reading/handled-queries.js';
import { endStayOfLetOut } from '../../session/let-out-queries.js';
import type { Tx } from '../../../kernel/store/entry.js';
import { saveReleaseOrder } from '../../../site/entry.js';
import { markStale } from '../plan/batch-plan.js';
import { type RecordContext, UnusableRecord } from '../plan/context.js';
import { noteLocalOpenings } from './local-openings.js';

/** An honest gateway tells of far fewer in a day. */
const ENTRIES_A_DAY_MAX = 1_000;

/** @throws UnusableRecord when the product is not of the gateway's lot */
export async function applyLocalAction(tx: Tx, context: RecordContext, record: LocalActionRecord): Promise<void> {
  const { id: gateway_id, account_id, lot_id } = context.gateway;
  const { now } = context;
  const at = Math.min(context.placeTime(record.at_ms).at_ms, now);
  const product = await productOf(tx, context.gateway, record);
  const counts = await applyRelease(tx, { lot_id, gateway_id, at, now }, record);
  await applyLetIn(tx, context, record, at);
  const {
    action,
    by,
    address,
    plate,
    event_id,
    sighting_uid,
    reading_uid,
    outcome,
    gateway_error_type,
    count,
    operation,
  } = record;
  const known = { plate, event_id, sighting_uid, reading_uid, outcome, gateway_error_type };
  const details = {
    gateway_id,
    by,
    address,
    at: new Date(at).toISOString(),
    ...(operation === null ? {} : { values: { operation } }),
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
    ...(count === 1 ? {} : { count }),
    ...(counts ? {} : { is_overruled: true }),
  };
  const bound = { key: `gateway ${gateway_id}`, max: ENTRIES_A_DAY_MAX, periodMs: DAY_MS };
  const entry = {
    account_id,
    lot_id,
    actor_type: 'gateway',
    actor_id: gateway_id,
    action: `local_console.${action}`,
    target: targetOf(record.action, product, context.gateway),
    details,
    ...(action === 'ask_plate' ? { isRead: true as const } : {}),
    created_at: now,
  } as const;
  const others = { action: 'local_console.others', target: `gateway ${gateway_id}`, details: { gateway_id } };
  const isKept = await appendBoundedAudit(tx, bound, entry, others);
  if (isKept) await noteLocalOpenings(tx, context, record, { product_id: product, at });
}

/** @returns whether the order counts; true of what is none */
async function applyRelease(
  tx: Tx,
  { gateway_id, ...order }: { lot_id: number; gateway_id: number; at: number; now: number },
  { action, was_cut_off }: LocalActionRecord,
): Promise<boolean> {
  if (action !== 'release' && action !== 'release_clear') return true;
  const released_by = action === 'release' ? ((await findGatewayName(tx, gateway_id)) ?? 'gateway') : null;
  return saveReleaseOrder(tx, { ...order, released_by, from: was_cut_off ? 'cut_off_gateway' : 'gateway' });
}

/** A vehicle that was let in at the gateway itself counts as let in by the gateway, whose people have no names of their own. */
async function applyLetIn(
  tx: Tx,
  { gateway: { id, lot_id }, plan, now }: RecordContext,
  { action, outcome, sighting_uid, reading_uid }: LocalActionRecord,
  at: number,
): Promise<void> {
  if (action !== 'let_in' || outcome !== 'succeeded') return;
  const by = (await findGatewayName(tx, id)) ?? 'gateway';
  const reading = await findVehicleId(tx, { table: 'plate_readings', uid: reading_uid, lot_id });
  if (reading !== null) {
    await noteLetIn(tx, { table: 'plate_readings', id: reading }, { by, at, now });
    // Also where none fits: the gateway keeps to what it ended until it hears of the stays of the lot again.
    markStale(plan, lot_id, 'sessions');
    await endStayOfLetOut(tx, { id: reading, now });
  }
  if (sighting_uid !== null) {
    const lot = await noteLetIn(tx, { table: 'sightings', uid: sighting_uid, lot_id }, { by, at, now });
    if (lot === null) await keepEarlyLetIn(tx, { uid: sighting_uid, lot_id, by, at });
  }
  markStale(plan, lot_id, 'handled');
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
