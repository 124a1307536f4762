/**
 * The uplink as a state machine: connect, say hello, compare cursors, then drain the lanes (`lanes-machine.ts`).
 * Only an acknowledgement of the cloud lets go of a row.
 */
import type { LinkEnd } from '../../shared/reconnect-ladder.js';
import type { Ack, Lane, OutboxEpoch, Welcome } from '../../shared/uplink.js';
import type { LaneCursor } from '../store/agent-store.js';
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
/** How often the shell must send `tick`. */
export const TICK_MS = 1_000;

/** The waiting records of the outbox, as the store reports them. */
export interface OutboxLanes {
  epoch: OutboxEpoch;
  lanes: { lane: Lane; first_seq: number; last_seq: number }[];
}

export type UplinkState =
  | { kind: 'disconnected' }
  | { kind: 'connecting' }
  | {
      kind: 'greeting';
      step: GreetingStep;
      /** Whether a new outbox epoch was begun since the lanes were last drained. */
      hasRenewed: boolean;
      /** The rows that were acknowledged since the hello. */
      acked: Partial<Record<Lane, number>>;
    }
  | { kind: 'draining'; lanes: Lanes };

type GreetingStep =
  /** The shell asks the store what waits, or to begin a new outbox epoch. */
  { kind: 'asking' } | { kind: 'awaiting'; outbox: OutboxLanes; sent_ms: number; wait_ms: number };

export type UplinkInput =
  | { type: 'connect' }
  | { type: 'opened' }
  | { type: 'ended'; end: LinkEnd }
  /** The network is back. */
  | { type: 'returned' }
  | { type: 'outbox'; outbox: OutboxLanes }
  | { type: 'welcome'; welcome: Welcome }
  | { type: 'ack'; ack: Ack }
  /** New rows are in the lane. */
  | { type: 'rows'; lane: Lane }
  /** The rows that a `read` found; null: none. */
  | { type: 'batch'; batch: BatchSummary | null }
  /** The two may hold different things of each other, as one of them found: say hello again. */
  | { type: 'doubt' }
  | { type: 'tick' };

export type UplinkEffect =
  | LanesEffect
  /** Connect when the ladder says so, after a link ended or the network came back. An earlier wait counts no more. */
  | { type: 'wait'; after: LinkEnd | 'return' }
  | { type: 'connect' }
  | { type: 'disconnect'; because: 'epoch refused' | 'network returned' }
  /** Publish that this gateway is online. */
  | { type: 'announce' }
  | { type: 'askOutbox' }
  /** `goBackTo`: the position of the cloud, where it lacks records that it had acknowledged. */
  | { type: 'startOutboxEpoch'; goBackTo: LaneCursor[] }
  | { type: 'hello'; outbox: OutboxLanes };

export interface UplinkStep {
  state: UplinkState;
  effects: UplinkEffect[];
}

export const INITIAL_UPLINK_STATE: UplinkState = { kind: 'disconnected' };

/** Computes one step. An input that comes too late is ignored; an input that only a wrong shell can cause throws. */
export function nextUplink(state: UplinkState, input: UplinkInput, now_ms: number): UplinkStep {
  if (input.type === 'ended') return ended(state, input.end);
  switch (state.kind) {
    case 'disconnected':
      if (input.type === 'returned') return stay(state, [{ type: 'wait', after: 'return' }]);
      if (input.type !== 'connect') return stay(state);
      return stay({ kind: 'connecting' }, [{ type: 'connect' }]);
    case 'connecting':
      if (input.type === 'connect') return impossible(state, input);
      // The messages of this try may be lost, and it would take long until that is noticed.
      if (input.type === 'returned') return leave('network returned', 'return');
      if (input.type !== 'opened') return stay(state);
      return greet([{ type: 'announce' }, { type: 'askOutbox' }]);
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

function ended(state: UplinkState, end: LinkEnd): UplinkStep {
  if (state.kind === 'disconnected') return impossible(state, { type: 'ended', end });
  return stay({ kind: 'disconnected' }, [{ type: 'wait', after: end }]);
}

/** Ends the link from this side. */
function leave(
  because: Extract<UplinkEffect, { type: 'disconnect' }>['because'],
  after: LinkEnd | 'return',
): UplinkStep {
  return stay({ kind: 'disconnected' }, [
    { type: 'disconnect', because },
    { type: 'wait', after },
  ]);
}

function greet(effects: UplinkEffect[]): UplinkStep {
  return stay({ kind: 'greeting', step: { kind: 'asking' }, hasRenewed: false, acked: {} }, effects);
}

/** Begins a new outbox epoch: rows that the cloud expects are gone, or the cloud is ahead. A record that is sent twice counts once, by its uid. */
function renew(goBackTo: LaneCursor[] = []): UplinkStep {
  return stay({ kind: 'greeting', step: { kind: 'asking' }, hasRenewed: true, acked: {} }, [
    { type: 'startOutboxEpoch', goBackTo },
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
 * Begins a new outbox epoch when the cloud expects rows that the outbox does not hold any more, or is ahead: one of the
 * two was restored or cloned, and the epoch starts both from the same point.
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
  // A cloud that lacks records that it had acknowledged gets again those that are still kept.
  const isBehind = lanes.some(({ cursor, first_seq }) => cursor + 1 < first_seq);
  if (!state.hasRenewed) return renew(isBehind ? lanes.map(({ lane, cursor: seq }) => ({ lane, seq })) : []);
  // The cloud refuses the new outbox epoch too, so the gateway waits before it connects again.
  return leave('epoch refused', 'refused');
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
    case 'returned':
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
      return greet([{ type: 'askOutbox' }]);
    case 'renew':
      return renew();
  }
}
