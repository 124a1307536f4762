/** The answer of `GET /queue` and `parking-agent queue` about the records that wait for the cloud. */
import type { Clock } from '../../shared/clock.js';
import type { Lane } from '../../shared/uplink.js';
import type { AgentStore, OutboxState, WaitingLane, WaitingRow } from '../store/agent-store.js';
import type { GatewayStatus } from './status.js';

/** How many records of a lane are looked at, and can be listed: it must not keep the store from a vehicle. */
export const LISTED_MAX = 1_000;

export interface QueueChoice {
  /** How many records of each lane to list, the oldest ones; at most `LISTED_MAX`. */
  listed: number;
  /** Whether the list shows plates. */
  plates: boolean;
}

export interface QueueView {
  cloud: GatewayStatus['cloud'];
  /** How long ago the cloud last took over records; null: not since the gateway started. */
  acknowledged_ago_s: number | null;
  /** Why nothing is known of the lanes, which are none then; null: they are known. */
  fault: string | null;
  lanes: {
    lane: Lane;
    rows: number;
    bytes: number;
    /** How long the oldest record waits; null: none does, or its time is not known. */
    oldest_age_s: number | null;
    /** How many records were given up since the gateway started, because the disk has no more room for them. */
    lost_rows: number;
    /** The kinds of the oldest records, and how many of each there are among `counted` of them. */
    kinds: Record<string, number>;
    counted: number;
  }[];
  /** Left out unless they are asked for. */
  records?: {
    lane: Lane;
    seq: number;
    kind: string;
    /** ISO 8601, by the clock of that moment. */
    time: string;
    /** Whether that clock was right. */
    clock_ok: boolean;
    age_s: number | null;
    bytes: number;
    /** null: the record has none, or they are not shown. */
    plate: string | null;
  }[];
}

export interface QueueSources {
  store: Pick<AgentStore, 'boot' | 'health' | 'outboxState' | 'waiting'>;
  cloud: GatewayStatus['cloud'];
  /** When the cloud last took over records, by the monotonic clock; null: not since the start. */
  acknowledgedMonoMs: number | null;
  clock: Clock;
  /** Wall milliseconds, or null while the time is not known. */
  knownTimeMs: number | null;
}

export async function readQueue(sources: QueueSources, choice: QueueChoice): Promise<QueueView> {
  const { store, cloud, acknowledgedMonoMs, clock } = sources;
  const head = {
    cloud,
    acknowledged_ago_s: acknowledgedMonoMs === null ? null : seconds(clock.monotonic() - acknowledgedMonoMs),
  };
  // A broken store may be the reason why somebody asks.
  const read = await Promise.all([store.outboxState(), store.waiting(LISTED_MAX)]).catch(() => null);
  const isListed = choice.listed > 0;
  if (read === null) {
    const fault = store.health.failed ?? 'the store does not answer';
    return { ...head, fault, lanes: [], ...(isListed ? { records: [] } : {}) };
  }
  const [outbox, waiting] = read;
  return {
    ...head,
    fault: null,
    lanes: waiting.map((lane) => laneOf(sources, outbox, lane)),
    ...(isListed ? { records: recordsOf(sources, waiting, choice) } : {}),
  };
}

function laneOf(
  sources: QueueSources,
  outbox: OutboxState,
  { lane, oldest, lost_rows }: WaitingLane,
): QueueView['lanes'][number] {
  const { rows = 0, bytes = 0 } = outbox.lanes.find((each) => each.lane === lane) ?? {};
  const kinds: Record<string, number> = {};
  for (const { kind } of oldest) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const [first] = oldest;
  const oldest_age_s = first === undefined ? null : ageOf(sources, first);
  return { lane, rows, bytes, oldest_age_s, lost_rows, kinds, counted: oldest.length };
}

function recordsOf(
  sources: QueueSources,
  waiting: readonly WaitingLane[],
  { listed, plates }: QueueChoice,
): NonNullable<QueueView['records']> {
  return waiting.flatMap(({ lane, oldest }) =>
    oldest.slice(0, listed).map((row) => ({
      lane,
      seq: row.seq,
      kind: row.kind,
      time: new Date(row.wall_ms).toISOString(),
      clock_ok: row.clock_ok,
      age_s: ageOf(sources, row),
      bytes: row.bytes,
      plate: plates ? row.plate : null,
    })),
  );
}

/** A record of this start is timed by the monotonic clock, which is right whatever the time of day is taken to be. */
function ageOf({ store, clock, knownTimeMs }: QueueSources, row: WaitingRow): number | null {
  if (row.boot_id === store.boot.boot_id) return seconds(clock.monotonic() - row.mono_ms);
  return knownTimeMs === null || !row.clock_ok ? null : seconds(knownTimeMs - row.wall_ms);
}

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));
