/** The places that the sensors of a parking gateway watch, and what is known of them. */
import type { Settling } from '../../shared/drivers/settling.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { REPORTED_MAX } from '../../shared/uplink-bounds.js';
import type { ParkingGatewayReport, SilentSensorsReport } from '../../shared/uplink-reports.js';
import { faultsText } from './faults.js';
import { isSilent, type PlaceState } from './occupancy-machine.js';
import type { Occupancy, SensorSource } from './sensor-source.js';
import type { RecordedState } from './state-recorder.js';

/** A polled sensor does not answer after this many polls without an answer, and this long at least. It counts as silent much later. */
const POLLS_MISSED = 3;
const POLLS_MISSED_MS = 5_000;

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
    /** The state that counts; null: not known yet. */
    occupancy: Occupancy | null;
    /** The last message of its sensor as it was heard; null: none since the agent started. */
    raw: string | null;
    heard_ago_s: number | null;
    is_stale: boolean;
    /** Whether its sensor is not silent and, if its register is polled, has answered the last polls. */
    answers: boolean;
  }[];
  /** Why not every sensor can be heard; null: all can be heard. */
  fault: string | null;
}

/** The places of a zone that the sensors of one parking gateway watch. */
export interface SeenPlaces {
  places: number;
  /** How many may be occupied: they are, or their sensor is silent or has never said anything. */
  occupiedPlaces: number;
  /** How many have a sensor that is silent or has never said anything. */
  silent: number;
}

export interface Place {
  item: SensorItem['places'][number];
  raw: string | null;
  state: PlaceState;
  recorded: RecordedState<Occupancy>;
}

export interface ParkingGateway {
  item: SensorItem;
  places: Map<number, Place>;
  settling: Settling;
  source: SensorSource | null;
  /** Whether the configuration no longer has it, or has replaced it. */
  isOver: boolean;
  /** When silence began to count for a sensor that was not heard yet. Its recorded state stands until three heartbeats later. */
  since_mono_ms: number;
  recorded: RecordedState<'online' | 'offline'>;
  fault: string | null;
  /** Why sensors of its places cannot be heard, whatever its driver does. */
  unusable: readonly string[];
}

export function viewOf(gateway: ParkingGateway, mono_ms: number): ParkingGatewayView {
  const places = placesOf(gateway, mono_ms);
  return {
    name: gateway.item.name,
    driver: gateway.item.driver,
    status: gateway.recorded.latest() ?? 'offline',
    place_count: gateway.places.size,
    occupied_count: occupiedIn(gateway, () => true),
    stale_places: places.flatMap(({ name, is_stale }) => (is_stale ? name : [])),
    places,
    fault: faultsText([gateway.fault ?? [], ...gateway.unusable].flat()),
  };
}

function placesOf(
  { places, item, since_mono_ms, fault }: ParkingGateway,
  mono_ms: number,
): ParkingGatewayView['places'] {
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

export function seenIn({ places, item, since_mono_ms }: ParkingGateway, zoneId: number, mono_ms: number): SeenPlaces {
  const seen: SeenPlaces = { places: 0, occupiedPlaces: 0, silent: 0 };
  for (const { item: place, state } of places.values()) {
    if (place.zone_id !== zoneId) continue;
    // The state from before a restart counts until the sensor should have been heard again.
    const heard = state.heard_mono_ms ?? since_mono_ms;
    const isKnown = state.settled !== null && !isSilent(heard, { heartbeat_s: item.heartbeat_s, mono_ms });
    seen.places += 1;
    if (!isKnown) seen.silent += 1;
    if (!isKnown || state.settled === 'occupied') seen.occupiedPlaces += 1;
  }
  return seen;
}

/** Returns when any of its sensors was last heard, on the monotonic clock; null: none since the agent started. */
function heardAt({ places }: ParkingGateway): number | null {
  const heard = [...places.values()].flatMap(({ state }) => state.heard_mono_ms ?? []);
  return heard.length === 0 ? null : Math.max(...heard);
}

/** The places whose sensors are silent, and for how long. The silence of a sensor that was never heard began when the agent watched it. */
function silentPlaces({ places, item, since_mono_ms }: ParkingGateway, mono_ms: number): SilentSensorsReport['places'] {
  const silent = [...places].flatMap(([parking_place_id, { state }]) => {
    const heard_mono_ms = state.heard_mono_ms ?? since_mono_ms;
    if (!isSilent(heard_mono_ms, { heartbeat_s: item.heartbeat_s, mono_ms })) return [];
    return [{ parking_place_id, silent_ms: Math.max(0, Math.round(mono_ms - heard_mono_ms)) }];
  });
  return silent.slice(0, REPORTED_MAX);
}

/** Says whether a parking gateway is heard; null: it was not heard yet, and its recorded status stands. */
export function statusOf(gateway: ParkingGateway, mono_ms: number): 'online' | 'offline' | null {
  const heard = heardAt(gateway);
  const { heartbeat_s } = gateway.item;
  if (isSilent(heard ?? gateway.since_mono_ms, { heartbeat_s, mono_ms })) return 'offline';
  return heard === null ? null : 'online';
}

/** Returns when parking gateways were last heard, and which of their sensors are silent. */
export function reportsOf(
  gateways: readonly ParkingGateway[],
  mono_ms: number,
): { heard: ParkingGatewayReport[]; silent: SilentSensorsReport[] } {
  const heard = gateways.flatMap((gateway) => {
    const at = heardAt(gateway);
    if (at === null) return [];
    return { parking_gateway_id: gateway.item.id, heard_ago_ms: Math.max(0, Math.round(mono_ms - at)) };
  });
  const silent = gateways.map((gateway) => ({
    parking_gateway_id: gateway.item.id,
    places: silentPlaces(gateway, mono_ms),
  }));
  return { heard, silent };
}

export function occupiedIn({ places }: ParkingGateway, isWanted: (place: Place['item']) => boolean): number {
  return [...places.values()].filter(({ state, item }) => state.settled === 'occupied' && isWanted(item)).length;
}
