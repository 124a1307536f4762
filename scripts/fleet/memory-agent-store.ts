/**
 * The agent's store in memory, for fast tests. A call that has resolved is on the "disk"; opening the same disk again is the agent's
 * next start. It passes the conformance suite of the real store.
 */
import { uuidv7 } from 'uuidv7';
import {
  type OpeningIntent,
  type AgentStore,
  type BootState,
  expectBase,
  laneOfRefinement,
  type OutboxRow,
  recentReadOf,
  STORE_LIMITS,
  StoreError,
  type StoreLimits,
  recordedStatusOf,
} from '../../agent/store/agent-store.js';
import { isLatest, LATEST_ROWS_MAX, type LatestRecord } from '../../agent/store/latest-records.js';
import { decodeJson } from '../../shared/json-text-codec.js';
import type { Uid } from '../../shared/ids.js';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.js';
import { type MemoryOutbox, memoryOutbox } from './memory-outbox.js';

interface Memory {
  disk: MemoryDisk;
  limits: StoreLimits;
  outbox: MemoryOutbox;
}

const HEALTH: AgentStore['health'] = {
  path: ':memory:',
  journal_mode: 'wal',
  synchronous: 2,
  file_bytes: 0,
  quarantined: null,
  failed: null,
  is_broken: false,
};

export async function openMemoryAgentStore(
  options: { disk?: MemoryDisk; limits?: Partial<StoreLimits> } = {},
): Promise<AgentStore> {
  const disk = options.disk ?? createMemoryDisk();
  const limits = { ...STORE_LIMITS, ...options.limits };
  const boot = bootStateOf(disk);
  const outbox = memoryOutbox({ disk, limits, boot_id: boot.boot_id });
  const memory: Memory = { disk, limits, outbox };
  let closed = false;

  /** Runs a call one turn later, as a disk would. A call that throws changes nothing. */
  async function commit<Value>(work: () => Value): Promise<Value> {
    if (closed) throw new StoreError('closed', 'the store is closed');
    await Promise.resolve();
    if (disk.refuseWith !== null) throw disk.refuseWith;
    return work();
  }

  return {
    boot,
    health: HEALTH,
    recordRead: (read) => commit(() => keepRead(memory, read)),
    recordRefinement: (refinement) => commit(() => keepRefinement(memory, refinement)),
    keepIntent: (intent) => commit(() => putIntent(disk, intent)),
    recordLetIn: (letIn) => commit(() => keepLetIn(memory, letIn)),
    recordOutcome: (outcome) =>
      commit(() => {
        const seq = outbox.append(0, outcome, outcome.record);
        dropIntent(disk, outcome.record.reading_uid);
        return seq;
      }),
    recordSensor: (change) => commit(() => keepSensor(memory, change)),
    append: (entry) => commit(() => outbox.append(entry.lane, entry, entry.payload)),
    appendImage: (image) =>
      commit(() => {
        const data = Buffer.from(image.jpeg).toString('base64');
        const { owner_uid, role, thumbnail } = image;
        const small = thumbnail === null ? {} : { thumbnail: Buffer.from(thumbnail).toString('base64') };
        return outbox.append(2, image, { kind: 'image', owner_uid, role, mime: 'image/jpeg', ...small, data });
      }),
    outboxBatch: (lane, after_seq) => commit(() => outbox.batch(lane, after_seq)),
    outboxRows: (lane, after_seq) =>
      commit(() => {
        const batch = outbox.batch(lane, after_seq);
        return batch === null ? [] : decodeJson(batch.json).records;
      }),
    outboxState: () => commit(outbox.state),
    waiting: (rowsMax) => commit(() => outbox.waiting(rowsMax)),
    acknowledge: (ack) => commit(() => outbox.acknowledge(ack)),
    startOutboxEpoch: (goBackTo = []) => commit(() => outbox.startOutboxEpoch(goBackTo)),
    applyConfig: (message) => commit(() => keepConfig(disk, message)),
    saveClockFloor: (wall_ms) =>
      commit(() => {
        disk.clock_floor_ms = Math.max(disk.clock_floor_ms, wall_ms);
      }),
    saveConfirmedTime: (wall_ms) =>
      commit(() => {
        disk.confirmed_ms = wall_ms;
      }),
    saveCameraClock: (device_id, clock) =>
      commit(() => {
        if (clock === null) disk.cameraClocks.delete(device_id);
        else disk.cameraClocks.set(device_id, { ...clock });
      }),
    async close() {
      closed = true;
    },
  };
}

type Written<Call extends 'recordRead' | 'recordRefinement' | 'recordLetIn' | 'recordSensor' | 'applyConfig'> =
  Parameters<AgentStore[Call]>[0];

/** @returns the number of its record */
function keepRead({ disk, limits, outbox }: Memory, read: Written<'recordRead'>): number {
  const { opening } = read.record;
  if (opening !== null && disk.intents.some((intent) => intent.reading_uid === read.uid)) {
    throw new Error(`an opening for the reading ${read.uid} is under way already`);
  }
  const seq = outbox.append(0, read, read.record);
  keepSessions(disk, read.sessions, seq);
  if (opening !== null) disk.intents.push({ reading_uid: read.uid, ...opening });
  keepRecent(disk, limits, { ...recentReadOf(read), age_ms: read.clock_ok ? read.wall_ms : null });
  return seq;
}

/** @returns the number of its record */
function keepRefinement({ disk, outbox }: Memory, refinement: Written<'recordRefinement'>): number {
  const { reading_uid, decided } = refinement.record;
  const seq = outbox.append(laneOfRefinement(refinement), refinement, refinement.record);
  keepSessions(disk, refinement.sessions, seq);
  const opening = decided?.opening ?? null;
  if (opening !== null) putIntent(disk, { reading_uid, ...opening });
  disk.recentReads = disk.recentReads.map((read) =>
    read.uid === reading_uid ? { ...read, ...structuredClone(refinement.read) } : read,
  );
  return seq;
}

/** @returns the number of its record */
function keepLetIn({ disk, outbox }: Memory, { record, sessions, ...stamp }: Written<'recordLetIn'>): number {
  const seq = outbox.append(0, stamp, record);
  keepSessions(disk, sessions, seq);
  dropIntent(disk, record.reading_uid);
  return seq;
}

function dropIntent(disk: MemoryDisk, reading_uid: Uid): void {
  disk.intents = disk.intents.filter((intent) => intent.reading_uid !== reading_uid);
}

function putIntent(disk: MemoryDisk, intent: OpeningIntent): void {
  dropIntent(disk, intent.reading_uid);
  disk.intents.push(intent);
}

function keepSessions(disk: MemoryDisk, sessions: Written<'recordRead'>['sessions'], seq: number): void {
  for (const session of sessions) {
    // Deleted first, so that the map keeps the order of the records.
    disk.sessions.delete(session.uid);
    disk.sessions.set(session.uid, { ...session, seq });
  }
}

/** @returns the number of its record */
function keepSensor({ disk, outbox }: Memory, change: Written<'recordSensor'>): number {
  const seq = outbox.append(1, change, change.record);
  const recorded = recordedStatusOf(change);
  disk.recorded = [...disk.recorded.filter(({ kind, id }) => kind !== recorded.kind || id !== recorded.id), recorded];
  return seq;
}

function keepConfig(disk: MemoryDisk, message: Written<'applyConfig'>): void {
  const stored = disk.config.get(message.section);
  expectBase(message, stored?.revision);
  const kept = message.base === null ? undefined : stored?.items;
  const items = new Map(kept);
  for (const key of message.remove) items.delete(key);
  for (const [key, item] of Object.entries(message.upsert)) items.set(key, structuredClone(item));
  disk.config.set(message.section, { revision: message.revision, items });
  if (message.section === 'sensors') dropUnnamed(disk, items);
  if (message.section === 'cameras')
    for (const device_id of disk.cameraClocks.keys()) if (!items.has(device_id)) disk.cameraClocks.delete(device_id);
  const { applied } = message;
  if (message.section !== 'sessions' || applied?.epoch !== disk.epoch) return;
  for (const [uid, session] of disk.sessions) if (session.seq <= applied.seq) disk.sessions.delete(uid);
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
    recorded: disk.recorded,
    camera_clocks: [...disk.cameraClocks]
      .map(([device_id, clock]) => ({ device_id, ...clock }))
      .sort((a, b) => (a.device_id < b.device_id ? -1 : 1)),
    latest: latestOf(disk),
    clock_floor_ms: disk.clock_floor_ms,
    confirmed_ms: disk.confirmed_ms,
  });
}

const latestOf = ({ lanes }: MemoryDisk): LatestRecord[] =>
  lanes
    .filter(({ lane }) => lane !== 2)
    .flatMap(({ kept, rows }) => [...kept, ...rows].slice(-LATEST_ROWS_MAX))
    .map(({ record }) => record as OutboxRow)
    .filter(isLatest)
    .toSorted((a, b) => a.wall_ms - b.wall_ms || (a.uid < b.uid ? -1 : 1));

function dropUnnamed(disk: MemoryDisk, items: ReadonlyMap<string, unknown>): void {
  const sensors = [...items.values()] as { id: number; places?: { id: number }[] }[];
  const named = {
    place_change: new Set(sensors.flatMap(({ places }) => (places ?? []).map(({ id }) => id))),
    parking_gateway_status: new Set(sensors.map(({ id }) => id)),
  };
  disk.recorded = disk.recorded.filter(({ kind, id }) => named[kind].has(id));
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
