/** Payloads of the occupancy events (specification, "Occupancy events"). */
import type { EventPayload } from '../../../shared/events/event-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export function lotDetectionChange(lot: { id: number; occupied_count: number }): EventPayload<'lot_detection_change'> {
  return { lots: [{ id: lot.id, detection_status: 'online', occupied_count: lot.occupied_count }] };
}

export function zoneChange(zone: Row<'zones'>, occupied_count: number): EventPayload<'zone_change'> {
  return {
    zones: [
      {
        id: zone.id,
        account_id: zone.account_id,
        lot_id: zone.lot_id,
        name: zone.name,
        description: zone.description,
        spot_count: zone.spot_count,
        occupied_count,
        deleted_at: null,
        created_at: new Date(zone.created_at).toISOString(),
        updated_at: new Date(zone.updated_at).toISOString(),
      },
    ],
  };
}

export function parkingPlaceChange(place: Row<'parking_places'>): EventPayload<'parking_place_change'> {
  const { id, lot_id, zone_id, name, occupancy_status } = place;
  return { places: [{ id, lot_id, zone_id, name, occupancy_status }] };
}

export function parkingGatewayStateChange(gateway: {
  id: number;
  status: 'online' | 'offline';
}): EventPayload<'parking_gateway_state_change'> {
  return { gateways: [{ id: gateway.id, status: gateway.status }] };
}
