/**
 * The agent's store in memory, for fast tests of what is built on it. What a call resolved for is on the "disk"; opening the
 * same disk again is the agent's next start. It passes the same conformance suite as the real one.
 */
import { uuidv7 } from 'uuidv7';
import {
  type AgentStore,
  type BootState,
  expectBase,
  laneOfRefinement,
  recentReadOf,
  STORE_LIMITS,
  StoreError,
  type StoreLimits,
  recordedStatusOf,
} from '../../agent/store/agent-store.js';
import { decodeJson } from '../../shared/json-text-codec.js';
import type { Uid } from '../../shared/ids.js';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.js';
import { memoryOutbox } from './memory-outbox.js';

export function openMemoryAgentStore(
  options: { disk?: MemoryDisk; limits?: Partial<StoreLimits> } = {},
): Promise<AgentStore> {
  const disk = options.disk ?? createMemoryDisk();
  const limits = { ...STORE_LIMITS, ...options.limits };
  const boot = bootStateOf(disk);
  const outbox = memoryOutbox({ disk, limits, boot_id: boot.boot_id });
  let closed = false;

  /** Runs one call a turn later, as a disk would: all of it or nothing. */
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
          // Deleted first, so that the map keeps the order of the records.
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
        const recorded = recordedStatusOf(change);
        disk.recorded = [
          ...disk.recorded.filter(({ kind, id }) => kind !== recorded.kind || id !== recorded.id),
          recorded,
        ];
        return seq;
      }),
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
    acknowledge: (ack) => commit(() => outbox.acknowledge(ack)),
    startOutboxEpoch: () => commit(outbox.startOutboxEpoch),
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
    recorded: disk.recorded,
    clock_floor_ms: disk.clock_floor_ms,
  });
}

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
