/** The data of an agent's store in memory: it outlives the store, as a real store's file does. */
import { randomBytes } from 'node:crypto';
import type {
  KeptCameraClock,
  OpeningIntent,
  RecentRead,
  SessionOverlay,
  StoreError,
  RecordedStatus,
} from '../../agent/store/agent-store.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import { type Lane, LANES, type OutboxEpoch, type UplinkRecord } from '../../shared/uplink.js';

export interface StoredRow {
  record: Omit<UplinkRecord, 'seq'>;
  /** The stored size: an image counts with its bytes, not with its base64. */
  bytes: number;
  sentBytes: number;
}

export interface StoredLane {
  lane: Lane;
  last_seq: number;
  rows: StoredRow[];
  /** The acknowledged rows, the oldest first. */
  kept: StoredRow[];
}

/** Everything that an agent finds again at its next start. */
export interface MemoryDisk {
  epoch: OutboxEpoch;
  lanes: StoredLane[];
  sessions: Map<Uid, SessionOverlay>;
  recentReads: (RecentRead & { age_ms: number | null })[];
  intents: OpeningIntent[];
  recorded: RecordedStatus[];
  config: Map<ConfigSection, { revision: string; items: Map<string, unknown> }>;
  cameraClocks: Map<string, KeptCameraClock>;
  clock_floor_ms: number;
  confirmed_ms: number;
  /** Set by a test: every call that writes fails with it and keeps nothing. */
  refuseWith: StoreError | null;
}

export const newOutboxEpoch = () => randomBytes(16).toString('hex') as OutboxEpoch;

export function createMemoryDisk(): MemoryDisk {
  return {
    epoch: newOutboxEpoch(),
    lanes: LANES.map((lane) => ({ lane, last_seq: 0, rows: [], kept: [] })),
    sessions: new Map(),
    recentReads: [],
    intents: [],
    recorded: [],
    config: new Map(),
    cameraClocks: new Map(),
    clock_floor_ms: 0,
    confirmed_ms: 0,
    refuseWith: null,
  };
}
