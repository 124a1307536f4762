/** A client of the realtime connection for programs that build on the service, in browsers and in Node: README.md shows both. */
import { backoffDelayMs, type BackoffLimits } from '../backoff.js';
import type { Clock, Timer } from '../clock.js';
import type { ErrorEntry } from '../errors.js';
import type { EventName, EventPayload } from '../events/event-schemas.js';
import type { RealtimeWebSocketConstructor, ConnectingWebSocket } from './realtime-web-socket.js';

/** An event with its payload. A later version of the service may send names that are not here yet: ignore those. */
export type RealtimeEvent = {
  [Name in EventName]: {
    event: Name;
    payload: EventPayload<Name>;
    /** The cursor to resume from; null for an event that only repeats what is known. */
    id: string | null;
  };
}[EventName];

/** The events that a connection wants to hear: those that match every filter it names. */
export interface RealtimeSubscription {
  events?: EventName[];
  lots?: number[];
  products?: number[];
}

export type RealtimeState =
  | { state: 'connecting' }
  /** `lastEventId`: where to go on from, also before the first event. It comes again when nothing was heard for an hour. */
  | { state: 'live'; lastEventId: string | null }
  /** The connection was lost; the client tries again. */
  | { state: 'waiting'; code: number; reason: string; retryInMs: number }
  /** The client has stopped: `close()` was called, or the token is not accepted (4401). */
  | { state: 'ended'; code: number; reason: string };

export interface RealtimeClientOptions {
  /** `wss://HOST/v2/realtime` */
  url: string;
  /** A user token or an API token. It travels as the first message, never in the address. */
  token: string;
  /** The WebSocket of the browser, or of the package `ws`. */
  WebSocket: RealtimeWebSocketConstructor;
  /** Pass `wakefulClock` when nothing else keeps the process alive. */
  clock: Pick<Clock, 'setTimer'>;
  /** Usually `Math.random`: a thousand clients must not come back in the same moment. */
  random: () => number;
  /** The id of the last event that was kept before: the connection resumes after it. */
  lastEventId?: string | null;
  subscription?: RealtimeSubscription;
  /** Called once for each event, in order. It must not throw, and it must keep what it needs of an event before it returns. */
  onEvent: (event: RealtimeEvent) => void;
  /** Called when events were missed that cannot be replayed: read the state again over REST. */
  onResync: () => void;
  /** Called for the first time when the client was returned. Keep `lastEventId` of `live`. */
  onState?: (state: RealtimeState) => void;
  /** The service accepted the last subscription: it holds for all events that follow. */
  onSubscribed?: () => void;
  /** The service refused a frame of this client, for instance a subscription. */
  onError?: (error: ErrorEntry) => void;
}

/** The options of a realtime connection beside those of the REST client. */
export type RealtimeOptions = Omit<RealtimeClientOptions, 'url' | 'token' | 'WebSocket' | 'clock' | 'random'>;

export interface RealtimeClient {
  /** Keep it with what the events changed: after a restart the connection resumes there. */
  readonly lastEventId: string | null;
  /** Replaces the subscription, now and for later connections. */
  subscribe(subscription: RealtimeSubscription): void;
  /**
   * Connects anew at once, and resumes. Call it when the program knows before the socket does that the network was gone or is back. It does
   * nothing while a connection is being made or after the end.
   */
  reconnect(): void;
  close(): void;
}

export const RECONNECT_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

/** How long each address of a name is tried before the next: the 250 ms of Node are too few over a slow road. */
const CONNECT_ATTEMPT_MS = 2_500;
/** How long a service may take to greet, so that an address where nobody answers is tried again soon. */
const GREETING_MAX_MS = 30_000;
/** Gateways report every 30 s, so a longer silence means that the connection died unnoticed. Resuming loses nothing. */
const SILENCE_MAX_MS = 150_000;

const CLOSE_NORMAL = 1000;
const CLOSE_UNAUTHORIZED = 4401;

/** Connects, and stays connected until it is closed. */
export function createRealtimeClient(options: RealtimeClientOptions): RealtimeClient {
  const retries = createRetries(options);
  let { subscription } = options;
  let cursor = options.lastEventId ?? null;
  let connection: Connection | null = null;
  let wasLive = false;
  let hasEnded = false;

  const notify = notifyOfStates(options);

  const onFrame = (frame: Frame) => {
    if (frame.event !== 'cursor' && !isGreeting(frame)) {
      notifyOf(options, frame);
      cursor = frame.id ?? cursor;
      return;
    }
    if (isGreeting(frame)) {
      retries.greeted();
      // A service that greets without a cursor gave nothing to resume from.
      if (wasLive && cursor === null) options.onResync();
      wasLive = true;
    }
    cursor = frame.id ?? cursor;
    notify({ state: 'live', lastEventId: cursor });
  };

  const end = (code: number, reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    connection = null;
    retries.stop();
    notify({ state: 'ended', code, reason });
  };
  const onLost = (code: number, reason: string) => {
    connection = null;
    if (code === CLOSE_UNAUTHORIZED) return end(code, reason);
    notify({ state: 'waiting', code, reason, retryInMs: retries.plan(connect) });
  };

  const connect = () => {
    retries.stop();
    const onOpen = (send: Connection['send']) => {
      send('authorize', options.token);
      if (subscription !== undefined) send('subscribe', subscription);
    };
    connection = openConnection(options, addressOf(options.url, cursor), { onOpen, onFrame, onLost });
    notify({ state: 'connecting' });
  };

  connect();
  return {
    get lastEventId() {
      return cursor;
    },
    subscribe(wanted) {
      subscription = wanted;
      if (connection?.isOpen()) connection.send('subscribe', wanted);
    },
    reconnect() {
      if (hasEnded || connection?.isGreeted() === false) return;
      connection?.close();
      connect();
    },
    close() {
      const open = connection;
      end(CLOSE_NORMAL, 'closed by this client');
      open?.close(CLOSE_NORMAL);
    },
  };
}

/** Reports states from the moment at which the caller has the client: earlier ones wait until then. */
function notifyOfStates({ onState }: Pick<RealtimeClientOptions, 'onState'>): (state: RealtimeState) => void {
  let early: RealtimeState[] | null = [];
  void Promise.resolve().then(() => {
    const waiting = early ?? [];
    early = null;
    for (const state of waiting) onState?.(state);
  });
  return (state) => {
    if (early === null) onState?.(state);
    else early.push(state);
  };
}

/**
 * Plans the next try after a lost connection. The waits grow, and begin anew once a connection has stood for as long as the last wait may
 * have been.
 */
function createRetries({ clock, random }: Pick<RealtimeClientOptions, 'clock' | 'random'>) {
  let attempt = 0;
  let retrying: Timer | undefined;
  let standing: Timer | undefined;

  const stop = () => {
    retrying?.cancel();
    standing?.cancel();
  };
  return {
    stop,
    /** @returns the milliseconds until the next try */
    plan(retry: () => void): number {
      stop();
      const delayMs = backoffDelayMs(RECONNECT_BACKOFF, attempt++, random());
      retrying = clock.setTimer(delayMs, retry);
      return delayMs;
    },
    greeted(): void {
      if (attempt === 0) return;
      standing = clock.setTimer(backoffDelayMs(RECONNECT_BACKOFF, attempt - 1, 1), () => (attempt = 0));
    },
  };
}

interface Connection {
  isOpen(): boolean;
  /** Whether the service has greeted. */
  isGreeted(): boolean;
  send(event: string, data: unknown): void;
  /** Closes the socket; the listener is not called any more. */
  close(code?: number): void;
}

interface ConnectionListener {
  onOpen(send: Connection['send']): void;
  onFrame(frame: Frame): void;
  /** Called once, when the socket closed by itself or was silent for too long. */
  onLost(code: number, reason: string): void;
}

function openConnection(
  { WebSocket, clock }: Pick<RealtimeClientOptions, 'WebSocket' | 'clock'>,
  address: string,
  listener: ConnectionListener,
): Connection {
  const Connecting: ConnectingWebSocket = WebSocket;
  const socket = new Connecting(address, [], { autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS });
  let hasGreeted = false;
  // A socket that was given up may still send.
  let isGivenUp = false;
  let silence: Timer | undefined;

  const send = (event: string, data: unknown) => socket.send(JSON.stringify({ event, data }));
  const giveUp = () => {
    isGivenUp = true;
    silence?.cancel();
  };
  const lose = (code: number, reason: string) => {
    if (isGivenUp) return;
    giveUp();
    listener.onLost(code, reason);
  };
  const watchSilence = () => {
    silence?.cancel();
    silence = clock.setTimer(hasGreeted ? SILENCE_MAX_MS : GREETING_MAX_MS, () => {
      lose(CLOSE_NORMAL, 'silent for too long');
      socket.close();
    });
  };

  socket.addEventListener('open', () => {
    if (!isGivenUp) listener.onOpen(send);
  });
  socket.addEventListener('message', ({ data }) => {
    if (isGivenUp) return;
    const frame: unknown = JSON.parse(String(data));
    if (isFrame(frame)) {
      hasGreeted ||= isGreeting(frame);
      listener.onFrame(frame);
    }
    if (!isGivenUp) watchSilence();
  });
  socket.addEventListener('close', ({ code, reason }) => lose(code, reason));
  // A failed connection is closed as well, which is handled; without this listener some sockets would throw.
  socket.addEventListener('error', () => undefined);
  watchSilence();
  return {
    isOpen: () => socket.readyState === OPEN,
    isGreeted: () => hasGreeted,
    send,
    close(code) {
      giveUp();
      socket.close(code);
    },
  };
}

const OPEN = 1;

interface Frame {
  event: string;
  /** JSON text; empty for `authorized`. */
  data: string;
  id?: string;
}

const isGreeting = ({ event }: Frame): boolean => event === 'authorized';

// A frame of another shape is ignored: only a later version of the service sends it. The service's schemas ensure the deeper shape.

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isFrame = (value: unknown): value is Frame =>
  isObject(value) &&
  typeof value.event === 'string' &&
  typeof value.data === 'string' &&
  (value.id === undefined || typeof value.id === 'string');

const isEvent = (message: { event: string; payload: unknown; id: string | null }): message is RealtimeEvent =>
  isObject(message.payload);

const isErrorEntry = (value: unknown): value is ErrorEntry =>
  isObject(value) && typeof value.code === 'number' && typeof value.message === 'string';

/** Notifies the client's owner of a frame after the greeting. */
function notifyOf(
  { onEvent, onResync, onSubscribed, onError }: RealtimeClientOptions,
  { event, data, id }: Frame,
): void {
  if (event === 'resync_required') {
    onResync();
  } else if (event === 'subscribed') {
    onSubscribed?.();
  } else if (event === 'error') {
    const refused: unknown = JSON.parse(data);
    if (isErrorEntry(refused)) onError?.(refused);
  } else {
    const message = { event, payload: JSON.parse(data), id: id ?? null };
    if (isEvent(message)) onEvent(message);
  }
}

function addressOf(url: string, cursor: string | null): string {
  if (cursor === null) return url;
  return `${url}${url.includes('?') ? '&' : '?'}last_event_id=${encodeURIComponent(cursor)}`;
}
