/** Watches one parking gateway: opens its driver, applies what its sensors say, and records the states that changed. */
import type { Clock } from '../../shared/clock.js';
import { sensorNameProblem, sensorSettingProblems } from '../../shared/drivers/sensor-drivers.js';
import { settlingOf } from '../../shared/drivers/settling.js';
import { errorText } from '../../shared/error-text.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { faultsText } from './faults.js';
import { applyReading, settle } from './occupancy-machine.js';
import { createSensorRecords, type SensorRecordsDeps } from './sensor-records.js';
import type { SensorReading, SensorDrivers, SensorListener } from './sensor-source.js';
import { type ParkingGateway, type Place, statusOf } from './watched-places.js';

export interface ParkingGatewayWatcherDeps extends SensorRecordsDeps {
  drivers: SensorDrivers;
  clock: Clock;
}

export interface ParkingGatewayWatcher {
  /**
   * Begins to watch.
   * @param before the parking gateway that this one replaces: the states of places that remain are kept
   */
  open(item: SensorItem, before: ParkingGateway | undefined): ParkingGateway;
  /** Records the states that have settled meanwhile, and what the store refused before. */
  recordStates(gateway: ParkingGateway): void;
  /** Ends the watching. Nothing that its driver says counts any more. */
  end(gateway: ParkingGateway): void;
  /** Waits until the connections have ended and what is being stored is stored. */
  settled(): Promise<void>;
}

export function createParkingGatewayWatcher(deps: ParkingGatewayWatcherDeps): ParkingGatewayWatcher {
  const { clock, logger } = deps;
  const records = createSensorRecords(deps);
  const ending = new Set<Promise<void>>();
  const wallMs = () => Math.max(0, Math.round(clock.now()));

  function build(item: SensorItem, before: ParkingGateway | undefined): ParkingGateway {
    const places = item.places.map((place): [number, Place] => {
      const known = before?.places.get(place.id) ?? records.newPlace(place);
      return [place.id, { ...known, item: place }];
    });
    return {
      item,
      places: new Map(places),
      settling: settlingOf(item),
      source: null,
      isOver: false,
      since_mono_ms: before?.since_mono_ms ?? clock.monotonic(),
      recorded: before?.recorded ?? records.newGatewayStatus(item),
      fault: null,
      unusable: [],
    };
  }

  function recordStates(gateway: ParkingGateway): void {
    const mono_ms = clock.monotonic();
    for (const place of gateway.places.values()) recordPlace(place, gateway, mono_ms);
    recordStatus(gateway, mono_ms);
  }

  function recordStatus(gateway: ParkingGateway, mono_ms: number): void {
    const status = statusOf(gateway, mono_ms);
    if (status !== null) gateway.recorded.set(status, wallMs());
  }

  function applyReadings(gateway: ParkingGateway, readings: SensorReading[]): void {
    const running_ms = deps.store.boot.clock_floor_ms;
    const now = { wall_ms: wallMs(), mono_ms: clock.monotonic(), running_ms };
    for (const reading of readings) {
      const place = gateway.places.get(reading.parking_place_id);
      if (place === undefined) continue;
      place.raw = reading.raw ?? place.raw;
      place.state = applyReading(place.state, reading, now);
      recordPlace(place, gateway, now.mono_ms);
    }
    recordStatus(gateway, now.mono_ms);
  }

  return {
    open(item, before) {
      const gateway = build(item, before);
      openSource(deps, gateway, (readings) => applyReadings(gateway, readings));
      return gateway;
    },
    recordStates,
    end(gateway) {
      gateway.isOver = true;
      if (gateway.source === null) return;
      const ended = gateway.source
        .close()
        .catch((error: unknown) => logger.warn({ err: error }, 'the connection of a parking gateway did not end well'))
        .finally(() => ending.delete(ended));
      ending.add(ended);
    },
    async settled() {
      await Promise.all(ending);
      await records.settled();
    },
  };
}

/** Opens the driver, or notes why the sensors, or some of them, cannot be heard. */
function openSource(
  { drivers, logger }: ParkingGatewayWatcherDeps,
  gateway: ParkingGateway,
  onReadings: SensorListener['onReadings'],
): void {
  const { item } = gateway;
  const driver = drivers.get(item.driver);
  const unusable = unusableSensors(item);
  gateway.unusable = [...unusable.values()];
  gateway.fault = driver === undefined ? `this agent has no driver ${item.driver}` : settingsFault(item);
  const places = item.places.filter(({ id }) => !unusable.has(id));
  if (driver === undefined || gateway.fault !== null || places.length === 0) return;
  const listener: SensorListener = {
    onReadings: (readings) => gateway.isOver || onReadings(readings),
    onFault(reason) {
      if (gateway.isOver || reason === gateway.fault) return;
      gateway.fault = reason;
      if (reason === null) logger.info({ parking_gateway: item.name }, 'all sensors of a parking gateway are heard');
      else logger.warn({ parking_gateway: item.name, reason }, 'not all sensors of a parking gateway can be heard');
    },
    occupancyOf: (parkingPlaceId) => gateway.places.get(parkingPlaceId)?.state.occupancy ?? null,
  };
  try {
    gateway.source = driver.open({ ...item, places }, listener);
  } catch (error) {
    // The other parking gateways are watched all the same.
    gateway.fault = errorText(error);
    logger.error({ err: error, parking_gateway: item.name }, 'the driver of a parking gateway does not start');
  }
}

/** Says why a driver cannot work with these settings; null: it can. */
const settingsFault = (item: SensorItem): string | null =>
  faultsText(sensorSettingProblems(item.driver, item).map(({ field, reason }) => `${field} ${reason}`));

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
  // A state that has not settled yet is looked at again by the next sweep.
  place.state = settle(place.state, { ...settling, mono_ms });
  const { settled, change } = place.state;
  if (settled !== null && change !== null) place.recorded.set(settled, change.changed_ms, place.state.time_source);
}
