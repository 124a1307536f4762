import type { EventScope } from '../../kernel/store/entry.js';
import { batchEvents, type EventBatch } from './event-batch.js';
import { RESYNC_REQUIRED_FRAME } from './realtime-frames.js';
import type { RealtimeSocket } from './realtime-socket.js';
import { createReplay, type Journal, type Replay, type ReplayLimits } from './replay.js';
import type { SendQueue } from './send-queue.js';

/** The events on their way to one connection: first those that it missed, then live ones. */
export interface EventStream {
  /** Whether every live event is sent as it comes: no replay runs, and no event that a replay has sent may still arrive. */
  readonly isPlain: boolean;
  /** Whether no replay runs. */
  readonly isLive: boolean;
  /** Replays what was missed after `cursor` (null: nothing was missed; 'unknown': the text is no cursor), and then goes live. */
  begin(cursor: number | 'unknown' | null): void;
  /** Delivers live events, in commit order. */
  deliver(batches: readonly EventBatch[]): void;
}

interface EventStreamOptions {
  socket: RealtimeSocket;
  sendQueue: SendQueue;
  journal: Journal;
  limits: ReplayLimits;
  /** Called before each page of a replay, because the caller's lots may change. */
  scope: () => EventScope;
  /** Whether the connection accepts no more events. */
  hasEnded: () => boolean;
  /** Returns the account's newest event that was pushed before; the next one that is pushed follows it. */
  liveCursor: () => number;
  /** Called before the first event, with the cursor from which to resume until that event comes. */
  greet: (cursor: number) => void;
  /** Called when `isPlain` is known, and when it may have changed. */
  onChange: () => void;
  /** Called when the journal could not be read. */
  onFailed: (error: unknown) => void;
}

/** `sentTo`: the cursor up to which a replay has sent everything; live events from before it may still arrive. */
type State = { mode: 'live'; sentTo: number } | { mode: 'replaying'; replay: Replay };

export function createEventStream(options: EventStreamOptions): EventStream {
  const { sendQueue, journal, limits, scope, hasEnded } = options;
  let state: State = { mode: 'live', sentTo: 0 };

  const become = (next: State) => {
    state = next;
    options.onChange();
  };
  const greet = (cursor: number) => {
    if (!hasEnded()) options.greet(cursor);
  };
  const goLive = (sentTo: number) => {
    if (hasEnded()) return false;
    become({ mode: 'live', sentTo });
    return true;
  };
  const resync = () => {
    greet(options.liveCursor());
    if (goLive(0)) options.socket.send(RESYNC_REQUIRED_FRAME);
  };
  const replayAfter = (asked: number) => {
    const replay = createReplay({
      journal,
      cursor: asked,
      scope,
      limits,
      send: async (events) => {
        await sendQueue.replayed(events);
        return !hasEnded();
      },
      known: () => greet(asked),
      unknownCursor: resync,
      caughtUp: ({ tail, cursor }) => {
        if (goLive(cursor)) sendQueue.live(batchEvents(tail), cursor);
      },
    });
    become({ mode: 'replaying', replay });
    replay.run().catch(options.onFailed);
  };

  return {
    get isPlain() {
      return state.mode === 'live' && state.sentTo === 0;
    },
    get isLive() {
      return state.mode === 'live';
    },
    begin(cursor) {
      if (cursor === 'unknown') return resync();
      if (cursor !== null) return replayAfter(cursor);
      greet(options.liveCursor());
      goLive(0);
    },
    deliver(batches) {
      if (hasEnded()) return;
      if (state.mode === 'replaying') {
        state.replay.keepAside(batches.flatMap(({ events }) => events));
        return;
      }
      const { sentTo } = state;
      sendQueue.live(batches, sentTo);
      // Events come in commit order, so after the first one beyond the replay none has to be held back.
      const last = batches.at(-1)?.events.at(-1)?.id ?? 0;
      if (sentTo > 0 && last > sentTo) goLive(0);
    },
  };
}
