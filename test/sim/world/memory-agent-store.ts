/**
 * The agent's store in memory, for fast tests of what is built on it. What was resolved is on the "disk"; opening the same
 * disk again is the agent's next start. It passes the same conformance suite as the real one.
 */
import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import {
  type AgentStore,
  type BootState,
  expectBase,
  type OpeningIntent,
  type OutboxBatch,
  type OutboxState,
  type RecentRead,
  laneOfRefinement,
  recentReadOf,
  type RecordStamp,
  type StartedEpoch,
  STORE_LIMITS,
  StoreError,
  type StoreLimits,
  type SessionOverlay,
  type ToldState,
  toldStateOf,
} from '../../../agent/store/agent-store.js';
import type { ConfigSection } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import {
  BATCH_BYTES_MAX,
  BATCH_RECORDS_MAX,
  type Epoch,
  type Lane,
  LANES,
  type RecordPayload,
  type UplinkRecord,
} from '../../../shared/uplink.js';

interface StoredRow {
  record: Omit<UplinkRecord, 'seq'>;
  /** As stored: a picture takes the room of its bytes, not of its base64. */
  bytes: number;
  sentBytes: number;
}

interface StoredLane {
  lane: Lane;
  last_seq: number;
  rows: StoredRow[];
}

/** What outlives an agent. */
export interface MemoryDisk {
  epoch: Epoch;
  lanes: StoredLane[];
  sessions: Map<Uid, SessionOverlay>;
  recentReads: (RecentRead & { age_ms: number | null })[];
  intents: OpeningIntent[];
  told: ToldState[];
  config: Map<ConfigSection, { revision: string; items: Map<string, unknown> }>;
  clock_floor_ms: number;
  /** Set by a test: every call that writes is refused with it, and nothing of it is kept. */
  refuseWith: StoreError | null;
}

const newEpoch = () => randomBytes(16).toString('hex') as Epoch;

export function createMemoryDisk(): MemoryDisk {
  return {
    epoch: newEpoch(),
    lanes: LANES.map((lane) => ({ lane, last_seq: 0, rows: [] })),
    sessions: new Map(),
    recentReads: [],
    intents: [],
    told: [],
    config: new Map(),
    clock_floor_ms: 0,
    refuseWith: null,
  };
}

export function openMemoryAgentStore(
  options: { disk?: MemoryDisk; limits?: Partial<StoreLimits> } = {},
): Promise<AgentStore> {
  const disk = options.disk ?? createMemoryDisk();
  const limits = { ...STORE_LIMITS, ...options.limits };
  const boot = bootStateOf(disk);
  const outbox = memoryOutbox({ disk, limits, boot_id: boot.boot_id });
  let closed = false;

  /** Runs one call to its end, a turn later as a disk would; all of it or nothing. */
  async function commit<Value>(work: () => Value): Promise<Value> {
    if (closed) throw new StoreError('closed', 'the store is closed');
    await Promise.resolve();
    if (disk.refuseWith !== null) throw disk.refuseWith;
    return work();
  }

  return Promise.resolve({
    boot,
    health: { path: ':memory:', journal_mode: 'wal', synchronous: 2, file_bytes: 0, quarantined: null, failed: null },
    recordRead: (read) =>
      commit(() => {
        const { opening } = read.record;
        if (opening !== null && disk.intents.some((intent) => intent.reading_uid === read.uid)) {
          throw new Error(`an opening for the reading ${read.uid} is under way already`);
        }
        const seq = outbox.append(0, read, read.record);
        for (const session of read.sessions) {
          // Deleted first: the map stays in the order of the records.
          disk.sessions.delete(session.uid);
          disk.sessions.set(session.uid, { ...session, seq });
        }
        if (opening !== null) disk.intents.push({ reading_uid: read.uid, ...opening });
        keepRecent(disk, limits, { ...recentReadOf(read), age_ms: read.clock_ok ? read.wall_ms : null });
        return seq;
      }),
    recordRefinement: (refinement) =>
      commit(() => {
        const { reading_uid, decided } = refinement.record;
        const seq = outbox.append(laneOfRefinement(refinement), refinement, refinement.record);
        for (const session of refinement.sessions) {
          disk.sessions.delete(session.uid);
          disk.sessions.set(session.uid, { ...session, seq });
        }
        const opening = decided?.opening ?? null;
        if (opening !== null) disk.intents.push({ reading_uid, ...opening });
        disk.recentReads = disk.recentReads.map((read) =>
          read.uid === reading_uid ? { ...read, ...structuredClone(refinement.read) } : read,
        );
        return seq;
      }),
    recordOutcome: (outcome) =>
      commit(() => {
        const seq = outbox.append(0, outcome, outcome.record);
        disk.intents = disk.intents.filter((intent) => intent.reading_uid !== outcome.record.reading_uid);
        return seq;
      }),
    recordSensor: (change) =>
      commit(() => {
        const seq = outbox.append(1, change, change.record);
        const told = toldStateOf(change);
        disk.told = [...disk.told.filter(({ kind, id }) => kind !== told.kind || id !== told.id), told];
        return seq;
      }),
    append: (entry) => commit(() => outbox.append(entry.lane, entry, entry.payload)),
    appendImage: (image) =>
      commit(() => {
        const data = Buffer.from(image.jpeg).toString('base64');
        const { owner_uid, role } = image;
        return outbox.append(2, image, { kind: 'image', owner_uid, role, mime: 'image/jpeg', data });
      }),
    outboxBatch: (lane, after_seq) => commit(() => outbox.batch(lane, after_seq)),
    outboxRows: (lane, after_seq) =>
      commit(() => {
        const batch = outbox.batch(lane, after_seq);
        return batch === null ? [] : JSON.parse(batch.json).records;
      }),
    outboxState: () => commit(outbox.state),
    acknowledge: (ack) => commit(() => outbox.acknowledge(ack)),
    startEpoch: () => commit(outbox.startEpoch),
    applyConfig: (message) =>
      commit(() => {
        const stored = disk.config.get(message.section);
        expectBase(message, stored?.revision);
        const kept = message.base === null ? undefined : stored?.items;
        const items = new Map(kept);
        for (const key of message.remove) items.delete(key);
        for (const [key, item] of Object.entries(message.upsert)) items.set(key, structuredClone(item));
        disk.config.set(message.section, { revision: message.revision, items });
        if (message.section === 'sensors') dropUnnamed(disk, items);
        const { applied } = message;
        if (message.section !== 'sessions' || applied?.epoch !== disk.epoch) return;
        for (const [uid, session] of disk.sessions) if (session.seq <= applied.seq) disk.sessions.delete(uid);
      }),
    saveClockFloor: (wall_ms) =>
      commit(() => {
        disk.clock_floor_ms = Math.max(disk.clock_floor_ms, wall_ms);
      }),
    close() {
      closed = true;
      return Promise.resolve();
    },
  });
}

function bootStateOf(disk: MemoryDisk): BootState {
  const config = [...disk.config].map(([section, { revision, items }]) => ({
    section,
    revision,
    items: Object.fromEntries(items),
  }));
  const recent_reads = disk.recentReads.map(({ age_ms: _age, ...read }) => read);
  return structuredClone({
    boot_id: uuidv7() as Uid,
    config,
    sessions: [...disk.sessions.values()],
    recent_reads,
    intents: disk.intents,
    told: disk.told,
    clock_floor_ms: disk.clock_floor_ms,
  });
}

function dropUnnamed(disk: MemoryDisk, items: ReadonlyMap<string, unknown>): void {
  const sensors = [...items.values()] as { id: number; places?: { id: number }[] }[];
  const named = {
    place_change: new Set(sensors.flatMap(({ places }) => (places ?? []).map(({ id }) => id))),
    parking_gateway_status: new Set(sensors.map(({ id }) => id)),
  };
  disk.told = disk.told.filter(({ kind, id }) => named[kind].has(id));
}

function keepRecent(disk: MemoryDisk, limits: StoreLimits, read: MemoryDisk['recentReads'][number]): void {
  disk.recentReads.push(read);
  const { age_ms } = read;
  if (age_ms !== null) {
    const oldest = age_ms - limits.recentReadsAgeMs;
    disk.recentReads = disk.recentReads.filter((each) => each.age_ms === null || each.age_ms >= oldest);
  }
  const ofCamera = disk.recentReads.filter((each) => each.camera_device_id === read.camera_device_id);
  const surplus = new Set(ofCamera.slice(0, Math.max(0, ofCamera.length - limits.recentReadsPerCameraMax)));
  disk.recentReads = disk.recentReads.filter((each) => !surplus.has(each));
}

const bytesOf = ({ rows }: StoredLane) => rows.reduce((sum, row) => sum + row.bytes, 0);
const firstSeq = (stored: StoredLane) => stored.last_seq - stored.rows.length + 1;

function push(stored: StoredLane, row: StoredRow): number {
  stored.rows.push(row);
  stored.last_seq += 1;
  return stored.last_seq;
}

function memoryOutbox({ disk, limits, boot_id }: { disk: MemoryDisk; limits: StoreLimits; boot_id: Uid }) {
  /** Lane 0 seq up to which rows were read: a `lost` record among them may be on its way. */
  let readUpTo = disk.lanes[0]?.last_seq ?? 0;

  function laneOf(lane: Lane): StoredLane {
    const stored = disk.lanes[lane];
    if (stored === undefined) throw new Error(`lane ${lane} is unknown`);
    return stored;
  }
  const rowOf = ({ uid, mono_ms, wall_ms, clock_ok }: RecordStamp, payload: RecordPayload): StoredRow => {
    const record = { uid, boot_id, mono_ms, wall_ms, clock_ok, payload: structuredClone(payload) };
    const sentBytes = Buffer.byteLength(JSON.stringify(record));
    const spared = payload.kind === 'image' ? Math.floor(payload.data.length / 4) : 0;
    return { record, bytes: sentBytes - spared, sentBytes };
  };

  function append(lane: Lane, stamp: RecordStamp, payload: RecordPayload): number {
    const row = rowOf(stamp, payload);
    const critical = laneOf(0);
    if (bytesOf(critical) + row.bytes > limits.outboxBytesMax || critical.rows.length >= limits.outboxRowsMax) {
      throw new StoreError('full', 'the outbox is at its bound with critical records');
    }
    const seq = push(laneOf(lane), row);
    for (const evicted of [2, 1] as const) {
      while (isOver() && laneOf(evicted).rows.length > 0) evictOldest(evicted, stamp);
    }
    return seq;
  }

  function isOver(): boolean {
    const rows = disk.lanes.reduce((sum, stored) => sum + stored.rows.length, 0);
    return (
      rows > limits.outboxRowsMax ||
      disk.lanes.reduce((sum, stored) => sum + bytesOf(stored), 0) > limits.outboxBytesMax
    );
  }

  function evictOldest(lane: Lane, stamp: RecordStamp): void {
    const seq = firstSeq(laneOf(lane));
    laneOf(lane).rows.shift();
    const critical = laneOf(0);
    const last = critical.rows.findLast((row) => {
      const payload = row.record.payload as RecordPayload;
      return payload.kind === 'lost' && payload.lane === lane && payload.to === seq - 1;
    });
    const isUnread = last !== undefined && firstSeq(critical) + critical.rows.indexOf(last) > readUpTo;
    if (last !== undefined && isUnread) Object.assign(last.record.payload as object, { to: seq });
    else push(critical, rowOf({ ...stamp, uid: uuidv7() as Uid }, { kind: 'lost', lane, from: seq, to: seq }));
  }

  function batch(lane: Lane, after_seq: number): OutboxBatch | null {
    const stored = laneOf(lane);
    const first_seq = Math.max(firstSeq(stored), after_seq + 1);
    const records: UplinkRecord[] = [];
    let bytes = 0;
    for (const row of stored.rows.slice(first_seq - firstSeq(stored)).slice(0, BATCH_RECORDS_MAX)) {
      bytes += row.sentBytes;
      if (records.length > 0 && bytes > BATCH_BYTES_MAX) break;
      records.push({ seq: first_seq + records.length, ...row.record });
    }
    if (records.length === 0) return null;
    const last_seq = first_seq + records.length - 1;
    if (lane === 0) readUpTo = Math.max(readUpTo, last_seq);
    return { epoch: disk.epoch, lane, first_seq, last_seq, json: JSON.stringify({ epoch: disk.epoch, lane, records }) };
  }

  function state(): OutboxState {
    const lanes = disk.lanes.map((stored) => ({
      lane: stored.lane,
      first_seq: firstSeq(stored),
      last_seq: stored.last_seq,
      rows: stored.rows.length,
      bytes: bytesOf(stored),
    }));
    return { epoch: disk.epoch, lanes };
  }

  return {
    append,
    batch,
    state,
    acknowledge(ack: { epoch: Epoch; lane: Lane; seq: number }): void {
      if (ack.epoch !== disk.epoch) return;
      const stored = laneOf(ack.lane);
      stored.rows.splice(0, Math.max(0, Math.min(ack.seq, stored.last_seq) - firstSeq(stored) + 1));
    },
    startEpoch(): StartedEpoch {
      const acknowledged_seq = firstSeq(laneOf(0)) - 1;
      for (const session of disk.sessions.values()) session.seq = Math.max(0, session.seq - acknowledged_seq);
      for (const stored of disk.lanes) stored.last_seq = stored.rows.length;
      disk.epoch = newEpoch();
      readUpTo = disk.lanes[0]?.last_seq ?? 0;
      return { ...state(), acknowledged_seq };
    },
  };
}
