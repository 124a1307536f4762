import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Caller } from '../../kernel/entry.js';
import { eventScopeOf } from './event-scope.js';
import type { EventBatch } from './event-batch.js';
import { createEventStream } from './event-stream.js';
import { startHeartbeat } from './heartbeat.js';
import { createSendQueue, type SendQueue, type SendQueueLimits } from './send-queue.js';
import {
  authorizedFrame,
  CLOSE_INTERNAL_ERROR,
  CLOSE_TOO_SLOW,
  errorFrame,
  parseClientFrame,
  subscribedFrame,
} from './realtime-frames.js';
import type { OutgoingEvent } from './outgoing-event.js';
import type { RealtimeSocket } from './realtime-socket.js';
import type { Journal, ReplayLimits } from './replay.js';
import { EVERYTHING, matchesSubscription, parseSubscription } from './subscription.js';

export interface ConnectionLimits extends ReplayLimits, SendQueueLimits {}

export const CONNECTION_LIMITS: ConnectionLimits = {
  bufferedBytesMax: 1024 * 1024,
  replayBufferedBytesMax: 256 * 1024,
  pageRows: 100,
  tailEventsMax: 5_000,
};

/** How many answers may wait for the greeting. */
const WAITING_ANSWERS_MAX = 32;

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
  const interest = createInterest(options.caller);

  const life = watchSocket(options);
  const account_id = () => interest.caller.account_id;
  const sendQueue = createSendQueue({
    socket,
    limits,
    wants: interest.wants,
    hasEnded: life.hasEnded,
    tooSlow: () => {
      const { bufferedBytes } = socket;
      options.onTooSlow();
      logger.info({ account_id: account_id(), buffered_bytes: bufferedBytes }, 'realtime client is too slow');
      life.close(CLOSE_TOO_SLOW, 'too slow: resume with last_event_id');
    },
  });
  const greeting = createGreeting({
    socket,
    sendQueue,
    tooMany: () => life.close(CLOSE_TOO_SLOW, 'too many frames before the greeting'),
  });
  const noteScope = () => {
    if (!life.hasEnded()) options.onScope(connection);
  };
  const stream = createEventStream({
    ...options,
    sendQueue,
    hasEnded: life.hasEnded,
    scope: () => interest.scope,
    greet: greeting.greet,
    onChange: noteScope,
    onFailed: (error) => {
      logger.error({ err: error, account_id: account_id() }, 'the journal could not be read for a replay');
      life.close(CLOSE_INTERNAL_ERROR, 'replay failed: try again');
    },
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
    receive(text) {
      const frame = parseClientFrame(text);
      if (frame?.event !== 'subscribe' || life.hasEnded()) return;
      const answer = interest.subscribe(frame.data);
      noteScope();
      greeting.answer(answer);
    },
    pong: life.pong,
    close: life.close,
    ended: life.end,
  };
  stream.begin(options.cursor);
  return connection;
}

/** Pings the client until the connection ends, which it does once. */
function watchSocket({ socket, clock, onEnded }: Pick<ConnectionOptions, 'socket' | 'clock' | 'onEnded'>) {
  let hasEnded = false;
  const heartbeat = startHeartbeat({
    clock,
    ping: () => socket.ping(),
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

/** Which events of its account a connection gets: those that its caller may see and its client subscribed to. */
function createInterest(first: Caller) {
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
    /** Subscribes anew, unless the data is malformed. @returns the answer */
    subscribe(data: unknown): Buffer {
      const parsed = parseSubscription(data);
      if (!parsed.ok) return errorFrame(parsed.error);
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
