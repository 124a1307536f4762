/**
 * The places this gateway watches: what sensors measure becomes free and occupied, and what changes is told to the cloud. Silence
 * is no change: places keep their last state, and a parking gateway of which nothing is heard any more is offline.
 */
import { type Clock, every } from '../../shared/clock.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore, RecordStamp, SensorRecord, ToldState } from '../store/agent-store.js';
import { isSilent, occupancy, type OccupancyRule, type PlaceState } from './occupancy-machine.js';
import type { SensorDriver, SensorReading, SensorSource } from './sensor-source.js';
import { createTeller, type Telling } from './teller.js';

const SWEEP_MS = 1_000;

export interface SensorsDeps {
  store: Pick<AgentStore, 'boot' | 'recordSensor'>;
  /** By the driver's name in the configuration. */
  drivers: Record<string, SensorDriver>;
  clock: Clock;
  logger: Logger;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  onCommitted: (lane: 1) => void;
}

/** For people. */
export interface ParkingGatewayView {
  name: string;
  driver: string;
  status: 'online' | 'offline';
  place_count: number;
  occupied_count: number;
  /** Places whose sensor has been silent for three heartbeats. */
  stale_places: string[];
  /** Why not everything can be heard. */
  fault: string | null;
}

export interface Sensors {
  /** Takes over the parking gateways of the configuration; what is known of the places that stay is kept. */
  setSensors(items: Iterable<SensorItem>): void;
  /** How many places of the zone are occupied by a parking gateway's sensors; null: another gateway listens to it. */
  occupied(parkingGatewayId: number, zoneId: number): number | null;
  list(): ParkingGatewayView[];
  /** Ends the connections and waits for what is being stored. */
  close(): Promise<void>;
}

interface Place {
  item: SensorItem['places'][number];
  state: PlaceState;
  telling: Telling<'free' | 'occupied'>;
}

interface ParkingGateway {
  item: SensorItem;
  rule: OccupancyRule | null;
  places: Map<number, Place>;
  source: SensorSource | null;
  /** The configuration has it no more, or has another one in its place. */
  isOver: boolean;
  /** When silence began to count for a sensor that was not heard yet. */
  since_mono_ms: number;
  telling: Telling<'online' | 'offline'>;
  fault: string | null;
}

/** What was told before a restart still stands: only something else is told. */
export function createSensors(deps: SensorsDeps): Sensors {
  const { clock, logger } = deps;
  const teller = createTeller({
    record: async (record: SensorRecord) => {
      await deps.store.recordSensor({ ...deps.stamp(deps.newUid()), record });
      deps.onCommitted(1);
    },
    logger,
  });
  const toldAtBoot = new Map(deps.store.boot.told.map((told) => [`${told.kind} ${told.id}`, told.status]));
  const gateways = new Map<number, ParkingGateway>();
  const ending = new Set<Promise<void>>();
  const wallMs = () => Math.max(0, Math.round(clock.now()));

  /** Once each: what is forgotten since then was told by others. */
  function takeTold<Status extends ToldState['status']>(kind: ToldState['kind'], id: number): Status | null {
    const key = `${kind} ${id}`;
    const status = toldAtBoot.get(key) ?? null;
    toldAtBoot.delete(key);
    return status as Status | null;
  }

  function newPlace(item: Place['item']): Place {
    const told = takeTold<'free' | 'occupied'>('place_change', item.id);
    return {
      item,
      state: { occupancy: told, changed_ms: 0, heard_mono_ms: null },
      telling: teller.of(told, (occupancy_status, event_ms) => ({
        kind: 'place_change',
        parking_place_id: item.id,
        occupancy_status,
        event_ms,
      })),
    };
  }

  function open(item: SensorItem, before: ParkingGateway | undefined): ParkingGateway {
    const gateway: ParkingGateway = {
      item,
      rule: item.register,
      places: new Map(
        item.places.map((place) => [place.id, { ...(before?.places.get(place.id) ?? newPlace(place)), item: place }]),
      ),
      source: null,
      isOver: false,
      since_mono_ms: before?.since_mono_ms ?? clock.monotonic(),
      telling:
        before?.telling ??
        // The cloud takes one it never heard of for offline.
        teller.of(
          takeTold<'online' | 'offline'>('parking_gateway_status', item.id) ?? 'offline',
          (status, event_ms) => ({
            kind: 'parking_gateway_status',
            parking_gateway_id: item.id,
            status,
            event_ms,
          }),
        ),
      fault: null,
    };
    const driver = Object.hasOwn(deps.drivers, item.driver) ? deps.drivers[item.driver] : undefined;
    if (driver === undefined) gateway.fault = `this agent has no driver ${item.driver}`;
    else if (item.places.length > 0) gateway.source = driver(item, listenerOf(gateway));
    return gateway;
  }

  function listenerOf(gateway: ParkingGateway) {
    return {
      onReadings: (readings: SensorReading[]) => {
        if (!gateway.isOver) take(gateway, readings);
      },
      onFault(reason: string | null) {
        if (gateway.isOver || reason === gateway.fault) return;
        gateway.fault = reason;
        const { name } = gateway.item;
        if (reason === null) logger.info({ parking_gateway: name }, 'all its sensors are heard');
        else logger.warn({ parking_gateway: name, reason }, 'not all of its sensors can be heard');
      },
    };
  }

  function take(gateway: ParkingGateway, readings: SensorReading[]): void {
    const { rule } = gateway;
    if (rule === null) return;
    const now = { wall_ms: wallMs(), mono_ms: clock.monotonic() };
    for (const { parking_place_id, value } of readings) {
      const place = gateway.places.get(parking_place_id);
      if (place === undefined) continue;
      place.state = occupancy(place.state, { value, rule }, now);
      tellPlace(place);
    }
    tellGateway(gateway, now.mono_ms);
  }

  function tellPlace({ state, telling }: Place): void {
    if (state.heard_mono_ms !== null && state.occupancy !== null) telling.tell(state.occupancy, state.changed_ms);
  }

  function tellGateway(gateway: ParkingGateway, mono_ms: number): void {
    const heard = [...gateway.places.values()].flatMap(({ state }) => state.heard_mono_ms ?? []);
    const last = heard.length === 0 ? gateway.since_mono_ms : Math.max(...heard);
    const { heartbeat_s } = gateway.item;
    if (isSilent(last, { heartbeat_s, mono_ms })) gateway.telling.tell('offline', wallMs());
    else if (heard.length > 0) gateway.telling.tell('online', wallMs());
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
        // What the store refused is told again.
        for (const place of gateway.places.values()) tellPlace(place);
        tellGateway(gateway, mono_ms);
      }
    },
    onError: (error) => logger.error({ err: error }, 'the sensors could not be looked after'),
  });

  function staleIn({ places, item, since_mono_ms }: ParkingGateway): string[] {
    const mono_ms = clock.monotonic();
    const { heartbeat_s } = item;
    return [...places.values()].flatMap(({ state, item: { name } }) =>
      isSilent(state.heard_mono_ms ?? since_mono_ms, { heartbeat_s, mono_ms }) ? name : [],
    );
  }

  const occupiedIn = ({ places }: ParkingGateway, isWanted: (place: Place['item']) => boolean) =>
    [...places.values()].filter(({ state, item }) => state.occupancy === 'occupied' && isWanted(item)).length;

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
    list: () =>
      [...gateways.values()].map((gateway) => ({
        name: gateway.item.name,
        driver: gateway.item.driver,
        status: gateway.telling.last() ?? 'offline',
        place_count: gateway.places.size,
        occupied_count: occupiedIn(gateway, () => true),
        stale_places: staleIn(gateway),
        fault: gateway.fault,
      })),
    async close() {
      sweeping.cancel();
      for (const gateway of gateways.values()) end(gateway);
      gateways.clear();
      await Promise.all(ending);
      await teller.idle();
    },
  };
}
