/**
 * The uplink as a state machine: connect, say hello, compare cursors, then drain the lanes (`lanes-machine.ts`).
 * Only an acknowledgement of the cloud deletes a row.
 */
import { backoffDelayMs, UPLINK_BACKOFF } from '../../shared/backoff.js';
import type { Ack, Lane, OutboxEpoch, Welcome } from '../../shared/uplink.js';
import {
  type BatchSummary,
  type Lanes,
  type LanesEffect,
  type LanesStep,
  startLanes,
  applyAck,
  applyBatch,
  applyNews,
  applyTick,
} from './lanes-machine.js';

const HELLO_WAIT_MIN_MS = 5_000;
const HELLO_WAIT_MAX_MS = 60_000;
/** Gateways that a broker sent away come back spread over this time. */
const SPREAD_MS = 30_000;
/** How often the shell must send `tick`. */
export const TICK_MS = 1_000;

/** What waits in the outbox, as the store reports it. */
export interface OutboxLanes {
  epoch: OutboxEpoch;
  lanes: { lane: Lane; first_seq: number; last_seq: number }[];
}

export type UplinkState =
  /** `attempt` counts the failures since the lanes were last drained. */
  | { kind: 'disconnected'; attempt: number }
  | { kind: 'connecting'; attempt: number }
  | {
      kind: 'greeting';
      attempt: number;
      step: GreetingStep;
      /** Whether a new outbox epoch was begun since the lanes were last drained. */
      hasRenewed: boolean;
      /** What was acknowledged since the hello. */
      acked: Partial<Record<Lane, number>>;
    }
  | { kind: 'draining'; lanes: Lanes };

type GreetingStep =
  /** The shell asks the store what waits, or to begin a new outbox epoch. */
  { kind: 'asking' } | { kind: 'awaiting'; outbox: OutboxLanes; sent_ms: number; wait_ms: number };

/**
 * Why a link ended. `refused`: the broker refused it (credentials, permission). `closed`: the broker ended it.
 * `broken`: it could not be made, or nothing came through any more.
 */
export type LinkEnd = 'refused' | 'closed' | 'broken';

export type UplinkInput =
  | { type: 'connect' }
  | { type: 'opened' }
  | { type: 'ended'; end: LinkEnd }
  | { type: 'outbox'; outbox: OutboxLanes }
  | { type: 'welcome'; welcome: Welcome }
  | { type: 'ack'; ack: Ack }
  /** New rows are in the lane. */
  | { type: 'rows'; lane: Lane }
  /** What a `read` found; null: nothing. */
  | { type: 'batch'; batch: BatchSummary | null }
  /** The two may hold different things of each other, as one of them found: say hello again. */
  | { type: 'doubt' }
  | { type: 'tick' };

export type UplinkEffect =
  | LanesEffect
  /** Connect after a random time below `max_ms`. */
  | { type: 'wait'; max_ms: number }
  | { type: 'connect' }
  | { type: 'disconnect' }
  /** Publish that this gateway is online. */
  | { type: 'announce' }
  | { type: 'askOutbox' }
  | { type: 'startOutboxEpoch' }
  | { type: 'hello'; outbox: OutboxLanes };

export interface UplinkStep {
  state: UplinkState;
  effects: UplinkEffect[];
}

export const INITIAL_UPLINK_STATE: UplinkState = { kind: 'disconnected', attempt: 0 };

/** Computes one step. An input that comes too late is ignored; an input that only a wrong shell can cause throws. */
export function nextUplink(state: UplinkState, input: UplinkInput, now_ms: number): UplinkStep {
  if (input.type === 'ended') return ended(state, input.end);
  switch (state.kind) {
    case 'disconnected':
      if (input.type !== 'connect') return stay(state);
      return stay({ kind: 'connecting', attempt: state.attempt }, [{ type: 'connect' }]);
    case 'connecting':
      if (input.type === 'connect') return impossible(state, input);
      if (input.type !== 'opened') return stay(state);
      return greet(state.attempt, [{ type: 'announce' }, { type: 'askOutbox' }]);
    case 'greeting':
      return nextGreeting(state, input, now_ms);
    case 'draining':
      return nextDraining(state, input, now_ms);
  }
}

type Greeting = Extract<UplinkState, { kind: 'greeting' }>;
type Draining = Extract<UplinkState, { kind: 'draining' }>;

const stay = (state: UplinkState, effects: UplinkEffect[] = []): UplinkStep => ({ state, effects });

function impossible(state: UplinkState, input: UplinkInput): never {
  throw new Error(`the uplink cannot handle "${input.type}" while it is ${state.kind}`);
}

/**
 * Decides when to connect again: at once after a link that worked, spread out when the broker sent the gateway away, and later and
 * later after failures.
 */
function ended(state: UplinkState, end: LinkEnd): UplinkStep {
  if (state.kind === 'disconnected') return impossible(state, { type: 'ended', end });
  const attempt = state.kind === 'draining' ? 0 : state.attempt;
  const hadWorked = attempt === 0 && state.kind !== 'connecting';
  const backoff_ms = backoffDelayMs(UPLINK_BACKOFF, Math.max(0, attempt - 1), 1);
  const broken_ms = hadWorked ? 0 : backoff_ms;
  const max_ms = end === 'broken' ? broken_ms : Math.max(SPREAD_MS, backoff_ms);
  return stay({ kind: 'disconnected', attempt: attempt + 1 }, [{ type: 'wait', max_ms }]);
}

function greet(attempt: number, effects: UplinkEffect[]): UplinkStep {
  return stay({ kind: 'greeting', attempt, step: { kind: 'asking' }, hasRenewed: false, acked: {} }, effects);
}

/** Begins a new outbox epoch: rows that the cloud expects are gone, or the cloud is ahead. A record that is sent twice counts once, by its uid. */
function renew(attempt: number): UplinkStep {
  return stay({ kind: 'greeting', attempt, step: { kind: 'asking' }, hasRenewed: true, acked: {} }, [
    { type: 'startOutboxEpoch' },
  ]);
}

function nextGreeting(state: Greeting, input: UplinkInput, now_ms: number): UplinkStep {
  const { step } = state;
  switch (input.type) {
    case 'connect':
    case 'opened':
      return impossible(state, input);
    case 'outbox': {
      if (step.kind !== 'asking') return impossible(state, input);
      const { outbox } = input;
      const awaiting = { kind: 'awaiting', outbox, sent_ms: now_ms, wait_ms: HELLO_WAIT_MIN_MS } as const;
      return stay({ ...state, step: awaiting }, [{ type: 'hello', outbox }]);
    }
    case 'welcome':
      if (step.kind !== 'awaiting' || input.welcome.epoch !== step.outbox.epoch) return stay(state);
      return compareCursors(state, { outbox: step.outbox, welcome: input.welcome, now_ms });
    case 'ack':
      return step.kind === 'awaiting' ? applyLateAck(state, step.outbox, input.ack) : stay(state);
    case 'tick': {
      if (step.kind !== 'awaiting' || now_ms - step.sent_ms < step.wait_ms) return stay(state);
      const wait_ms = Math.min(HELLO_WAIT_MAX_MS, step.wait_ms * 2);
      const again = { ...step, sent_ms: now_ms, wait_ms };
      return stay({ ...state, step: again }, [{ type: 'hello', outbox: step.outbox }]);
    }
    default:
      return stay(state);
  }
}

/** Applies the answer to a batch that was sent before this hello: its rows can be deleted, and the cursor cannot be lower. */
function applyLateAck(state: Greeting, outbox: OutboxLanes, { epoch, lane, seq, diverged }: Ack): UplinkStep {
  const known = outbox.lanes.find((each) => each.lane === lane);
  if (diverged || epoch !== outbox.epoch || known === undefined || seq < known.first_seq || seq > known.last_seq) {
    return stay(state);
  }
  const acked = { ...state.acked, [lane]: Math.max(state.acked[lane] ?? 0, seq) };
  return stay({ ...state, acked }, [{ type: 'acknowledge', epoch, lane, seq }]);
}

/**
 * When the cloud expects rows that the outbox does not hold any more, or the cloud is ahead, one of the two was restored or cloned. A
 * new outbox epoch then starts both from the same point.
 */
function compareCursors(
  state: Greeting,
  { outbox, welcome, now_ms }: { outbox: OutboxLanes; welcome: Welcome; now_ms: number },
): UplinkStep {
  const { epoch } = outbox;
  const lanes = outbox.lanes.map((known) => {
    const cursorOfCloud = welcome.cursors.find((each) => each.lane === known.lane)?.seq ?? 0;
    return { ...known, cursor: Math.max(cursorOfCloud, state.acked[known.lane] ?? 0) };
  });
  if (lanes.every(({ cursor, first_seq, last_seq }) => cursor + 1 >= first_seq && cursor <= last_seq)) {
    // Rows that the cloud seems to have are sent again: only their uids distinguish a lost answer from a restored card.
    const unacknowledged = lanes.map(({ lane, first_seq, last_seq }) => {
      const acked = Math.max(first_seq - 1, state.acked[lane] ?? 0);
      return { lane, cursor: acked, last_seq };
    });
    return follow(startLanes(epoch, unacknowledged, now_ms));
  }
  if (!state.hasRenewed) return renew(state.attempt);
  // The cloud refuses the new outbox epoch too, so the gateway waits before it connects again.
  const next = ended(state, 'refused');
  return stay(next.state, [{ type: 'disconnect' }, ...next.effects]);
}

function nextDraining(state: Draining, input: UplinkInput, now_ms: number): UplinkStep {
  switch (input.type) {
    case 'rows':
      return follow(applyNews(state.lanes, input.lane));
    case 'batch':
      return follow(applyBatch(state.lanes, input.batch, now_ms));
    case 'ack':
      return follow(applyAck(state.lanes, input.ack, now_ms));
    case 'tick':
      return follow(applyTick(state.lanes, now_ms));
    case 'doubt':
      return follow({ next: 'greet' });
    case 'welcome':
      // This is the answer to a hello that was repeated.
      return stay(state);
    default:
      return impossible(state, input);
  }
}

function follow(step: LanesStep, before: UplinkEffect[] = []): UplinkStep {
  switch (step.next) {
    case 'drain':
      return stay({ kind: 'draining', lanes: step.lanes }, [...before, ...step.effects]);
    case 'greet':
      return greet(0, [{ type: 'askOutbox' }]);
    case 'renew':
      return renew(0);
  }
}
