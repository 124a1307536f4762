/**
 * Port: keeps the outbox, the configuration that the gateway starts with, and the state that its decisions need, in one SQLite file
 * behind a worker thread. A resolved promise means: committed and synced. Calls that come while the disk is busy are committed
 * together.
 */
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { EventId, Uid } from '../../shared/ids.js';
import type { JsonText } from '../../shared/json-text-codec.js';
import type {
  ImageRole,
  Lane,
  LocalActionRecord,
  OpeningResultRecord,
  OutboxEpoch,
  ParkingGatewayStatusRecord,
  PlaceChangeRecord,
  PlateReadRecord,
  PlateRefinedRecord,
  RecordPayload,
} from '../../shared/uplink.js';
import type { LatestRecord } from './latest-records.js';
import { readState } from './read-state-codec.js';

/** Says when a record was made. The caller stamps it, so that order and clock are the caller's. */
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

/** A picture for lane 2. Its bytes are apart from the record until it is sent. */
export interface ImageEntry extends RecordStamp {
  owner_uid: Uid;
  role: ImageRole;
  jpeg: Uint8Array;
  /** The same picture for lists; null when it is small itself. */
  thumbnail: Uint8Array | null;
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

/** All that one read changes, in one transaction. */
export interface ReadCommit extends RecordStamp {
  record: PlateReadRecord;
  camera_device_id: string;
  /** Sessions this read begins or ends. */
  sessions: SessionChange[];
}

/** The part of a read that later decisions and repeats need. It is kept for 24 h, with at most 10,000 per camera. */
export interface RecentRead {
  uid: Uid;
  camera_device_id: string;
  vendor_event_id: string | null;
  /** The plate as stored, not normalised. */
  plate: string;
  direction: 'in' | 'out' | 'undefined';
  event_ms: number;
  debounced: boolean;
  /** Whether its lot entry let the vehicle in or out; null: it made no lot entry. */
  allowed: boolean | null;
  /** Every `readState` that was sent for it, the present one last. Empty: a damage of the file took them. */
  states: string[];
}

/** All that a refinement changes, in one transaction. */
export interface RefinementCommit extends RecordStamp {
  record: PlateRefinedRecord;
  /** The read as it is now. */
  read: RecentRead;
  /** Sessions that the new decision begins or ends. */
  sessions: SessionChange[];
}

/** An opening that was begun and whose outcome is not stored. After a crash the outcome is unknown, and the opening is never replayed. */
export interface OpeningIntent {
  reading_uid: Uid;
  event_id: EventId;
  product_id: number;
}

/** A person's action for the vehicle of a refused read. */
export type ReadActionRecord = LocalActionRecord & { reading_uid: Uid };

export interface OutcomeCommit extends RecordStamp {
  record: OpeningResultRecord;
}

export type SensorRecord = PlaceChangeRecord | ParkingGatewayStatusRecord;

export interface SensorCommit extends RecordStamp {
  record: SensorRecord;
}

/** The last state that was recorded for a place or a parking gateway: after a restart only another state is a change. */
export interface RecordedStatus {
  kind: SensorRecord['kind'];
  /** The id of the place or of the parking gateway. */
  id: number;
  status: PlaceChangeRecord['occupancy_status'] | ParkingGatewayStatusRecord['status'];
}

/** An overlay row with the seq of the record that carries it. The cloud's own section contains it once the cloud has applied that record. */
export interface SessionOverlay extends SessionChange {
  /** 0: acknowledged in an older outbox epoch. */
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

/** The cloud's cursor of a lane in the present outbox epoch. */
export interface LaneCursor {
  lane: Lane;
  /** 0: it has nothing of it. */
  seq: number;
}

export interface OutboxState {
  epoch: OutboxEpoch;
  lanes: LaneState[];
}

/** One waiting row, for people: its kind, and since when it waits. */
export interface WaitingRow extends Pick<RecordStamp, 'mono_ms' | 'wall_ms' | 'clock_ok'> {
  seq: number;
  boot_id: string;
  /** The kind of its record; `damaged`: the disk damaged it. */
  kind: string;
  bytes: number;
  /** The plate that it is about; null: it is about none. */
  plate: string | null;
}

/** The records that wait in a lane, for people. */
export interface WaitingLane {
  lane: Lane;
  /** The oldest rows. */
  oldest: WaitingRow[];
  /** How many rows were given up since the agent started, because the outbox was at its bounds. */
  lost_rows: number;
}

/** The state in a new outbox epoch, and where lane 0 stood in the one before it. */
export interface StartedOutboxEpoch extends OutboxState {
  /** The last seq of the old outbox epoch that does not wait; records after it are numbered from 1. Negative: older ones wait again, too. */
  acknowledged_seq: number;
}

/** Picks what later decisions need of a read that is committed. */
export function recentReadOf({ uid, camera_device_id, record }: ReadCommit): RecentRead {
  const { vendor_event_id, plate, direction, event_ms } = record.reading;
  const debounced = record.access_decision_reason === 'debounce';
  const allowed = record.lot_entry?.is_allowed ?? null;
  const states = [readState(record.reading)];
  return { uid, camera_device_id, vendor_event_id, plate, direction, event_ms, debounced, allowed, states };
}

/** A refinement that carries a decision is as critical as a read. */
export function laneOfRefinement({ record }: Pick<RefinementCommit, 'record'>): 0 | 1 {
  return record.decided === null ? 1 : 0;
}

/** Picks the state from a sensor's record, which is kept as the last one recorded. */
export function recordedStatusOf({ record }: SensorCommit): RecordedStatus {
  return record.kind === 'place_change'
    ? { kind: record.kind, id: record.parking_place_id, status: record.occupancy_status }
    : { kind: record.kind, id: record.parking_gateway_id, status: record.status };
}

/** The error of a camera's clock, as it was last known. */
export interface KeptCameraClock {
  /** Arrival minus the camera's time, in whole milliseconds; negative: the clock is ahead. */
  behind_ms: number;
  /** When a read last agreed with it, in whole wall milliseconds. */
  confirmed_ms: number;
}

/** The state that the gateway reads once, at its start. */
export interface BootState {
  /** Random per start of the agent, written to each record. */
  boot_id: Uid;
  config: { section: ConfigSection; revision: string; items: Record<string, unknown> }[];
  sessions: SessionOverlay[];
  recent_reads: RecentRead[];
  intents: OpeningIntent[];
  recorded: RecordedStatus[];
  camera_clocks: (KeptCameraClock & { device_id: string })[];
  /** The newest records about vehicles, sent or not, the oldest first. They go with the records that the cloud has acknowledged. */
  latest: LatestRecord[];
  /** The latest wall time, by its own clock, at which this gateway ran. It may lie ahead: nobody confirmed it. */
  clock_floor_ms: number;
  /** The latest wall time that the cloud or a time server confirmed; a clock behind it is wrong. */
  confirmed_ms: number;
}

/** One row as it is sent; lane 2 rows carry their JPEG. */
export interface OutboxRow extends RecordStamp {
  seq: number;
  boot_id: Uid;
  payload: RecordPayload;
}

/** The content of a batch on the wire: the rows with their head. */
export interface WaitingBatch {
  epoch: OutboxEpoch;
  lane: Lane;
  records: OutboxRow[];
}

/** Rows of one lane, ready for the wire: `json` is a RecordBatch of `shared/uplink.ts`, so that no row is parsed to be sent. */
export interface OutboxBatch {
  epoch: OutboxEpoch;
  lane: Lane;
  first_seq: number;
  last_seq: number;
  json: JsonText<WaitingBatch>;
}

/** The condition of the file at this start, and since. */
export interface StoreHealth {
  path: string;
  journal_mode: string;
  synchronous: number;
  /** Size with the write-ahead log, at the moment of asking. */
  file_bytes: number;
  /** The path to which a damaged file was moved at the opening, or null. A new file with a new outbox epoch was begun then. */
  quarantined: string | null;
  /** Why nothing can be kept on the disk now: it refused the last write, or the store broke for good. null: it can. */
  failed: string | null;
  /** The store broke for good: nothing is kept until the agent starts again, in memory neither. */
  is_broken: boolean;
}

/** The limits of the store. Over the bounds of the outbox, lane 2 loses its oldest rows, then lane 1; lane 0 never loses any. */
export interface StoreLimits {
  outboxBytesMax: number;
  outboxRowsMax: number;
  /** Acknowledged rows are kept for so long and up to so many bytes, and give way before anything that waits. */
  keptAgeMs: number;
  keptBytesMax: number;
  /** The whole file without its write-ahead log. */
  fileBytesMax: number;
  recentReadsPerCameraMax: number;
  recentReadsAgeMs: number;
  /** How many bytes may wait in memory for a slow disk before calls are refused. */
  pendingBytesMax: number;
}

/** Limits for an SD card of 8 GB or more. */
export const STORE_LIMITS: StoreLimits = {
  outboxBytesMax: 512 * 1024 * 1024,
  outboxRowsMax: 2_000_000,
  keptAgeMs: 72 * 3_600_000,
  keptBytesMax: 64 * 1024 * 1024,
  fileBytesMax: 1024 * 1024 * 1024,
  recentReadsPerCameraMax: 10_000,
  recentReadsAgeMs: 24 * 3_600_000,
  pendingBytesMax: 64 * 1024 * 1024,
};

/**
 * The store could not keep what it was given. `full`: the disk is full, or a bound is reached (lane 0 is never evicted). `io`: the disk
 * refused for another reason. `closed`: after `close`. Nothing of the call was kept. Any other Error is a mistake in the call itself.
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
  /** Lane 0, at once, when it carries a decision; else lane 1, within 100 ms. */
  recordRefinement(refinement: RefinementCommit): Promise<number>;
  /** Keeps, at once, that a person has the product opened for a refused read. */
  keepIntent(intent: OpeningIntent): Promise<void>;
  /** Lane 0. One transaction queues the record, keeps the change of the session, and removes the intent. */
  recordLetIn(commit: RecordStamp & { record: ReadActionRecord; sessions: SessionChange[] }): Promise<number>;
  /** Lane 0. One transaction queues the outcome and removes the intent. */
  recordOutcome(outcome: OutcomeCommit): Promise<number>;
  /** Lane 1, within 100 ms. One transaction queues the record and keeps its state as the last one recorded. */
  recordSensor(change: SensorCommit): Promise<number>;
  /** Any other record; lane 0 at once, others within 100 ms. */
  append(entry: OutboxEntry): Promise<number>;
  /** Lane 2; within 100 ms. Over the bound the oldest pictures are deleted. */
  appendImage(image: ImageEntry): Promise<number>;
  /** Rows of a lane after `after_seq`, ascending, at most 100 and about 64 KiB (at least one). Payloads are as sent (images in base64). */
  outboxRows(lane: Lane, after_seq: number): Promise<OutboxRow[]>;
  /** The same rows as they are sent; null when none waits. `first_seq` is above after_seq + 1 when rows in between were given up. */
  outboxBatch(lane: Lane, after_seq: number): Promise<OutboxBatch | null>;
  outboxState(): Promise<OutboxState>;
  /** Sums up each lane without pictures. @param rowsMax how many of the oldest rows of each are looked at */
  waiting(rowsMax: number): Promise<WaitingLane[]>;
  /** Lets go of what the cloud committed: all rows of the lane up to seq, if the outbox epoch is the present one. They are kept for a while. */
  acknowledge(ack: { epoch: OutboxEpoch; lane: Lane; seq: number }): Promise<void>;
  /**
   * Begins a new outbox epoch: all waiting records are numbered again from 1, in their order.
   * @param goBackTo for a cloud that lacks what it had acknowledged: of these lanes the kept records behind seq wait again, and with 0 all of them
   */
  startOutboxEpoch(goBackTo?: readonly LaneCursor[]): Promise<StartedOutboxEpoch>;
  /**
   * Stores a snapshot or delta as given. Drops overlay rows that `applied` covers, the recorded states of places and parking gateways that
   * `sensors` no longer names, and the clocks of cameras that `cameras` no longer names. Rejects, and changes nothing, when a delta's base is not the stored revision: an earlier change
   * could not be kept, and the stored section would then claim a revision that it does not have.
   */
  applyConfig(message: ConfigMessage): Promise<void>;
  /** Raises the clock floor. Call it now and then while the time is known. */
  saveClockFloor(wall_ms: number): Promise<void>;
  /** Keeps the time that was confirmed, also one that is earlier than that from before. */
  saveConfirmedTime(wall_ms: number): Promise<void>;
  /** Keeps the error of a camera's clock; null: forgets it. */
  saveCameraClock(device_id: string, clock: KeptCameraClock | null): Promise<void>;
  /** Waits for what is pending, then closes the file. Idempotent. */
  close(): Promise<void>;
}
