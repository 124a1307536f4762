/** Records as services write them, for tests of what carries them. */
import { uuidv7 } from 'uuidv7';
import {
  type AgentStore,
  type ImageEntry,
  type OutboxEntry,
  type OutcomeCommit,
  type ReadCommit,
  recentReadOf,
  type RecordStamp,
  type RefinementCommit,
  type SensorCommit,
  type SessionChange,
} from '../../agent/store/agent-store.js';
import { readState } from '../../agent/store/read-state-codec.js';
import type { EventId, Uid } from '../../shared/ids.js';
import type { CommandResultRecord, PlateReadingRecord, PlateReadRecord } from '../../shared/uplink.js';

export const newUid = (): Uid => uuidv7() as Uid;

/** 2026-01-15 12:00:00 UTC */
export const NOON_MS = Date.UTC(2026, 0, 15, 12);

export function stampOf(at: Partial<RecordStamp> = {}): RecordStamp {
  return { uid: newUid(), mono_ms: 1_000, wall_ms: NOON_MS, clock_ok: true, ...at };
}

export interface ReadOptions {
  stamp?: Partial<RecordStamp>;
  camera_device_id?: string;
  reading?: Partial<PlateReadingRecord>;
  record?: Partial<PlateReadRecord>;
  sessions?: SessionChange[];
}

/** A car at an entry, as its camera read it. */
export const readingOf = (change: Partial<PlateReadingRecord> = {}): PlateReadingRecord => ({
  lpr_camera_id: 1,
  zone_id: 1,
  plate: 'ZG1234AB',
  raw_plate: 'ZG 1234-AB',
  confidence: 0.9,
  direction: 'in',
  type: 'car',
  make: null,
  color: null,
  model: null,
  country_code: 'HR',
  plate_side: 'front',
  lpr_camera_direction: 'in',
  vendor_event_id: null,
  event_ms: NOON_MS,
  retransmission: false,
  images: [],
  ...change,
});

/** A vehicle read at an entry, with nothing opened and no session unless asked for. */
export function readCommit(options: ReadOptions = {}): ReadCommit {
  const stamp = stampOf(options.stamp);
  const reading = readingOf({ event_ms: stamp.wall_ms, ...options.reading });
  const record: PlateReadRecord = {
    kind: 'plate_read',
    reading,
    access_decision: 'denied',
    access_decision_reason: 'no_tariff',
    session: null,
    lot_entry: null,
    opening: null,
    ...options.record,
  };
  return {
    ...stamp,
    record,
    camera_device_id: options.camera_device_id ?? 'cam-in-1',
    sessions: options.sessions ?? [],
  };
}

/** The read refined once; it is decided again if it opens. */
export function refinementCommit(
  read: ReadCommit,
  refined: { plate?: string; confidence?: number; opening?: PlateReadRecord['opening']; sessions?: SessionChange[] },
): RefinementCommit {
  const { opening = null, sessions = [], ...seen } = refined;
  const reading = { ...read.record.reading, ...seen };
  const before = recentReadOf(read);
  const allowed = opening === null ? before.allowed : true;
  const states = [...before.states, readState(reading)];
  const admitted = { access_decision: 'triggered', access_decision_reason: 'tariff' } as const;
  return {
    ...stampOf(),
    sessions,
    read: { ...before, plate: reading.plate, allowed, states },
    record: {
      kind: 'plate_refined',
      reading_uid: read.uid,
      refinement: 1,
      reading,
      decided: opening === null ? null : { ...admitted, session: null, lot_entry: { is_allowed: true }, opening },
    },
  };
}

export const openingOf = (event_id: string, product_id = 7): NonNullable<PlateReadRecord['opening']> => ({
  event_id: event_id as EventId,
  product_id,
});

/** The authenticated answer of a product to a command. @param failure the type of the `gateway_error`; left out: it succeeded */
export const commandResultOf = (
  command: Pick<CommandResultRecord, 'event_id' | 'product_id'>,
  failure: CommandResultRecord['gateway_error_type'] = null,
): CommandResultRecord => ({
  kind: 'command_result',
  event_id: command.event_id,
  product_id: command.product_id,
  outcome: failure === null ? 'succeeded' : 'failed',
  gateway_error_type: failure,
  authenticated: true,
  refused_late: false,
  status: {
    state: 'opened',
    permanent_position: 'disabled',
    is_car_on_top: false,
    is_autoclose: true,
    autoclose_time: 20,
    battery_status: 80,
    errors: 0,
  },
});

/** The outcome of the opening that `read` began. */
export function outcomeCommit(read: ReadCommit): OutcomeCommit {
  const { opening } = read.record;
  if (opening === null) throw new Error('the read opens nothing');
  return {
    ...stampOf(),
    record: {
      kind: 'opening_result',
      reading_uid: read.uid,
      ...opening,
      outcome: 'succeeded',
      gateway_error_type: null,
    },
  };
}

/** A small record for lane 1 (or 0), recognised by its event time. */
export function sightingEntry(event_ms = NOON_MS, lane: 0 | 1 = 1): OutboxEntry {
  return {
    ...stampOf(),
    lane,
    payload: { kind: 'sighting', lpr_camera_id: 1, zone_id: 1, direction: 'in', event_ms, images: [] },
  };
}

export function imageEntry(
  jpeg: Uint8Array,
  { owner_uid = newUid(), thumbnail = null }: Partial<Pick<ImageEntry, 'owner_uid' | 'thumbnail'>> = {},
): ImageEntry {
  return { ...stampOf(), owner_uid, role: 'full', jpeg, thumbnail };
}

export function placeCommit(parking_place_id: number, occupancy_status: 'free' | 'occupied'): SensorCommit {
  const stamp = stampOf();
  return {
    ...stamp,
    record: { kind: 'place_change', parking_place_id, occupancy_status, event_ms: stamp.wall_ms },
  };
}

export function parkingGatewayCommit(parking_gateway_id: number, status: 'online' | 'offline'): SensorCommit {
  const stamp = stampOf();
  return { ...stamp, record: { kind: 'parking_gateway_status', parking_gateway_id, status, event_ms: stamp.wall_ms } };
}

export function sessionChange(plate: string, change: Partial<SessionChange> = {}): SessionChange {
  return { uid: newUid(), plate, zone_id: 1, began_ms: NOON_MS, ended_ms: null, ...change };
}

/** A person let the vehicle of a refused read through. */
export function letInCommit(
  reading_uid: Uid,
  sessions: SessionChange[] = [],
): Parameters<AgentStore['recordLetIn']>[0] {
  return {
    ...stampOf(),
    record: {
      kind: 'local_action',
      action: 'let_in',
      by: 'console',
      address: '192.168.1.20',
      at_ms: NOON_MS,
      product_id: 7,
      operation: 'open',
      event_id: 'deadbeef' as EventId,
      plate: null,
      sighting_uid: null,
      reading_uid,
      outcome: 'succeeded',
      gateway_error_type: null,
      was_cut_off: true,
      count: 1,
    },
    sessions,
  };
}
