/** What the driver and its worker thread say to each other. Record texts are made by `outbox-codec.ts` before they cross. */
import type { ConfigMessage, ConfigSection } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import type { Epoch, Lane } from '../../shared/uplink.js';
import type {
  OpeningIntent,
  RecentRead,
  RecordStamp,
  SessionChange,
  SessionOverlay,
  StoreError,
  StoreHealth,
  StoreLimits,
  ToldState,
} from './agent-store.js';

export interface WorkerOptions {
  path: string;
  limits: StoreLimits;
  /** What is read, and sent, at once. */
  batch: { recordsMax: number; bytesMax: number };
  boot_id: Uid;
  /** Wall time of the opening: names a damaged file that is put aside. */
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
  | { op: 'outcome'; record: string; reading_uid: Uid }
  | { op: 'sensor'; record: string; told: ToldState }
  | { op: 'batch'; lane: Lane; after_seq: number }
  | { op: 'state' }
  | { op: 'acknowledge'; epoch: Epoch; lane: Lane; seq: number }
  | { op: 'epoch' }
  | { op: 'config'; message: Omit<ConfigMessage, 'upsert'>; upsertJson: string }
  | { op: 'clock'; wall_ms: number };

/** Calls that are committed together. `stamp`: of the newest record among them, for what the store itself has to tell. */
export type ToWorker = { kind: 'group'; calls: StoreCall[]; stamp: RecordStamp | null } | { kind: 'close' };

export interface CallFailure {
  /** null: the call itself is at fault. */
  code: StoreError['code'] | null;
  /** The file is not sound any more. */
  damaged: boolean;
  message: string;
}

export type CallResult = { ok: true; value: unknown } | { ok: false; failure: CallFailure };

/** The parts of BootState that are read from the file; `config` items as one JSON object per section. */
export interface OpenedFile {
  config: { section: ConfigSection; revision: string; itemsJson: string }[];
  sessions: SessionOverlay[];
  recent_reads: RecentRead[];
  intents: OpeningIntent[];
  told: ToldState[];
  clock_floor_ms: number;
}

/** What does not change while the file is open. */
export type OpenedHealth = Omit<StoreHealth, 'file_bytes'>;

export type FromWorker =
  | { kind: 'opened'; file: OpenedFile; health: OpenedHealth }
  | { kind: 'refused'; failure: CallFailure }
  | { kind: 'done'; results: CallResult[] }
  | { kind: 'log'; level: 'warn' | 'error'; fields: Record<string, unknown>; message: string };
