/** Applies a gateway's report of its parking gateways: when each was last heard, and which sensors are silent. It sends no event. */
import type { Logger } from '../../../shared/logger.js';
import type { ParkingGatewayReport, SilentSensorsReport } from '../../../shared/uplink-reports.js';
import type { Tx } from '../../kernel/store/entry.js';
import { saveParkingGatewaySeen, savePlacesStale, watchedParkingGateways } from './parking-gateway-queries.js';

export async function applyParkingGatewayReport(work: {
  tx: Tx;
  logger: Logger;
  gateway: { id: number; lot_id: number };
  parkingGateways: readonly ParkingGatewayReport[];
  silentSensors: readonly SilentSensorsReport[];
  /** Wall milliseconds. */
  now: number;
}): Promise<void> {
  const { tx, gateway, now } = work;
  const watched = new Set((await watchedParkingGateways(tx, gateway)).map(({ id }) => id));
  const reports = new Map(work.parkingGateways.map((report) => [report.parking_gateway_id, report]));
  for (const { parking_gateway_id: id, heard_ago_ms } of reports.values()) {
    if (watched.has(id)) await saveParkingGatewaySeen(tx, { id, last_seen: now - heard_ago_ms });
    else
      work.logger.debug({ gateway_id: gateway.id, parking_gateway_id: id }, 'reported parking gateway is not watched');
  }
  const silences = new Map(work.silentSensors.map((report) => [report.parking_gateway_id, report]));
  for (const { parking_gateway_id, places } of silences.values()) {
    if (!watched.has(parking_gateway_id)) continue;
    const silent = new Map(
      places.map(({ parking_place_id, silent_ms }) => [parking_place_id, Math.max(0, now - silent_ms)]),
    );
    await savePlacesStale(tx, { parking_gateway_id, silent, now });
  }
}
