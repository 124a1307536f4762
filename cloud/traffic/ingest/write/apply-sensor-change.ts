/** Applies what a gateway heard of places and of parking gateways. */
import type { ParkingGatewayStatusRecord, PlaceChangeRecord } from '../../../../shared/uplink.js';
import {
  findDeletedParkingGateway,
  findParkingGateway,
  findWatchedPlace,
  lotDetectionChange,
  parkingGatewayStateChange,
  parkingPlaceChange,
  saveDeletedPlaceOccupancy,
  saveParkingGatewaySeen,
  saveParkingGatewayStatus,
  savePlaceHeard,
  savePlaceOccupancy,
  wasWatchedBy,
  type WatchedPlace,
  zoneChange,
} from '../../../equipment/entry.js';
import { LOCKS, type Row, type Tx } from '../../../kernel/store/entry.js';
import { findZone } from '../../../site/entry.js';
import { noteCountChange } from '../../occupancy/occupancy-history-queries.js';
import type { LotGateway } from '../load/batch-parts.js';
import { markStale } from '../plan/batch-plan.js';
import { type RecordContext, UnusableRecord } from '../plan/context.js';
import type { LotCounts } from './lot-counts.js';

/**
 * Stores the place and journals its three events, in their order (specification, "Occupancy events"), unless the cloud already knows it.
 * Each statement reads or writes rows by their keys.
 */
export async function applyPlaceChange(
  { tx, counts }: { tx: Tx; counts: LotCounts },
  context: RecordContext,
  payload: PlaceChangeRecord,
): Promise<void> {
  const { plan, gateway, now } = context;
  const { parking_place_id, occupancy_status } = payload;
  await tx.lock(LOCKS.occupancy(gateway.lot_id));
  const before = await findWatchedPlace(tx, parking_place_id);
  if (before === undefined && (await isDeletedPlaceSaved(tx, context, payload))) return;
  const isWatched =
    before !== undefined && before.lot_id === gateway.lot_id && (await isOrWasWatched(tx, gateway, before));
  if (!isWatched) throw new UnusableRecord(`place ${parking_place_id} is not watched by the gateway`);
  // Another gateway watches the place by now: it would never correct what a late record of the earlier one says.
  if (before.gateway_id !== null && before.gateway_id !== gateway.id) return;
  const changed_at = context.placeTime(payload.event_ms, payload.time_source).at_ms;
  if (before.parking_gateway_id !== null) {
    await saveParkingGatewaySeen(tx, { id: before.parking_gateway_id, last_seen: Math.min(changed_at, now) });
  }
  if (before.occupancy_status === occupancy_status) {
    if (before.first_heard_at !== null) return;
    // The state stays, but from its first report on the sensor counts for the zone.
    await savePlaceHeard(tx, { id: parking_place_id, first_heard_at: changed_at });
    counts.noteHeard(before);
    markStale(plan, gateway.lot_id, 'zones');
    return;
  }

  const place = await savePlaceOccupancy(tx, { id: parking_place_id, occupancy_status, changed_at, now });
  const { ofZone, ofLot } = await counts.noteChange(place, occupancy_status === 'occupied' ? 1 : -1);
  const zone = await findZone(tx, place.zone_id);
  await noteHistory(tx, { place, changed_at, ofZone });
  const owner = { account_id: gateway.account_id, lot_id: gateway.lot_id };
  const lot = lotDetectionChange({ id: gateway.lot_id, occupied_count: ofLot });
  tx.journal({ ...owner, event: 'lot_detection_change', payload: lot });
  tx.journal({ ...owner, event: 'zone_change', payload: zoneChange(zone, ofZone) });
  tx.journal({ ...owner, event: 'parking_place_change', payload: parkingPlaceChange(place) });
  // Gateways decide by the zone's count if the zone is limited; and they have to know that its sensors count now.
  if (zone.spot_count > 0 || before.first_heard_at === null) markStale(plan, gateway.lot_id, 'zones');
}

/** Stores the change for the plots of the place and of its zone. */
async function noteHistory(
  tx: Tx,
  { place, changed_at: at, ofZone }: { place: Row<'parking_places'>; changed_at: number; ofZone: number },
): Promise<void> {
  const isOccupied = place.occupancy_status === 'occupied';
  const delta = isOccupied ? 1 : -1;
  await noteCountChange(tx, { owner: 'place', owner_id: place.id }, { at, delta, count: isOccupied ? 1 : 0 });
  // A place without a parking gateway does not count for its zone.
  if (place.parking_gateway_id === null) return;
  await noteCountChange(tx, { owner: 'zone', owner_id: place.zone_id }, { at, delta, count: ofZone });
}

/** Says whether the gateway watches the place, or watched it until the parking gateway was deleted, perhaps while the gateway was offline. */
async function isOrWasWatched(tx: Tx, gateway: LotGateway, place: WatchedPlace): Promise<boolean> {
  return place.gateway_id === gateway.id || wasWatchedBy(tx, { parking_place_id: place.id, gateway_id: gateway.id });
}

/** Stores the change of a place that was deleted while the gateway was offline. No list shows the place, so no event names it. */
function isDeletedPlaceSaved(tx: Tx, context: RecordContext, payload: PlaceChangeRecord): Promise<boolean> {
  const { gateway, now } = context;
  const { parking_place_id: id, occupancy_status } = payload;
  const changed_at = context.placeTime(payload.event_ms, payload.time_source).at_ms;
  return saveDeletedPlaceOccupancy(tx, { id, lot_id: gateway.lot_id, occupancy_status, changed_at, now });
}

export async function applyParkingGatewayStatus(
  tx: Tx,
  context: RecordContext,
  payload: ParkingGatewayStatusRecord,
): Promise<void> {
  const { gateway, now } = context;
  const { parking_gateway_id: id, status } = payload;
  const before = await findParkingGateway(tx, id);
  if (before === undefined) {
    const deleted = await findDeletedParkingGateway(tx, id);
    if (deleted?.gateway_id === gateway.id && deleted.lot_id === gateway.lot_id) return;
  }
  if (before?.gateway_id !== gateway.id || before.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`parking gateway ${id} is not watched by the gateway`);
  }
  if (status === 'online') {
    await saveParkingGatewaySeen(tx, { id, last_seen: Math.min(context.placeTime(payload.event_ms).at_ms, now) });
  }
  if (before.status === status) return;
  await saveParkingGatewayStatus(tx, { id, status, now });
  tx.journal({
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    event: 'parking_gateway_state_change',
    payload: parkingGatewayStateChange({ id, status }),
  });
}
