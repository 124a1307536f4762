/**
 * Watches the parking gateways of the configuration: derives the states of their places from what the sensors say, and records each change
 * for the cloud. Silence is no change: places keep their last state, and a parking gateway that is not heard any more is offline.
 */
import { every } from '../../shared/clock.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { ParkingGatewayReport, SilentSensorsReport, ThingFault } from '../../shared/uplink-reports.js';
import { createParkingGatewayWatcher, type ParkingGatewayWatcherDeps } from './parking-gateway-watcher.js';
import {
  occupiedIn,
  type ParkingGateway,
  type ParkingGatewayView,
  reportsOf,
  seenIn,
  type SeenPlaces,
  viewOf,
} from './watched-places.js';

const SWEEP_MS = 1_000;
/** How often the cloud hears that parking gateways live, whose places may not change for days. */
const REPORT_MS = 60_000;

export interface SensorsDeps extends ParkingGatewayWatcherDeps {
  /**
   * Reports when parking gateways were last heard, and which of their sensors are silent. It is no record: a report that is lost is
   * followed by the next.
   */
  publish(heard: ParkingGatewayReport[], silent: SilentSensorsReport[]): void;
}

export type { ParkingGatewayView } from './watched-places.js';

export interface Sensors {
  /** Replaces the parking gateways by those of the configuration, and keeps what is known of places that remain. */
  setSensors(items: Iterable<SensorItem>): void;
  /** How many places of the zone are occupied, as the sensors of a parking gateway say; null: another gateway listens to it. */
  occupied(parkingGatewayId: number, zoneId: number): number | null;
  /** Whether the sensors of a parking gateway have ever said anything of the zone's places, also before a restart. */
  hasHeard(parkingGatewayId: number, zoneId: number): boolean;
  /**
   * The counts of a zone by the sensors of a parking gateway, for a sign that shows free places; null: another gateway
   * listens to it.
   */
  seen(parkingGatewayId: number, zoneId: number): SeenPlaces | null;
  list(): ParkingGatewayView[];
  /** Those that cannot be heard as they should, for the cloud. */
  faults(): ThingFault[];
  /** Reports at once which parking gateways were heard. It does so each minute by itself. */
  report(): void;
  /** Ends the connections and waits for what is being stored. */
  close(): Promise<void>;
}

export function createSensors(deps: SensorsDeps): Sensors {
  const { clock, logger } = deps;
  const watcher = createParkingGatewayWatcher(deps);
  const gateways = new Map<number, ParkingGateway>();

  function report(): void {
    const { heard, silent } = reportsOf([...gateways.values()], clock.monotonic());
    if (heard.length > 0 || silent.some(({ places }) => places.length > 0)) deps.publish(heard, silent);
  }

  const sweeping = every({
    clock,
    periodMs: SWEEP_MS,
    work: () => gateways.forEach((gateway) => watcher.recordStates(gateway)),
    onError: (error) => logger.error({ err: error }, 'the states of the sensors could not be looked at'),
  });
  const reporting = every({
    clock,
    periodMs: REPORT_MS,
    work: report,
    onError: (error) => logger.error({ err: error }, 'the parking gateways that are heard could not be reported'),
  });

  return {
    setSensors(items) {
      const wanted = new Map([...items].map((item) => [item.id, item]));
      for (const [id, gateway] of gateways) {
        const item = wanted.get(id);
        if (item !== undefined && JSON.stringify(item) === JSON.stringify(gateway.item)) continue;
        gateways.delete(id);
        watcher.end(gateway);
        if (item !== undefined) gateways.set(id, watcher.open(item, gateway));
      }
      for (const [id, item] of wanted) if (!gateways.has(id)) gateways.set(id, watcher.open(item, undefined));
    },
    occupied(parkingGatewayId, zoneId) {
      const gateway = gateways.get(parkingGatewayId);
      return gateway === undefined ? null : occupiedIn(gateway, ({ zone_id }) => zone_id === zoneId);
    },
    hasHeard(parkingGatewayId, zoneId) {
      const places = gateways.get(parkingGatewayId)?.places.values() ?? [];
      return [...places].some(({ state, item }) => state.settled !== null && item.zone_id === zoneId);
    },
    seen(parkingGatewayId, zoneId) {
      const gateway = gateways.get(parkingGatewayId);
      return gateway === undefined ? null : seenIn(gateway, zoneId, clock.monotonic());
    },
    list: () => [...gateways.values()].map((gateway) => viewOf(gateway, clock.monotonic())),
    faults: () =>
      [...gateways.values()].flatMap(({ item, fault }) =>
        fault === null ? [] : [{ kind: 'parking_gateway' as const, id: item.id, problem: fault }],
      ),
    report,
    async close() {
      sweeping.cancel();
      reporting.cancel();
      for (const gateway of gateways.values()) watcher.end(gateway);
      gateways.clear();
      await watcher.settled();
    },
  };
}
