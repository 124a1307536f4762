/** How many vehicles are in a zone, as this gateway knows it (REST contract, "Access decisions"). */
import type { ZoneItem } from '../../shared/gateway-config.js';
import type { OpenSessions } from './open-sessions.js';
import { HOUR_MS } from '../../shared/durations.js';

/** The counts of a zone by the sensors of a parking gateway; null: another gateway listens to it. */
export interface SensorCounts {
  occupied(parkingGatewayId: number, zoneId: number): number | null;
  /** Whether this gateway knows anything of the zone's places by the sensors of the parking gateway. */
  hasHeard(parkingGatewayId: number, zoneId: number): boolean;
}

/**
 * Counts what the zone's sensors say if its places have any that ever said something, else its open sessions, as the last recount
 * corrected them.
 * @param now_ms wall milliseconds
 */
export function occupiedInZone(
  zone: Pick<ZoneItem, 'id' | 'occupancy_max_hours' | 'sensor_counts' | 'recount'>,
  { sessions, sensors, now_ms }: { sessions: Pick<OpenSessions, 'occupied'>; sensors: SensorCounts; now_ms: number },
): number {
  const { recount } = zone;
  const isHeard = zone.sensor_counts.some(
    ({ parking_gateway_id, is_heard }) => is_heard || sensors.hasHeard(parking_gateway_id, zone.id),
  );
  if (!isHeard) {
    const oldest = now_ms - zone.occupancy_max_hours * HOUR_MS;
    const counted = sessions.occupied(zone.id, Math.max(oldest, recount?.uncounted_until_ms ?? 0));
    return counted + (recount !== undefined && now_ms < recount.extra_until_ms ? recount.extra_count : 0);
  }
  return zone.sensor_counts.reduce(
    (sum, { parking_gateway_id, occupied_count }) =>
      sum + (sensors.occupied(parking_gateway_id, zone.id) ?? occupied_count),
    0,
  );
}
