/**
 * Port: what the gateway keeps, in one SQLite file behind a worker thread: the outbox, the configuration it boots from, and the
 * state its decisions rest on. A promise that resolved means: committed and synced. Calls that wait for each other's
 * disk are committed together.
 */
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { EventId, Uid } from '../../shared/ids.js';
import type {
  Epoch,
  ImageRole,
  Lane,
  OpeningResultRecord,
  ParkingGatewayStatusRecord,
  PlaceChangeRecord,
  PlateReadRecord,
  PlateRefinedRecord,
  RecordPayload,
} from '../../shared/uplink.js';

/** When a record was made: stamped by the caller, so that order and clock are its own. */
export interface RecordStamp {
  /** uuid v7 */
  uid: Uid;
  /** Milliseconds of the monotonic clock of this boot. */
  mono_ms: number;
  wall_ms: number;
  clock_ok: boolean;
}

export interface OutboxEntry extends RecordStamp {
  lane: Lane;
  payload: RecordPayload;
}

/** A picture for lane 2: its bytes stay apart from the record until it is sent. */
export interface ImageEntry extends RecordStamp {
  owner_uid: Uid;
  role: ImageRole;
  jpeg: Uint8Array;
}

/** A session as the gateway knows it from its own decisions: an overlay over the configuration's `sessions` section. */
export interface SessionChange {
  uid: Uid;
  /** Normalised plate. */
  plate: string;
  zone_id: number;
  began_ms: number;
  ended_ms: number | null;
}

/** All that one read changes: ONE transaction. */
export interface ReadCommit extends RecordStamp {
  record: PlateReadRecord;
  camera_device_id: string;
  /** Sessions this read begins or ends. */
  sessions: SessionChange[];
}

/** What a read left behind that later decisions and repeats need; kept 24 h, at most 10,000 per camera. */
export interface RecentRead {
  uid: Uid;
  camera_device_id: string;
  vendor_event_id: string | null;
  /** As stored, not normalised. */
  plate: string;
  direction: 'in' | 'out' | 'undefined';
  event_ms: number;
  debounced: boolean;
  /** Whether its lot entry let the vehicle in or out; null: it is no lot entry. */
  allowed: boolean | null;
  /** Every `readState` that was told of it, the present one last. Empty for a read that an older agent kept. */
  states: string[];
}

/** All that a refinement changes: ONE transaction. */
export interface RefinementCommit extends RecordStamp {
  record: PlateRefinedRecord;
  /** The read as it is now. */
  read: RecentRead;
  /** Sessions that the new decision begins or ends. */
  sessions: SessionChange[];
}

/** An opening begun but not reported: after a crash its outcome is unknown, and it is never replayed. */
export interface OpeningIntent {
  reading_uid: Uid;
  event_id: EventId;
  product_id: number;
}

export interface OutcomeCommit extends RecordStamp {
  record: OpeningResultRecord;
}

export type SensorRecord = PlaceChangeRecord | ParkingGatewayStatusRecord;

export interface SensorCommit extends RecordStamp {
  record: SensorRecord;
}

/** What was last told of a place or of a parking gateway: after a restart only something else is a change. */
export interface ToldState {
  kind: SensorRecord['kind'];
  /** Of the place or of the parking gateway. */
  id: number;
  status: PlaceChangeRecord['occupancy_status'] | ParkingGatewayStatusRecord['status'];
}

/** An overlay row with the seq of the record that carries it: what the cloud has applied up to there is in its own section. */
export interface SessionOverlay extends SessionChange {
  /** 0: acknowledged in an older epoch. */
  seq: number;
}

export interface LaneState {
  lane: Lane;
  /** The lowest seq not yet acknowledged; last_seq + 1 when nothing waits. */
  first_seq: number;
  last_seq: number;
  rows: number;
  bytes: number;
}

export interface OutboxState {
  epoch: Epoch;
  lanes: LaneState[];
}

/** The state in a new epoch, and where lane 0 stood in the one before it. */
export interface StartedEpoch extends OutboxState {
  /** Acknowledged up to here: what waited above it is numbered from 1 now. */
  acknowledged_seq: number;
}

/** What later decisions need of a read that is committed. */
export function recentReadOf({ uid, camera_device_id, record }: ReadCommit): RecentRead {
  const { vendor_event_id, plate, direction, event_ms } = record.reading;
  const debounced = record.access_decision_reason === 'debounce';
  const allowed = record.lot_entry?.is_allowed ?? null;
  const states = [readState(record.reading)];
  return { uid, camera_device_id, vendor_event_id, plate, direction, event_ms, debounced, allowed, states };
}

/** What a camera may refine, as one text. */
export function readState(read: Pick<PlateReadRecord['reading'], 'plate' | 'direction' | 'confidence'>): string {
  return `${read.direction} ${read.confidence ?? '-'} ${read.plate}`;
}

/** A refinement that carries a decision is as critical as a read. */
export function laneOfRefinement({ record }: Pick<RefinementCommit, 'record'>): 0 | 1 {
  return record.decided === null ? 1 : 0;
}

/** What a record of a sensor tells, to be kept as the last word. */
export function toldStateOf({ record }: SensorCommit): ToldState {
  return record.kind === 'place_change'
    ? { kind: record.kind, id: record.parking_place_id, status: record.occupancy_status }
    : { kind: record.kind, id: record.parking_gateway_id, status: record.status };
}

/** What the gateway reads once, at its start. */
export interface BootState {
  /** Random per start of the agent, written to each record. */
  boot_id: Uid;
  config: { section: ConfigSection; revision: string; items: Record<string, unknown> }[];
  sessions: SessionOverlay[];
  recent_reads: RecentRead[];
  intents: OpeningIntent[];
  told: ToldState[];
  /** The highest wall time the gateway ever knew: a clock behind it is wrong. */
  clock_floor_ms: number;
}

/** One row as it is sent; lane 2 rows carry their JPEG. */
export interface OutboxRow extends RecordStamp {
  seq: number;
  boot_id: Uid;
  payload: RecordPayload;
}

/** Rows of one lane, ready for the wire: `json` is a RecordBatch of `shared/uplink.ts`, so that no row is parsed to be sent. */
export interface OutboxBatch {
  epoch: Epoch;
  lane: Lane;
  first_seq: number;
  last_seq: number;
  json: string;
}

/** What the file answered at this start, and what became of it since. */
export interface StoreHealth {
  path: string;
  journal_mode: string;
  synchronous: number;
  /** Size with the write-ahead log, at the moment of asking. */
  file_bytes: number;
  /** Where a damaged file was put aside when it was opened, or null. A new one with a new epoch was begun then. */
  quarantined: string | null;
  /** Set when the store broke for good: every call fails until the agent starts again. */
  failed: string | null;
}

/** What the store may take. Over the outbox's bounds lane 2 gives way, then lane 1, oldest first; lane 0 never does. */
export interface StoreLimits {
  outboxBytesMax: number;
  outboxRowsMax: number;
  /** The whole file without its write-ahead log. */
  fileBytesMax: number;
  recentReadsPerCameraMax: number;
  recentReadsAgeMs: number;
  /** What may wait for a slow disk in memory before calls are refused. */
  pendingBytesMax: number;
}

/** For an SD card of 8 GB or more. */
export const STORE_LIMITS: StoreLimits = {
  outboxBytesMax: 512 * 1024 * 1024,
  outboxRowsMax: 2_000_000,
  fileBytesMax: 1024 * 1024 * 1024,
  recentReadsPerCameraMax: 10_000,
  recentReadsAgeMs: 24 * 3_600_000,
  pendingBytesMax: 64 * 1024 * 1024,
};

/**
 * The store cannot take what it was given: `full` for a disk or a bound (lane 0 is never evicted), `io` for everything else
 * the disk refuses, `closed` after `close`. Nothing of the call was kept. Any other Error is a fault of the call itself.
 */
export class StoreError extends Error {
  readonly code: 'full' | 'io' | 'closed';

  constructor(code: 'full' | 'io' | 'closed', message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** Throws when a delta does not fit the revision that is stored. */
export function expectBase(
  { section, base }: Pick<ConfigMessage, 'section' | 'base'>,
  stored: string | undefined,
): void {
  if (base === null || base === stored) return;
  throw new Error(`section ${section} is stored as ${stored ?? 'nothing'}: a change of ${base} does not fit`);
}

export interface AgentStore {
  readonly boot: BootState;
  readonly health: StoreHealth;
  /** Lane 0; committed at once. Resolves with the seq the record got. */
  recordRead(read: ReadCommit): Promise<number>;
  /** Lane 0, at once, where it was decided; else lane 1, within 100 ms. */
  recordRefinement(refinement: RefinementCommit): Promise<number>;
  /** Lane 0; the outcome is queued and the intent removed, in one transaction. */
  recordOutcome(outcome: OutcomeCommit): Promise<number>;
  /** Lane 1; the record is queued and kept as what was last told, in one transaction; within 100 ms. */
  recordSensor(change: SensorCommit): Promise<number>;
  /** Any other record; lane 0 at once, others within 100 ms. */
  append(entry: OutboxEntry): Promise<number>;
  /** Lane 2; within 100 ms. Over the bound the oldest pictures give way. */
  appendImage(image: ImageEntry): Promise<number>;
  /** Rows of a lane after `after_seq`, ascending, at most 100 and about 64 KiB (at least one). Payloads are as sent (images in base64). */
  outboxRows(lane: Lane, after_seq: number): Promise<OutboxRow[]>;
  /** The same rows as they are sent; null when none waits. `first_seq` is above after_seq + 1 when rows in between were given up. */
  outboxBatch(lane: Lane, after_seq: number): Promise<OutboxBatch | null>;
  outboxState(): Promise<OutboxState>;
  /** Deletes what the cloud committed: all of the lane up to seq, if the epoch is the present one. */
  acknowledge(ack: { epoch: Epoch; lane: Lane; seq: number }): Promise<void>;
  /** Begins a new epoch: all that waits is numbered anew from 1, in its order. */
  startEpoch(): Promise<StartedEpoch>;
  /**
   * Stores a snapshot or delta as given; drops overlay rows that `applied` covers, and what was told of places and parking gateways
   * that `sensors` no longer names. Rejects, and changes nothing, when a delta's base is not the revision stored: an earlier change
   * could not be kept, and what is on the disk would claim to be more than it is.
   */
  applyConfig(message: ConfigMessage): Promise<void>;
  /** Keeps the clock floor; called now and then while the time is known. */
  saveClockFloor(wall_ms: number): Promise<void>;
  /** Waits for what is pending, then closes the file. Idempotent. */
  close(): Promise<void>;
}
