/**
 * Watches the places of this gateway: derives their states from what the sensors say, and records each change for the cloud. Silence
 * is no change: places keep their last state, and a parking gateway that is not heard any more is offline.
 */
import { type Clock, every } from '../../shared/clock.js';
import { sensorNameProblem, sensorSettingProblems } from '../../shared/drivers/sensor-drivers.js';
import { settlingOf } from '../../shared/drivers/settling.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { ParkingGatewayReport, SilentSensorsReport } from '../../shared/uplink-reports.js';
import { tellFaults } from './faults.js';
import { applyReading, settle } from './occupancy-machine.js';
import type { SensorReading, SensorDrivers, SensorListener } from './sensor-source.js';
import { createSensorRecords, type SensorRecordsDeps } from './sensor-records.js';
import {
  occupiedIn,
  type ParkingGateway,
  type ParkingGatewayView,
  type Place,
  reportsOf,
  seenIn,
  type SeenPlaces,
  statusOf,
  viewOf,
} from './watched-places.js';
import { errorText } from '../../shared/error-text.js';

const SWEEP_MS = 1_000;
/** How often the cloud hears that parking gateways live, whose places may stay as they are for days. */
const REPORT_MS = 60_000;
export interface SensorsDeps extends SensorRecordsDeps {
  drivers: SensorDrivers;
  clock: Clock;
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
  /** Whether anything is known of the zone's places by the sensors of a parking gateway, from before a restart too. */
  hasHeard(parkingGatewayId: number, zoneId: number): boolean;
  /** What the sensors of a parking gateway say of a zone to those who look for a free place; null: another gateway listens to it. */
  seen(parkingGatewayId: number, zoneId: number): SeenPlaces | null;
  list(): ParkingGatewayView[];
  /** Reports at once which parking gateways were heard, as it does each minute. */
  report(): void;
  /** Ends the connections and waits for what is being stored. */
  close(): Promise<void>;
}

export function createSensors(deps: SensorsDeps): Sensors {
  const { clock, logger } = deps;
  const records = createSensorRecords(deps);
  const gateways = new Map<number, ParkingGateway>();
  const ending = new Set<Promise<void>>();
  const wallMs = () => Math.max(0, Math.round(clock.now()));

  function open(item: SensorItem, before: ParkingGateway | undefined): ParkingGateway {
    const driver = deps.drivers.get(item.driver);
    const unusable = unusableSensors(item);
    const places = item.places.filter(({ id }) => !unusable.has(id));
    const gateway: ParkingGateway = {
      item,
      places: new Map(
        item.places.map((place) => [
          place.id,
          { ...(before?.places.get(place.id) ?? records.newPlace(place)), item: place },
        ]),
      ),
      settling: settlingOf(item),
      source: null,
      isOver: false,
      since_mono_ms: before?.since_mono_ms ?? clock.monotonic(),
      recorded: before?.recorded ?? records.newGatewayStatus(item),
      fault: driver === undefined ? `this agent has no driver ${item.driver}` : settingsFault(item),
      unusable: [...unusable.values()],
    };
    if (driver !== undefined && gateway.fault === null && places.length > 0) {
      try {
        gateway.source = driver.open({ ...item, places }, listenerOf(gateway));
      } catch (error) {
        // The others are watched all the same.
        gateway.fault = errorText(error);
        logger.error({ err: error, parking_gateway: item.name }, 'the driver of a parking gateway does not start');
      }
    }
    return gateway;
  }

  function listenerOf(gateway: ParkingGateway): SensorListener {
    return {
      onReadings: (readings) => applyReadings(gateway, readings),
      onFault(reason) {
        if (gateway.isOver || reason === gateway.fault) return;
        gateway.fault = reason;
        const { name } = gateway.item;
        if (reason === null) logger.info({ parking_gateway: name }, 'all its sensors are heard');
        else logger.warn({ parking_gateway: name, reason }, 'not all of its sensors can be heard');
      },
      occupancyOf: (parkingPlaceId) => gateway.places.get(parkingPlaceId)?.state.occupancy ?? null,
    };
  }

  function applyReadings(gateway: ParkingGateway, readings: SensorReading[]): void {
    if (gateway.isOver) return;
    const running_ms = deps.store.boot.clock_floor_ms;
    const now = { wall_ms: wallMs(), mono_ms: clock.monotonic(), running_ms };
    for (const reading of readings) {
      const place = gateway.places.get(reading.parking_place_id);
      if (place === undefined) continue;
      place.raw = reading.raw ?? place.raw;
      place.state = applyReading(place.state, reading, now);
      recordPlace(place, gateway, now.mono_ms);
    }
    recordGateway(gateway, now.mono_ms);
  }

  function recordGateway(gateway: ParkingGateway, mono_ms: number): void {
    const status = statusOf(gateway, mono_ms);
    if (status !== null) gateway.recorded.set(status, wallMs());
  }

  function report(): void {
    const { heard, silent } = reportsOf([...gateways.values()], clock.monotonic());
    if (heard.length > 0 || silent.some(({ places }) => places.length > 0)) deps.publish(heard, silent);
  }

  function end(gateway: ParkingGateway): void {
    gateway.isOver = true;
    if (gateway.source === null) return;
    const ended = gateway.source
      .close()
      .catch((error: unknown) => logger.warn({ err: error }, 'the connection of a parking gateway did not end well'))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  const sweeping = every({
    clock,
    periodMs: SWEEP_MS,
    work() {
      const mono_ms = clock.monotonic();
      for (const gateway of gateways.values()) {
        // This tries again what the store refused.
        for (const place of gateway.places.values()) recordPlace(place, gateway, mono_ms);
        recordGateway(gateway, mono_ms);
      }
    },
    onError: (error) => logger.error({ err: error }, 'the sensors could not be looked after'),
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
        end(gateway);
        if (item !== undefined) gateways.set(id, open(item, gateway));
      }
      for (const [id, item] of wanted) if (!gateways.has(id)) gateways.set(id, open(item, undefined));
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
    report,
    async close() {
      sweeping.cancel();
      reporting.cancel();
      for (const gateway of gateways.values()) end(gateway);
      gateways.clear();
      await Promise.all(ending);
      await records.settled();
    },
  };
}

/** Says why a driver cannot work with these settings; null: it can. */
const settingsFault = (item: SensorItem): string | null =>
  tellFaults(sensorSettingProblems(item.driver, item).map(({ field, reason }) => `${field} ${reason}`));

/** Says by place which sensors a driver cannot look for; the others are heard. */
function unusableSensors(item: SensorItem): Map<number, string> {
  return new Map(
    item.places.flatMap(({ id, name, sensor }) => {
      const problem = sensorNameProblem(sensor, { mapping: null, ...item });
      return problem === undefined ? [] : [[id, `sensor "${sensor}" of ${name} ${problem}`] as const];
    }),
  );
}

function recordPlace(place: Place, { settling }: ParkingGateway, mono_ms: number): void {
  // What has not settled yet is looked at again by the next sweep.
  place.state = settle(place.state, { ...settling, mono_ms });
  const { settled, change } = place.state;
  if (settled !== null && change !== null) place.recorded.set(settled, change.changed_ms, place.state.time_source);
}
