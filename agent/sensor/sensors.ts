/**
 * Watches the places of this gateway: derives their states from what the sensors say, and records each change for the cloud. Silence
 * is no change: places keep their last state, and a parking gateway that is not heard any more is offline.
 */
import { type Clock, every } from '../../shared/clock.js';
import { sensorNameProblem, sensorSettingProblems } from '../../shared/drivers/sensor-drivers.js';
import { type Settling, settlingOf } from '../../shared/drivers/settling.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore, RecordStamp, SensorRecord, RecordedStatus } from '../store/agent-store.js';
import { REPORTED_MAX } from '../../shared/uplink-bounds.js';
import type { ParkingGatewayReport, SilentSensorsReport } from '../../shared/uplink-reports.js';
import { tellFaults } from './faults.js';
import { applyReading, isSilent, newPlaceState, type PlaceState, settle } from './occupancy-machine.js';
import type { Occupancy, SensorReading, SensorDrivers, SensorListener, SensorSource } from './sensor-source.js';
import { createStateRecorder, type RecordedState } from './state-recorder.js';

const SWEEP_MS = 1_000;
/** How often the cloud hears that parking gateways live, whose places may stay as they are for days. */
const REPORT_MS = 60_000;
/** So many polls without an answer, and so long at least, and a polled sensor does not answer, long before it counts as silent. */
const POLLS_MISSED = 3;
const POLLS_MISSED_MS = 5_000;

export interface SensorsDeps {
  store: Pick<AgentStore, 'boot' | 'recordSensor'>;
  drivers: SensorDrivers;
  clock: Clock;
  logger: Logger;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  onCommitted: (lane: 1) => void;
  /**
   * Reports when parking gateways were last heard, and which of their sensors are silent. It is no record: a report that is lost is
   * followed by the next.
   */
  publish(heard: ParkingGatewayReport[], silent: SilentSensorsReport[]): void;
}

/** A parking gateway as the status shows it to people. */
export interface ParkingGatewayView {
  name: string;
  driver: string;
  status: 'online' | 'offline';
  place_count: number;
  occupied_count: number;
  /** Places whose sensor has been silent for three heartbeats. */
  stale_places: string[];
  places: {
    name: string;
    sensor: string;
    /** What counts; null: nothing is known of it yet. */
    occupancy: Occupancy | null;
    /** What its sensor last said, as it was heard; null: nothing since the agent started. */
    raw: string | null;
    heard_ago_s: number | null;
    is_stale: boolean;
    /** Whether its sensor is heard as it should be: it is not silent, and where its register is polled, the last polls were answered. */
    answers: boolean;
  }[];
  /** Why not every sensor can be heard; null: all can be heard. */
  fault: string | null;
}

/** The places of a zone that the sensors of one parking gateway watch. */
export interface SeenPlaces {
  places: number;
  /** Those that may be occupied: they are, or their sensor is silent or has never said anything. A free place is free. */
  taken: number;
  /** Those of which nothing is known, or nothing any more. */
  silent: number;
}

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

interface Place {
  item: SensorItem['places'][number];
  raw: string | null;
  state: PlaceState;
  recorded: RecordedState<Occupancy>;
}

interface ParkingGateway {
  item: SensorItem;
  places: Map<number, Place>;
  settling: Settling;
  source: SensorSource | null;
  /** Whether the configuration no longer has it, or has replaced it. */
  isOver: boolean;
  /** When silence began to count for a sensor that was not heard yet: until three heartbeats later what was recorded before stands. */
  since_mono_ms: number;
  recorded: RecordedState<'online' | 'offline'>;
  fault: string | null;
  /** Why sensors of its places cannot be heard, whatever its driver does. */
  unusable: readonly string[];
}

/** States that were recorded before a restart still hold: only another state is recorded. */
export function createSensors(deps: SensorsDeps): Sensors {
  const { clock, logger } = deps;
  const recorder = createStateRecorder({
    store: async (record: SensorRecord) => {
      await deps.store.recordSensor({ ...deps.stamp(deps.newUid()), record });
      deps.onCommitted(1);
    },
    logger,
  });
  const recordedAtBoot = new Map(
    deps.store.boot.recorded.map((recorded) => [`${recorded.kind} ${recorded.id}`, recorded.status]),
  );
  const gateways = new Map<number, ParkingGateway>();
  const ending = new Set<Promise<void>>();
  const wallMs = () => Math.max(0, Math.round(clock.now()));

  /** Each thing is asked for once: when it comes back to the configuration later, others may have changed its state meanwhile. */
  function removeRecordedAtBoot<Status extends RecordedStatus['status']>(kind: RecordedStatus['kind'], id: number) {
    const key = `${kind} ${id}`;
    const status = recordedAtBoot.get(key) ?? null;
    recordedAtBoot.delete(key);
    return status as Status | null;
  }

  function newPlace(item: Place['item']): Place {
    const occupancy = removeRecordedAtBoot<Occupancy>('place_change', item.id);
    return {
      item,
      raw: null,
      state: newPlaceState(occupancy),
      recorded: recorder.track(occupancy, (occupancy_status, event_ms, time_source = 'arrival') => ({
        kind: 'place_change',
        parking_place_id: item.id,
        occupancy_status,
        event_ms,
        time_source,
      })),
    };
  }

  function newGatewayStatus({ id }: SensorItem): ParkingGateway['recorded'] {
    // The cloud counts a parking gateway of which it never heard as offline.
    const status = removeRecordedAtBoot<'online' | 'offline'>('parking_gateway_status', id) ?? 'offline';
    return recorder.track(status, (to, event_ms) => ({
      kind: 'parking_gateway_status',
      parking_gateway_id: id,
      status: to,
      event_ms,
    }));
  }

  function open(item: SensorItem, before: ParkingGateway | undefined): ParkingGateway {
    const driver = deps.drivers.get(item.driver);
    const unusable = unusableSensors(item);
    const places = item.places.filter(({ id }) => !unusable.has(id));
    const gateway: ParkingGateway = {
      item,
      places: new Map(
        item.places.map((place) => [place.id, { ...(before?.places.get(place.id) ?? newPlace(place)), item: place }]),
      ),
      settling: settlingOf(item),
      source: null,
      isOver: false,
      since_mono_ms: before?.since_mono_ms ?? clock.monotonic(),
      recorded: before?.recorded ?? newGatewayStatus(item),
      fault: driver === undefined ? `this agent has no driver ${item.driver}` : settingsFault(item),
      unusable: [...unusable.values()],
    };
    if (driver !== undefined && gateway.fault === null && places.length > 0) {
      try {
        gateway.source = driver.open({ ...item, places }, listenerOf(gateway));
      } catch (error) {
        // The others are watched all the same.
        gateway.fault = error instanceof Error ? error.message : String(error);
        logger.error({ err: error, parking_gateway: item.name }, 'the driver of a parking gateway does not start');
      }
    }
    return gateway;
  }

  function listenerOf(gateway: ParkingGateway): SensorListener {
    return {
      onReadings(readings) {
        if (!gateway.isOver) applyReadings(gateway, readings);
      },
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
    const running_ms = deps.store.boot.clock_floor_ms;
    const now = { wall_ms: wallMs(), mono_ms: clock.monotonic(), running_ms };
    for (const reading of readings) {
      const place = gateway.places.get(reading.parking_place_id);
      if (place === undefined) continue;
      place.raw = reading.raw ?? place.raw;
      place.state = applyReading(place.state, reading, now);
      recordPlace(gateway, place);
    }
    recordGateway(gateway, now.mono_ms);
  }

  function recordPlace({ settling }: ParkingGateway, place: Place): void {
    // What has not settled yet is looked at again by the next sweep.
    place.state = settle(place.state, { ...settling, mono_ms: clock.monotonic() });
    const { settled, change } = place.state;
    if (settled !== null && change !== null) place.recorded.set(settled, change.changed_ms, place.state.time_source);
  }

  function recordGateway(gateway: ParkingGateway, mono_ms: number): void {
    const heard = heardAt(gateway);
    const { heartbeat_s } = gateway.item;
    if (isSilent(heard ?? gateway.since_mono_ms, { heartbeat_s, mono_ms })) gateway.recorded.set('offline', wallMs());
    else if (heard !== null) gateway.recorded.set('online', wallMs());
  }

  function report(): void {
    const mono_ms = clock.monotonic();
    const heard = [...gateways.values()].flatMap((gateway) => {
      const at = heardAt(gateway);
      return at === null
        ? []
        : [{ parking_gateway_id: gateway.item.id, heard_ago_ms: Math.max(0, Math.round(mono_ms - at)) }];
    });
    const silent = [...gateways.values()].map((gateway) => ({
      parking_gateway_id: gateway.item.id,
      places: silentPlaces(gateway, mono_ms),
    }));
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
        for (const place of gateway.places.values()) recordPlace(gateway, place);
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

  function placesOf({ places, item, since_mono_ms, fault }: ParkingGateway): ParkingGatewayView['places'] {
    const mono_ms = clock.monotonic();
    const { heartbeat_s } = item;
    const unansweredMs =
      item.register !== null && fault !== null
        ? Math.max(POLLS_MISSED_MS, POLLS_MISSED * item.poll_ms)
        : Number.POSITIVE_INFINITY;
    return [...places.values()].map(({ state, raw, item: { name, sensor } }) => {
      const { settled, heard_mono_ms } = state;
      const is_stale = isSilent(heard_mono_ms ?? since_mono_ms, { heartbeat_s, mono_ms });
      return {
        name,
        sensor,
        occupancy: settled,
        raw,
        heard_ago_s: heard_mono_ms === null ? null : Math.round((mono_ms - heard_mono_ms) / 1_000),
        is_stale,
        answers: !is_stale && heard_mono_ms !== null && mono_ms - heard_mono_ms < unansweredMs,
      };
    });
  }

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
      if (gateway === undefined) return null;
      const mono_ms = clock.monotonic();
      const { since_mono_ms, item } = gateway;
      const seen: SeenPlaces = { places: 0, taken: 0, silent: 0 };
      for (const { item: place, state } of gateway.places.values()) {
        if (place.zone_id !== zoneId) continue;
        // What was recorded before a restart counts until its sensor would have to be heard again.
        const heard = state.heard_mono_ms ?? since_mono_ms;
        const isKnown = state.settled !== null && !isSilent(heard, { heartbeat_s: item.heartbeat_s, mono_ms });
        seen.places += 1;
        if (!isKnown) seen.silent += 1;
        if (!isKnown || state.settled === 'occupied') seen.taken += 1;
      }
      return seen;
    },
    list: () =>
      [...gateways.values()].map((gateway) => ({
        name: gateway.item.name,
        driver: gateway.item.driver,
        status: gateway.recorded.latest() ?? 'offline',
        place_count: gateway.places.size,
        occupied_count: occupiedIn(gateway, () => true),
        stale_places: placesOf(gateway).flatMap(({ name, is_stale }) => (is_stale ? name : [])),
        places: placesOf(gateway),
        fault: tellFaults([gateway.fault ?? [], ...gateway.unusable].flat()),
      })),
    report,
    async close() {
      sweeping.cancel();
      reporting.cancel();
      for (const gateway of gateways.values()) end(gateway);
      gateways.clear();
      await Promise.all(ending);
      await recorder.settled();
    },
  };
}

/** When any of its sensors was last heard, on the monotonic clock; null: none was since the agent started. */
function heardAt({ places }: ParkingGateway): number | null {
  const heard = [...places.values()].flatMap(({ state }) => state.heard_mono_ms ?? []);
  return heard.length === 0 ? null : Math.max(...heard);
}

/** The places whose sensors are silent, and for how long; a sensor that was never heard is since the agent watches it. */
function silentPlaces({ places, item, since_mono_ms }: ParkingGateway, mono_ms: number): SilentSensorsReport['places'] {
  const silent = [...places].flatMap(([parking_place_id, { state }]) => {
    const heard_mono_ms = state.heard_mono_ms ?? since_mono_ms;
    if (!isSilent(heard_mono_ms, { heartbeat_s: item.heartbeat_s, mono_ms })) return [];
    return [{ parking_place_id, silent_ms: Math.max(0, Math.round(mono_ms - heard_mono_ms)) }];
  });
  return silent.slice(0, REPORTED_MAX);
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

function occupiedIn({ places }: ParkingGateway, isWanted: (place: Place['item']) => boolean): number {
  return [...places.values()].filter(({ state, item }) => state.settled === 'occupied' && isWanted(item)).length;
}
