import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { Caller } from '../auth/caller.js';
import type { EventScope } from '../store/queries/events.js';
import { HEARTBEAT, startHeartbeat } from './heartbeat.js';
import { createOutbox, type OutboxLimits } from './outbox.js';
import type { OutgoingEvent } from './outgoing-event.js';
import {
  AUTHORIZED_FRAME,
  CLOSE_INTERNAL_ERROR,
  CLOSE_TOO_SLOW,
  errorFrame,
  parseClientFrame,
  RESYNC_REQUIRED_FRAME,
} from './realtime-frames.js';
import type { RealtimeSocket } from './realtime-socket.js';
import { createReplay, type Journal, type Replay, type ReplayLimits } from './replay.js';
import { EVERYTHING, matchesSubscription, parseSubscription } from './subscription.js';

export interface ConnectionLimits extends ReplayLimits, OutboxLimits {}

export const CONNECTION_LIMITS: ConnectionLimits = {
  bufferedBytesMax: 1024 * 1024,
  replayBufferedBytesMax: 256 * 1024,
  pageRows: 100,
  tailEventsMax: 5_000,
};

/** A connection whose token was accepted. */
export interface Connection {
  readonly caller: Caller;
  /** Live events of the caller's account, in commit order. */
  deliver(events: readonly OutgoingEvent[]): void;
  /** The caller's lots have changed. */
  rescope(caller: Caller): void;
  /** A text frame of the client. */
  receive(text: string): void;
  pong(): void;
  close(code: number, reason: string): void;
  /** The socket is gone. */
  ended(): void;
}

/** `sentTo`: the cursor up to which a replay has sent everything; live events of before may still arrive. */
type State = { mode: 'live'; sentTo: number } | { mode: 'replaying'; replay: Replay } | { mode: 'ended' };

/**
 * Greets, replays what the connection missed after `cursor` (null: it asks for nothing; 'unknown': it was never given),
 * then goes live.
 * @param options.onEnded called once, when the connection takes no more events
 */
export function openConnection(options: {
  socket: RealtimeSocket;
  caller: Caller;
  cursor: number | 'unknown' | null;
  journal: Journal;
  clock: Clock;
  logger: Logger;
  limits: ConnectionLimits;
  onEnded: () => void;
}): Connection {
  const { socket, journal, clock, logger, limits } = options;
  let { caller } = options;
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
  const end = () => {
    if (state.mode === 'ended') return;
    state = { mode: 'ended' };
    heartbeat.stop();
    options.onEnded();
  };
  const close = (code: number, reason: string) => {
    if (state.mode === 'ended') return;
    socket.close(code, reason);
    end();
  };

  const outbox = createOutbox({
    socket,
    limits,
    wants: (event) =>
      (caller.kind === 'api' || caller.lot_ids.has(event.lot_id)) && matchesSubscription(subscription, event),
    hasEnded: () => state.mode === 'ended',
    tooSlow: () => {
      const { bufferedBytes } = socket;
      logger.info({ account_id: caller.account_id, buffered_bytes: bufferedBytes }, 'Realtime client is too slow');
      close(CLOSE_TOO_SLOW, 'too slow: resume with last_event_id');
    },
  });
  const goLive = (sentTo: number) => {
    if (state.mode === 'ended') return false;
    state = { mode: 'live', sentTo };
    return true;
  };
  const resync = () => {
    if (goLive(0)) socket.send(RESYNC_REQUIRED_FRAME);
  };

  socket.send(AUTHORIZED_FRAME);
  if (options.cursor === 'unknown') {
    resync();
  } else if (options.cursor !== null) {
    const replay = createReplay({
      journal,
      cursor: options.cursor,
      scope: () => scopeOf(caller),
      limits,
      send: async (events) => {
        await outbox.replayed(events);
        return state.mode !== 'ended';
      },
      unknownCursor: resync,
      caughtUp: ({ tail, cursor }) => {
        if (goLive(cursor)) outbox.live(tail, cursor);
      },
    });
    state = { mode: 'replaying', replay };
    replay.run().catch((error: unknown) => {
      logger.error({ err: error, account_id: caller.account_id }, 'The journal could not be read for a replay');
      close(CLOSE_INTERNAL_ERROR, 'replay failed: try again');
    });
  }

  return {
    get caller() {
      return caller;
    },
    deliver(events) {
      if (state.mode === 'live') outbox.live(events, state.sentTo);
      else if (state.mode === 'replaying') state.replay.keepAside(events);
    },
    rescope(changed) {
      caller = changed;
    },
    receive(text) {
      const frame = parseClientFrame(text);
      if (frame?.event !== 'subscribe' || state.mode === 'ended') return;
      const parsed = parseSubscription(frame.data);
      if (parsed.ok) subscription = parsed.subscription;
      else outbox.answer(errorFrame(parsed.error));
    },
    pong: heartbeat.pong,
    close,
    ended: end,
  };
}

/** An API token hears its whole account, a user token the assigned lots. */
function scopeOf(caller: Caller): EventScope {
  return { account_id: caller.account_id, lot_ids: caller.kind === 'api' ? null : caller.lot_ids };
}
