import type { Clock } from '../../../shared/clock.js';
import { VALIDATION } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/logger.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { eventScopeOf } from './event-scope.js';
import type { EventBatch } from './event-batch.js';
import { createEventStream } from './event-stream.js';
import { startHeartbeat } from './heartbeat.js';
import { createSendQueue, type SendQueue, type SendQueueLimits } from './send-queue.js';
import {
  authorizedFrame,
  type ClientFrame,
  CLOSE_INTERNAL_ERROR,
  CLOSE_TOO_SLOW,
  cursorFrame,
  errorFrame,
  parseClientFrame,
  subscribedFrame,
} from './realtime-frames.js';
import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';
import type { Journal, ReplayLimits } from './replay.js';
import { EVERYTHING, foreignLots, matchesSubscription, parseSubscription } from './subscription.js';

export interface ConnectionLimits extends ReplayLimits, SendQueueLimits {}

export const CONNECTION_LIMITS: ConnectionLimits = {
  bufferedBytesMax: 1024 * 1024,
  replayBufferedBytesMax: 256 * 1024,
  pageRows: 100,
  tailEventsMax: 5_000,
};

/** How many answers may wait for the greeting. */
const WAITING_ANSWERS_MAX = 32;
/** After which silence a client is told where to go on from. */
const SILENCE_MS = 3_600_000;
const NOT_UNDERSTOOD = { code: VALIDATION, message: 'The frame is not understood: send subscribe', field: 'event' };

/** A connection whose token was accepted. */
export interface Connection {
  readonly caller: Caller;
  /** The socket, as long as every live event of the account goes to it without a filter; else null. */
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

export interface ConnectionOptions {
  socket: RealtimeSocket;
  caller: Caller;
  /** The event after which the client wants to resume; null: it asks for nothing; 'unknown': the text is no cursor. */
  cursor: number | 'unknown' | null;
  /** Returns the account's newest event that was pushed before; the next one that is pushed follows it. */
  liveCursor: () => number;
  /** Finds those of the lots that the account has. */
  lotsOfAccount: (accountId: number, ids: readonly number[]) => Promise<ReadonlySet<number>>;
  journal: Journal;
  clock: Clock;
  logger: Logger;
  limits: ConnectionLimits;
  /** Called when `unfiltered` is known, and each time it may have changed. */
  onScope: (connection: Connection) => void;
  /** Called once, when the connection accepts no more events. */
  onEnded: () => void;
  /** Called when it is closed because its client reads too slowly. */
  onTooSlow: () => void;
}

/**
 * Greets, replays what the connection missed, and then goes live. The greeting has the cursor from which to resume until the first event
 * comes: the client's when the journal reaches back to it, else that of the live events. The greeting is sent when that is known; answers
 * to frames that the client sends earlier wait for it.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const { socket, logger, limits } = options;
  const interest = createInterest(options.caller, options);

  const silence = createSilence(options.clock);
  const life = watchSocket(options, () => {
    const heard = { cursor: options.liveCursor(), isUnfiltered: connection.unfiltered !== null };
    if (stream.isLive && silence.isLong(heard)) greeting.answer(cursorFrame(heard.cursor));
  });
  const account_id = () => interest.caller.account_id;
  const sendQueue = createSendQueue({
    socket,
    limits,
    wants: interest.wants,
    hasEnded: life.hasEnded,
    heard: silence.end,
    tooSlow: () => {
      const { bufferedBytes: buffered_bytes } = socket;
      options.onTooSlow();
      logger.info({ account_id: account_id(), buffered_bytes }, 'realtime client is too slow');
      life.close(CLOSE_TOO_SLOW, 'too slow: resume with last_event_id');
    },
  });
  const tooMany = () => life.close(CLOSE_TOO_SLOW, 'too many frames before the greeting');
  const greeting = createGreeting({ socket, sendQueue, tooMany });
  const noteScope = () => {
    if (!life.hasEnded()) options.onScope(connection);
  };
  const fail = (error: unknown, what: string) => {
    logger.error({ err: error, account_id: account_id() }, what);
    life.close(CLOSE_INTERNAL_ERROR, 'the service failed: try again');
  };
  const stream = createEventStream({
    ...options,
    sendQueue,
    hasEnded: life.hasEnded,
    scope: () => interest.scope,
    greet: greeting.greet,
    onChange: noteScope,
    onFailed: (error) => fail(error, 'the journal could not be read for a replay'),
  });
  const receive = answeringInTurn({
    answerTo: async (frame) => {
      const answer = frame === null ? errorFrame([NOT_UNDERSTOOD]) : await interest.subscribe(frame.data);
      noteScope();
      if (!life.hasEnded()) greeting.answer(answer);
    },
    onFailed: (error) => fail(error, 'a frame of a realtime client could not be answered'),
  });
  const connection: Connection = {
    get caller() {
      return interest.caller;
    },
    get unfiltered() {
      return stream.isPlain && interest.isEverything ? socket : null;
    },
    deliver: stream.deliver,
    rescope(caller) {
      interest.rescope(caller);
      noteScope();
    },
    receive,
    pong: life.pong,
    close: life.close,
    ended: life.end,
  };
  stream.begin(options.cursor);
  return connection;
}

/** Frames are answered in their order, also when an answer takes a look at the database. */
function answeringInTurn(options: {
  answerTo: (frame: ClientFrame | null) => Promise<void>;
  onFailed: (error: unknown) => void;
}): (text: string) => void {
  let turn = Promise.resolve();
  return (text) => {
    const frame = parseClientFrame(text);
    // Its token was accepted already.
    if (frame?.event === 'authorize') return;
    turn = turn.then(() => options.answerTo(frame)).catch(options.onFailed);
  };
}

/** Pings the client until the connection ends, which it does once. @param onPing called with each ping */
function watchSocket(
  { socket, clock, onEnded }: Pick<ConnectionOptions, 'socket' | 'clock' | 'onEnded'>,
  onPing: () => void,
) {
  let hasEnded = false;
  const heartbeat = startHeartbeat({
    clock,
    ping() {
      socket.ping();
      onPing();
    },
    onDead: () => {
      socket.terminate();
      end();
    },
  });
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    heartbeat.stop();
    onEnded();
  };
  return {
    hasEnded: () => hasEnded,
    pong: heartbeat.pong,
    end,
    close(code: number, reason: string): void {
      if (hasEnded) return;
      socket.close(code, reason);
      end();
    },
  };
}

/** For how long a client heard nothing. Events that go to a bare socket are noticed by the cursor, which they move. */
function createSilence(clock: Pick<Clock, 'monotonic'>) {
  let beganMs = clock.monotonic();
  let lastCursor: number | null = null;
  const end = () => {
    beganMs = clock.monotonic();
  };
  return {
    end,
    /** Whether it lasted for an hour; then the next one begins. */
    isLong({ cursor, isUnfiltered }: { cursor: number; isUnfiltered: boolean }): boolean {
      if (isUnfiltered && lastCursor !== null && lastCursor !== cursor) end();
      lastCursor = cursor;
      if (clock.monotonic() - beganMs < SILENCE_MS) return false;
      end();
      return true;
    },
  };
}

/** Which events of its account a connection gets: those that its caller may see and its client subscribed to. */
function createInterest(first: Caller, { lotsOfAccount }: Pick<ConnectionOptions, 'lotsOfAccount'>) {
  let caller = first;
  let scope = eventScopeOf(first);
  let subscription = EVERYTHING;
  return {
    get caller() {
      return caller;
    },
    get scope() {
      return scope;
    },
    get isEverything() {
      return scope.lot_ids === null && subscription === EVERYTHING;
    },
    wants(event: OutgoingEvent): boolean {
      const { lot_ids } = scope;
      return (lot_ids === null || lot_ids.has(event.lot_id)) && matchesSubscription(subscription, event);
    },
    rescope(changed: Caller): void {
      caller = changed;
      scope = eventScopeOf(changed);
    },
    /** Subscribes anew, unless the data is malformed or names lots that are not the caller's. @returns the answer */
    async subscribe(data: unknown): Promise<Buffer> {
      const parsed = parseSubscription(data);
      if (!parsed.ok) return errorFrame(parsed.errors);
      const { lots } = parsed.subscription;
      if (lots !== undefined) {
        const known = scope.lot_ids ?? (await lotsOfAccount(caller.account_id, [...lots]));
        const errors = foreignLots(parsed.subscription, known);
        if (errors.length > 0) return errorFrame(errors);
      }
      ({ subscription } = parsed);
      return subscribedFrame(data);
    },
  };
}

/** Sends the greeting and the answers, of which none overtakes the greeting. @param options.tooMany called when too many answers wait */
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
