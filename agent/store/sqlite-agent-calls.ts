/** The calls of the store's port, as messages that the worker thread understands. */
import type { Uid } from '../../shared/ids.js';
import { encodeJson } from '../../shared/json-text-codec.js';
import {
  type AgentStore,
  type ImageEntry,
  laneOfRefinement,
  type OutboxBatch,
  type OutboxEntry,
  type OutboxState,
  recentReadOf,
  recordedStatusOf,
  type RecordStamp,
  type StartedOutboxEpoch,
  type WaitingLane,
} from './agent-store.js';
import type { GroupCommit } from './group-commit.js';
import { decodeBatch, encodeImageHead, encodeRecord } from './outbox-codec.js';
import type { StoreCall } from './sqlite-agent-protocol.js';

export type Submit = GroupCommit['submit'];

interface Stamping {
  boot_id: Uid;
  /** Wall time. */
  nowMs(): number;
}

type Calls = Omit<AgentStore, 'boot' | 'health' | 'close'>;

export function portOf(submit: Submit, { boot_id, nowMs }: Stamping): Calls {
  const now = (call: StoreCall) => submit(call, { urgent: true, bytes: 0, stamp: null });
  const soon = (call: StoreCall) => submit(call, { urgent: false, bytes: 0, stamp: null }) as Promise<void>;
  const outboxBatch = (lane: OutboxBatch['lane'], after_seq: number) =>
    now({ op: 'batch', lane, after_seq }) as Promise<OutboxBatch | null>;
  return {
    ...recordsOf(submit, boot_id),
    keepIntent: (intent) => now({ op: 'intent', intent }) as Promise<void>,
    outboxBatch,
    outboxRows: (lane, after_seq) =>
      outboxBatch(lane, after_seq).then((batch) => (batch === null ? [] : decodeBatch(batch.json))),
    outboxState: () => now({ op: 'state' }) as Promise<OutboxState>,
    waiting: (rowsMax) => now({ op: 'waiting', rowsMax }) as Promise<WaitingLane[]>,
    acknowledge: ({ epoch, lane, seq }) => soon({ op: 'acknowledge', epoch, lane, seq, now_ms: nowMs() }),
    startOutboxEpoch: (goBackTo = []) => now({ op: 'start_outbox_epoch', goBackTo }) as Promise<StartedOutboxEpoch>,
    applyConfig({ upsert, ...message }) {
      const upsertJson = encodeJson(upsert);
      const call = { op: 'config', message, upsertJson } as const;
      return submit(call, { urgent: true, bytes: upsertJson.length, stamp: null }) as Promise<void>;
    },
    saveClockFloor: (wall_ms) => soon({ op: 'clock', wall_ms }),
    saveConfirmedTime: (wall_ms) => soon({ op: 'confirmed_time', wall_ms }),
    saveCameraClock: (device_id, clock) => soon({ op: 'camera_clock', device_id, clock }),
  };
}

/** The calls that make records. */
function recordsOf(
  submit: Submit,
  boot_id: Uid,
): Pick<
  Calls,
  'recordRead' | 'recordRefinement' | 'recordLetIn' | 'recordOutcome' | 'recordSensor' | 'append' | 'appendImage'
> {
  const record = (call: StoreCall & { record: string }, stamp: RecordStamp, how: { urgent: boolean; bytes?: number }) =>
    submit(call, { urgent: how.urgent, bytes: call.record.length + (how.bytes ?? 0), stamp }) as Promise<number>;
  return {
    recordRead(read) {
      const { opening } = read.record;
      const call = {
        op: 'read',
        record: encodeRecord(read, boot_id, read.record),
        stamp: read,
        read: recentReadOf(read),
        sessions: read.sessions,
        intent: opening === null ? null : { reading_uid: read.uid, ...opening },
      } as const;
      return record(call, read, { urgent: true });
    },
    recordRefinement(refinement) {
      const { reading_uid, decided } = refinement.record;
      const lane = laneOfRefinement(refinement);
      const call = {
        op: 'refinement' as const,
        lane,
        record: encodeRecord(refinement, boot_id, refinement.record),
        read: refinement.read,
        sessions: refinement.sessions,
        intent: decided === null || decided.opening === null ? null : { reading_uid, ...decided.opening },
      } satisfies StoreCall;
      return record(call, refinement, { urgent: lane === 0 });
    },
    recordLetIn(commit) {
      const { reading_uid } = commit.record;
      const text = encodeRecord(commit, boot_id, commit.record);
      const call = { op: 'let_in', record: text, reading_uid, sessions: commit.sessions } as const;
      return record(call, commit, { urgent: true });
    },
    recordOutcome(outcome) {
      const { reading_uid } = outcome.record;
      const text = encodeRecord(outcome, boot_id, outcome.record);
      return record({ op: 'outcome', record: text, reading_uid }, outcome, { urgent: true });
    },
    recordSensor(change) {
      const text = encodeRecord(change, boot_id, change.record);
      return record({ op: 'sensor', record: text, recorded: recordedStatusOf(change) }, change, { urgent: false });
    },
    append(entry: OutboxEntry) {
      const text = encodeRecord(entry, boot_id, entry.payload);
      const call = { op: 'append', lane: entry.lane, record: text, jpeg: null } as const;
      return record(call, entry, { urgent: entry.lane === 0 });
    },
    appendImage(image: ImageEntry) {
      // The bytes are copied: they may be a window of a larger buffer, and they move to the worker thread.
      const jpeg = new Uint8Array(image.jpeg);
      const call = { op: 'append', lane: 2, record: encodeImageHead(image, boot_id), jpeg } as const;
      return record(call, image, { urgent: false, bytes: call.record.length + jpeg.byteLength });
    },
  };
}
