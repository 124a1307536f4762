import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Caller } from '../../kernel/entry.js';
import { eventScopeOf } from './event-scope.js';
import { batchEvents, type EventBatch } from './event-batch.js';
import { HEARTBEAT, startHeartbeat } from './heartbeat.js';
import { createSendQueue, type SendQueue, type SendQueueLimits } from './send-queue.js';
import {
  authorizedFrame,
  CLOSE_INTERNAL_ERROR,
  CLOSE_TOO_SLOW,
  errorFrame,
  parseClientFrame,
  RESYNC_REQUIRED_FRAME,
  subscribedFrame,
} from './realtime-frames.js';
import type { RealtimeSocket } from './realtime-socket.js';
import { createReplay, type Journal, type Replay, type ReplayLimits } from './replay.js';
import { EVERYTHING, matchesSubscription, parseSubscription } from './subscription.js';

export interface ConnectionLimits extends ReplayLimits, SendQueueLimits {}

export const CONNECTION_LIMITS: ConnectionLimits = {
  bufferedBytesMax: 1024 * 1024,
  replayBufferedBytesMax: 256 * 1024,
  pageRows: 100,
  tailEventsMax: 5_000,
};

/** A client that waits for its greeting has nothing to ask so often. */
const WAITING_ANSWERS_MAX = 32;

/** A connection whose token was accepted. */
export interface Connection {
  readonly caller: Caller;
  /**
   * The socket, as long as every live event of the account goes to it without a filter; else null.
   */
  readonly unfiltered: RealtimeSocket | null;
  /** Delivers live events of the caller's account, in commit order. */
  deliver(batches: readonly EventBatch[]): void;
  /** Sets the caller again, because its lots have changed. */
  rescope(caller: Caller): void;
  /** Handles a text frame of the client. */
  receive(text: string): void;
  pong(): void;
  close(code: number, reason: string): void;
  /** Notes that the socket is gone. */
  ended(): void;
}

/** `sentTo`: the cursor up to which a replay has sent everything; live events from before it may still arrive. */
type State = { mode: 'live'; sentTo: number } | { mode: 'replaying'; replay: Replay } | { mode: 'ended' };

/**
 * Greets, replays what the connection missed after `cursor` (null: it asks for nothing; 'unknown': the text is no cursor), and then goes
 * live. The greeting has the cursor from which to resume until the first event comes: that of the client when it can be replayed to, else
 * that of the live events. It is sent when that is known; the answers to what a hasty client sends before wait for it.
 * @param options.liveCursor the account's newest event that was pushed before; the next one that is pushed follows it
 * @param options.onScope called when `unfiltered` is known, and each time it may have changed
 * @param options.onEnded called once, when the connection accepts no more events
 */
export function openConnection(options: {
  socket: RealtimeSocket;
  caller: Caller;
  cursor: number | 'unknown' | null;
  liveCursor: () => number;
  journal: Journal;
  clock: Clock;
  logger: Logger;
  limits: ConnectionLimits;
  onScope: (connection: Connection) => void;
  onEnded: () => void;
  /** Called when it is closed because its client reads too slowly. */
  onTooSlow: () => void;
}): Connection {
  const { socket, journal, clock, logger, limits } = options;
  let { caller } = options;
  let scope = eventScopeOf(caller);
  let subscription = EVERYTHING;
  let state: State = { mode: 'live', sentTo: 0 };

  const heartbeat = startHeartbeat({
    clock,
    limits: HEARTBEAT,
    ping: () => socket.ping(),
    onDead: () => {
      socket.terminate();
      end();
    },
  });
  const become = (next: State) => {
    state = next;
    const hearsAll = scope.lot_ids === null && subscription === EVERYTHING;
    connection.unfiltered = next.mode === 'live' && next.sentTo === 0 && hearsAll ? socket : null;
    options.onScope(connection);
  };
  const end = () => {
    if (state.mode === 'ended') return;
    become({ mode: 'ended' });
    heartbeat.stop();
    options.onEnded();
  };
  const close = (code: number, reason: string) => {
    if (state.mode === 'ended') return;
    socket.close(code, reason);
    end();
  };

  const sendQueue = createSendQueue({
    socket,
    limits,
    wants: (event) => {
      const { lot_ids } = scope;
      return (lot_ids === null || lot_ids.has(event.lot_id)) && matchesSubscription(subscription, event);
    },
    hasEnded: () => state.mode === 'ended',
    tooSlow: () => {
      const { bufferedBytes } = socket;
      options.onTooSlow();
      logger.info({ account_id: caller.account_id, buffered_bytes: bufferedBytes }, 'Realtime client is too slow');
      close(CLOSE_TOO_SLOW, 'too slow: resume with last_event_id');
    },
  });
  const greeting = createGreeting({
    socket,
    sendQueue,
    tooMany: () => close(CLOSE_TOO_SLOW, 'too many frames before the greeting'),
  });
  const greet = (cursor: number) => {
    if (state.mode !== 'ended') greeting.greet(cursor);
  };
  const goLive = (sentTo: number) => {
    if (state.mode === 'ended') return false;
    become({ mode: 'live', sentTo });
    return true;
  };
  const resync = () => {
    greet(options.liveCursor());
    if (goLive(0)) socket.send(RESYNC_REQUIRED_FRAME);
  };

  const connection: Connection & { unfiltered: RealtimeSocket | null } = {
    unfiltered: null,
    get caller() {
      return caller;
    },
    deliver(batches) {
      if (state.mode === 'replaying') state.replay.keepAside(batches.flatMap(({ events }) => events));
      if (state.mode !== 'live') return;
      const { sentTo } = state;
      sendQueue.live(batches, sentTo);
      // Events come in commit order, so after the first one beyond the replay none has to be held back.
      const last = batches.at(-1)?.events.at(-1)?.id ?? 0;
      if (sentTo > 0 && last > sentTo) goLive(0);
    },
    rescope(changed) {
      caller = changed;
      scope = eventScopeOf(changed);
    },
    receive(text) {
      const frame = parseClientFrame(text);
      if (frame?.event !== 'subscribe' || state.mode === 'ended') return;
      const parsed = parseSubscription(frame.data);
      if (!parsed.ok) {
        greeting.answer(errorFrame(parsed.error));
        return;
      }
      subscription = parsed.subscription;
      become(state);
      greeting.answer(subscribedFrame(frame.data));
    },
    pong: heartbeat.pong,
    close,
    ended: end,
  };

  const { cursor: asked } = options;
  if (asked === null) {
    greet(options.liveCursor());
    goLive(0);
  } else if (asked === 'unknown') {
    resync();
  } else {
    const replay = createReplay({
      journal,
      cursor: asked,
      scope: () => scope,
      limits,
      send: async (events) => {
        await sendQueue.replayed(events);
        return state.mode !== 'ended';
      },
      known: () => greet(asked),
      unknownCursor: resync,
      caughtUp: ({ tail, cursor }) => {
        if (goLive(cursor)) sendQueue.live(batchEvents(tail), cursor);
      },
    });
    become({ mode: 'replaying', replay });
    replay.run().catch((error: unknown) => {
      logger.error({ err: error, account_id: caller.account_id }, 'The journal could not be read for a replay');
      close(CLOSE_INTERNAL_ERROR, 'replay failed: try again');
    });
  }

  return connection;
}

/** The greeting, and the answers of which those that come before it wait for it. @param options.tooMany too many wait */
function createGreeting(options: { socket: RealtimeSocket; sendQueue: SendQueue; tooMany: () => void }) {
  const { socket, sendQueue, tooMany } = options;
  let waiting: Buffer[] | null = [];
  return {
    greet(cursor: number): void {
      if (waiting === null) return;
      const answers = waiting;
      waiting = null;
      socket.send(authorizedFrame(cursor));
      for (const frame of answers) sendQueue.answer(frame);
    },
    answer(frame: Buffer): void {
      if (waiting === null) sendQueue.answer(frame);
      else if (waiting.length < WAITING_ANSWERS_MAX) waiting.push(frame);
      else tooMany();
    },
  };
}
