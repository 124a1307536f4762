/** The messages between the driver and its worker thread. `outbox-codec.ts` encodes the records before they are sent. */
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import type { JsonText } from '../../shared/json-text-codec.js';
import type { SentLogFields } from '../../shared/sent-log-fields.js';
import type { Lane, OutboxEpoch } from '../../shared/uplink.js';
import type {
  BootState,
  KeptCameraClock,
  LaneCursor,
  OpeningIntent,
  RecentRead,
  RecordStamp,
  SessionChange,
  SessionOverlay,
  StoreError,
  StoreHealth,
  StoreLimits,
  RecordedStatus,
} from './agent-store.js';

export interface WorkerOptions {
  path: string;
  limits: StoreLimits;
  /** How much is read and sent at once. */
  batch: { recordsMax: number; bytesMax: number };
  boot_id: Uid;
  /** The wall time of the opening. A damaged file that is put aside gets it in its name. */
  opened_ms: number;
}

/** One call of the port, ready for SQL. */
export type StoreCall =
  | { op: 'append'; lane: Lane; record: string; jpeg: Uint8Array | null }
  | {
      op: 'read';
      record: string;
      stamp: RecordStamp;
      read: RecentRead;
      sessions: SessionChange[];
      intent: OpeningIntent | null;
    }
  | {
      op: 'refinement';
      lane: 0 | 1;
      record: string;
      read: RecentRead;
      sessions: SessionChange[];
      intent: OpeningIntent | null;
    }
  | { op: 'intent'; intent: OpeningIntent }
  | { op: 'let_in'; record: string; reading_uid: Uid; sessions: SessionChange[] }
  | { op: 'outcome'; record: string; reading_uid: Uid }
  | { op: 'sensor'; record: string; recorded: RecordedStatus }
  | { op: 'batch'; lane: Lane; after_seq: number }
  | { op: 'state' }
  | { op: 'waiting'; rowsMax: number }
  | { op: 'acknowledge'; epoch: OutboxEpoch; lane: Lane; seq: number; now_ms: number }
  | { op: 'start_outbox_epoch'; goBackTo: readonly LaneCursor[] }
  | { op: 'config'; message: Omit<ConfigMessage, 'upsert'>; upsertJson: JsonText<Record<string, unknown>> }
  | { op: 'clock'; wall_ms: number }
  | { op: 'confirmed_time'; wall_ms: number }
  | { op: 'camera_clock'; device_id: string; clock: KeptCameraClock | null };

/** Calls that are committed together. `stamp` is that of the newest record among them, for records that the store itself makes. */
export type ToWorker = { kind: 'group'; calls: StoreCall[]; stamp: RecordStamp | null } | { kind: 'close' };

export interface CallFailure {
  /** null: the call itself is at fault. */
  code: StoreError['code'] | null;
  /** The file is not sound any more. */
  damaged: boolean;
  /** The disk refused: a write, or to open the file. */
  refused: boolean;
  message: string;
}

export type CallResult = { ok: true; value: unknown } | { ok: false; failure: CallFailure };

/** The parts of BootState that are read from the file; `config` items as one JSON object per section. */
export interface OpenedFile {
  config: { section: ConfigSection; revision: string; itemsJson: JsonText<Record<string, unknown>> }[];
  sessions: SessionOverlay[];
  recent_reads: RecentRead[];
  intents: OpeningIntent[];
  recorded: RecordedStatus[];
  camera_clocks: BootState['camera_clocks'];
  latest: BootState['latest'];
  clock_floor_ms: number;
  confirmed_ms: number;
}

/** The health as the worker thread knows it: only `in_memory` changes while the file is open. */
export interface OpenedHealth extends Omit<StoreHealth, 'file_bytes' | 'is_broken'> {
  /** Why the store works in memory; null: it works on the disk. */
  in_memory: string | null;
}

export type FromWorker =
  | { kind: 'opened'; file: OpenedFile; health: OpenedHealth }
  | { kind: 'refused'; failure: CallFailure }
  | { kind: 'done'; results: CallResult[]; in_memory: string | null }
  | { kind: 'log'; level: 'warn' | 'error'; fields: SentLogFields; message: string };
