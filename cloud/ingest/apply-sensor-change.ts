/** What a gateway heard of places and of parking-detection gateways. */
import type { ParkingGatewayStatusRecord, PlaceChangeRecord } from '../../shared/uplink.js';
import {
  lotDetectionChange,
  parkingGatewayStateChange,
  parkingPlaceChange,
  zoneChange,
} from '../occupancy/occupancy-payload.js';
import {
  findParkingGateway,
  findWatchedPlace,
  findZone,
  occupiedCountsOfLot,
  saveParkingGatewaySeen,
  saveParkingGatewayStatus,
  savePlaceOccupancy,
} from '../store/queries/parking-places.js';
import { UnusableRecord } from './batch-plan.js';
import type { RecordContext } from './record-context.js';

/** The place, and then the three events in the specification's order. What the cloud knows already changes nothing. */
export async function applyPlaceChange(context: RecordContext, payload: PlaceChangeRecord): Promise<void> {
  const { tx, events, gateway, now } = context;
  const { parking_place_id, occupancy_status } = payload;
  const before = await findWatchedPlace(tx, parking_place_id);
  // Another gateway may have been given the place since: the word of the one before would stand for ever.
  if (before?.gateway_id !== gateway.id || before.lot_id !== gateway.lot_id || before.parking_gateway_id === null) {
    throw new UnusableRecord(`place ${parking_place_id} is not watched by the gateway`);
  }
  const changed_at = context.placeTime(payload.event_ms).at_ms;
  await saveParkingGatewaySeen(tx, { id: before.parking_gateway_id, last_seen: changed_at });
  if (before.occupancy_status === occupancy_status) return;

  const place = await savePlaceOccupancy(tx, { id: parking_place_id, occupancy_status, changed_at, now });
  const counts = await occupiedCountsOfLot(tx, { lot_id: gateway.lot_id, now });
  const zone = await findZone(tx, place.zone_id);
  const ofLot = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const owner = { account_id: gateway.account_id, lot_id: gateway.lot_id };
  const lot = lotDetectionChange({ id: gateway.lot_id, occupied_count: ofLot });
  await events.record({ ...owner, event: 'lot_detection_change', payload: lot });
  await events.record({ ...owner, event: 'zone_change', payload: zoneChange(zone, counts.get(zone.id) ?? 0) });
  await events.record({ ...owner, event: 'parking_place_change', payload: parkingPlaceChange(place) });
  // Where the number of vehicles is limited, gateways decide by it.
  if (zone.spot_count > 0) context.dirty.add('zones');
}

export async function applyParkingGatewayStatus(
  context: RecordContext,
  payload: ParkingGatewayStatusRecord,
): Promise<void> {
  const { tx, events, gateway, now } = context;
  const { parking_gateway_id: id, status } = payload;
  const before = await findParkingGateway(tx, id);
  if (before?.gateway_id !== gateway.id || before.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`parking gateway ${id} is not watched by the gateway`);
  }
  if (status === 'online') {
    await saveParkingGatewaySeen(tx, { id, last_seen: context.placeTime(payload.event_ms).at_ms });
  }
  if (before.status === status) return;
  await saveParkingGatewayStatus(tx, { id, status, now });
  await events.record({
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    event: 'parking_gateway_state_change',
    payload: parkingGatewayStateChange({ id, status }),
  });
}
