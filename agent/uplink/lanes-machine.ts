/**
 * Drains the lanes while the cloud accepts records. Rows are read one batch at a time, the critical lane first, and published within a
 * window; the cloud's answers move the lanes on, or back.
 */
import type { Ack, Lane, OutboxEpoch } from '../../shared/uplink.js';

/** How many batches of one lane may be unacknowledged: enough for 40,000 records a second over a mobile link. */
const WINDOW_BATCHES = 64;
/** How many bytes of one lane may be unacknowledged; a single batch always may. Pictures leave the line free for the rest. */
const WINDOW_BYTES: Record<Lane, number> = { 0: 4 * 1024 * 1024, 1: 4 * 1024 * 1024, 2: 256 * 1024 };
/** After this time without progress the cloud is asked for its cursors. */
const ACK_WAIT_MS = 20_000;

/** A batch that was read, without its payload, which the shell keeps. */
export interface BatchSummary {
  epoch: OutboxEpoch;
  first_seq: number;
  last_seq: number;
  bytes: number;
}

/** The progress of one lane in this connection. */
interface LaneFlow {
  lane: Lane;
  /** The cloud has committed up to here. */
  acked: number;
  /** This connection has published up to here. */
  sent: number;
  /** The highest seq that exists, as far as is known here. */
  last: number;
  /** Nothing was found after `sent`. */
  isDry: boolean;
  inFlight: { last_seq: number; bytes: number }[];
  /** How many gap answers are still expected from batches that were in flight when the lane went back. */
  staleGaps: number;
}

/** The read that is under way. */
interface Reading {
  lane: Lane;
  after_seq: number;
  /** Whether rows came while it was under way: if it finds none, the next one may. */
  hasNews: boolean;
}

export interface Lanes {
  epoch: OutboxEpoch;
  flows: LaneFlow[];
  reading: Reading | null;
  /** When the cloud last acknowledged something, or there was nothing to acknowledge. */
  progress_ms: number;
}

export type LanesEffect =
  | { type: 'read'; lane: Lane; after_seq: number }
  /** Publish the batch that was just read. */
  | { type: 'publish' }
  | { type: 'acknowledge'; epoch: OutboxEpoch; lane: Lane; seq: number };

/** `greet`: the cloud has to name its cursors. `renew`: the rows that it needs next are gone, and a new outbox epoch begins. */
export type LanesStep = { next: 'drain'; lanes: Lanes; effects: LanesEffect[] } | { next: 'greet' } | { next: 'renew' };

const GREET: LanesStep = { next: 'greet' };
const stay = (lanes: Lanes, effects: LanesEffect[] = []): LanesStep => ({ next: 'drain', lanes, effects });

/** Begins to drain after the acknowledged records. */
export function startLanes(
  epoch: OutboxEpoch,
  cursors: { lane: Lane; cursor: number; last_seq: number }[],
  now_ms: number,
): LanesStep {
  const flows = cursors.map(({ lane, cursor, last_seq }) => ({
    lane,
    acked: cursor,
    sent: cursor,
    last: last_seq,
    isDry: false,
    inFlight: [],
    staleGaps: 0,
  }));
  return readOn({ epoch, flows, reading: null, progress_ms: now_ms });
}

/** A lane has new rows. */
export function applyNews(lanes: Lanes, lane: Lane): LanesStep {
  const reading = lanes.reading?.lane === lane ? { ...lanes.reading, hasNews: true } : lanes.reading;
  return readOn(changeFlow({ ...lanes, reading }, lane, (flow) => ({ ...flow, isDry: false })));
}

/** The read has ended. @param batch what it found; null: nothing */
export function applyBatch(lanes: Lanes, batch: BatchSummary | null, now_ms: number): LanesStep {
  const { reading } = lanes;
  if (reading === null) throw new Error('the uplink got rows it did not ask for');
  const { lane, after_seq, hasNews } = reading;
  const idle = { ...lanes, reading: null };
  // The cloud's answer moved the lane while its rows were being read.
  if (flowOf(lanes, lane).sent !== after_seq) return readOn(idle);
  if (batch === null) return readOn(changeFlow(idle, lane, (flow) => ({ ...flow, isDry: !hasNews })));
  // The store was damaged, and a new one replaced it meanwhile.
  if (batch.epoch !== lanes.epoch) return GREET;
  // The rows that the cloud needs next were given up.
  if (batch.first_seq !== after_seq + 1) return { next: 'renew' };
  const progress_ms = isWaiting(lanes) ? lanes.progress_ms : now_ms;
  const published = changeFlow({ ...idle, progress_ms }, lane, (flow) => ({
    ...flow,
    sent: batch.last_seq,
    last: Math.max(flow.last, batch.last_seq),
    inFlight: [...flow.inFlight, { last_seq: batch.last_seq, bytes: batch.bytes }],
  }));
  return readOn(published, [{ type: 'publish' }]);
}

/** The cloud has answered a batch. */
export function applyAck(lanes: Lanes, { epoch, lane, seq, gap, diverged }: Ack, now_ms: number): LanesStep {
  if (epoch !== lanes.epoch) return stay(lanes);
  if (diverged) return { next: 'renew' };
  const flow = flowOf(lanes, lane);
  // One of the two ends was restored from an older state: the cursors show which.
  if (seq > flow.last || (gap && seq < flow.acked)) return GREET;
  const hasProgress = seq > flow.acked;
  if (!gap && !hasProgress) return stay(lanes);
  if (gap && !hasProgress && flow.staleGaps > 0) {
    return stay(changeFlow(lanes, lane, () => ({ ...flow, staleGaps: flow.staleGaps - 1 })));
  }
  const inFlight = flow.inFlight.filter((batch) => batch.last_seq > seq);
  const moved: LaneFlow = gap
    ? // One of the batches in flight is missing and one was answered just now; the others will be answered alike.
      { ...flow, acked: seq, sent: seq, inFlight: [], staleGaps: Math.max(0, inFlight.length - 2), isDry: false }
    : { ...flow, acked: seq, sent: Math.max(flow.sent, seq), inFlight, staleGaps: 0 };
  return readOn(
    changeFlow({ ...lanes, progress_ms: now_ms }, lane, () => moved),
    hasProgress ? [{ type: 'acknowledge', epoch, lane, seq }] : [],
  );
}

/** Time has passed: when answers are missing for too long, the cloud is asked for its cursors. */
export function applyTick(lanes: Lanes, now_ms: number): LanesStep {
  return isWaiting(lanes) && now_ms - lanes.progress_ms >= ACK_WAIT_MS ? GREET : stay(lanes);
}

const isWaiting = (lanes: Lanes): boolean => lanes.flows.some((flow) => flow.inFlight.length > 0);

/** Reads in the first lane that has rows and room in its window. */
function readOn(lanes: Lanes, effects: LanesEffect[] = []): LanesStep {
  const flow = lanes.reading === null ? lanes.flows.find((each) => !each.isDry && hasRoom(each)) : undefined;
  if (flow === undefined) return stay(lanes, effects);
  const { lane, sent } = flow;
  const reading = { lane, after_seq: sent, hasNews: false };
  return stay({ ...lanes, reading }, [...effects, { type: 'read', lane, after_seq: sent }]);
}

function hasRoom({ lane, inFlight }: LaneFlow): boolean {
  if (inFlight.length === 0) return true;
  const bytes = inFlight.reduce((sum, batch) => sum + batch.bytes, 0);
  return inFlight.length < WINDOW_BATCHES && bytes < WINDOW_BYTES[lane];
}

function flowOf(lanes: Lanes, lane: Lane): LaneFlow {
  const flow = lanes.flows.find((each) => each.lane === lane);
  if (flow === undefined) throw new Error(`the uplink drains no lane ${lane}`);
  return flow;
}

function changeFlow(lanes: Lanes, lane: Lane, change: (flow: LaneFlow) => LaneFlow): Lanes {
  return { ...lanes, flows: lanes.flows.map((flow) => (flow.lane === lane ? change(flow) : flow)) };
}
