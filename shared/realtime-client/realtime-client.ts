/** A client of the realtime connection for programs that build on the service, in browsers and in Node: README.md shows both. */
import { backoffDelayMs, type BackoffLimits } from '../backoff.js';
import type { Clock, Timer } from '../clock.js';
import type { ErrorEntry } from '../errors.js';
import type { EventName, EventPayload } from '../events/event-schemas.js';
import type { RealtimeWebSocket, RealtimeWebSocketConstructor } from './realtime-web-socket.js';

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
  | { state: 'live' }
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
  onState?: (state: RealtimeState) => void;
  /** The service accepted the last subscription: it holds for all events that follow. */
  onSubscribed?: () => void;
  /** The service refused a frame of this client, for instance a subscription. */
  onError?: (error: ErrorEntry) => void;
}

export interface RealtimeClient {
  /** Keep it with what the events changed: after a restart the connection resumes there. */
  readonly lastEventId: string | null;
  /** Replaces the subscription, now and for later connections. */
  subscribe(subscription: RealtimeSubscription): void;
  /**
   * Connects anew at once, and resumes: for who knows better than the socket that the network was gone or is back. It does nothing while
   * a connection is being made or after the end.
   */
  reconnect(): void;
  close(): void;
}

export const RECONNECT_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

/** How long a service may take to greet: an address where nobody answers is tried again soon. */
const GREETING_MAX_MS = 30_000;
/** Gateways report every 30 s, so a longer silence means that the connection died unnoticed. Resuming loses nothing. */
const SILENCE_MAX_MS = 150_000;

const CLOSE_NORMAL = 1000;
const CLOSE_UNAUTHORIZED = 4401;

/** Connects, and stays connected until it is closed. */
export function createRealtimeClient(options: RealtimeClientOptions): RealtimeClient {
  const { token, clock, random } = options;
  let { subscription } = options;
  let cursor = options.lastEventId ?? null;
  let socket: RealtimeWebSocket | null = null;
  let timer: Timer | undefined;
  let attempt = 0;
  /** Ends when the connection has stood for so long that it is a success, and the waits begin anew. */
  let standing: Timer | undefined;
  let wasLive = false;
  /** Whether the socket of now has not greeted yet. */
  let isConnecting = false;
  let hasEnded = false;

  const notify = (state: RealtimeState) => options.onState?.(state);
  const send = (event: string, data: unknown) => socket?.send(JSON.stringify({ event, data }));
  const wait = (delayMs: number, then: () => void) => {
    timer?.cancel();
    timer = clock.setTimer(delayMs, then);
  };

  const greeted = () => {
    if (attempt > 0) standing = clock.setTimer(backoffDelayMs(RECONNECT_BACKOFF, attempt - 1, 1), () => (attempt = 0));
    isConnecting = false;
    // A service that greets without a cursor gave nothing to resume from.
    if (wasLive && cursor === null) options.onResync();
    wasLive = true;
  };
  const handleFrame = (frame: Frame) => {
    const isGreeting = frame.event === 'authorized';
    if (isGreeting) greeted();
    else tell(options, frame);
    cursor = frame.id ?? cursor;
    if (isGreeting) notify({ state: 'live' });
  };

  const end = (code: number, reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    socket = null;
    timer?.cancel();
    standing?.cancel();
    notify({ state: 'ended', code, reason });
  };
  const lost = (code: number, reason: string) => {
    socket = null;
    isConnecting = false;
    standing?.cancel();
    if (code === CLOSE_UNAUTHORIZED) {
      end(code, reason);
      return;
    }
    const retryInMs = backoffDelayMs(RECONNECT_BACKOFF, attempt, random());
    attempt += 1;
    wait(retryInMs, connect);
    notify({ state: 'waiting', code, reason, retryInMs });
  };

  const connect = () => {
    isConnecting = true;
    standing?.cancel();
    const opened = new options.WebSocket(addressOf(options.url, cursor));
    socket = opened;
    // A socket that was given up may still send.
    const isCurrent = () => socket === opened;
    const watchSilence = () =>
      wait(isConnecting ? GREETING_MAX_MS : SILENCE_MAX_MS, () => {
        lost(CLOSE_NORMAL, 'silent for too long');
        opened.close();
      });
    opened.addEventListener('open', () => {
      if (!isCurrent()) return;
      send('authorize', token);
      if (subscription !== undefined) send('subscribe', subscription);
    });
    opened.addEventListener('message', ({ data }) => {
      if (!isCurrent()) return;
      const frame: unknown = JSON.parse(String(data));
      if (isFrame(frame)) handleFrame(frame);
      if (isCurrent()) watchSilence();
    });
    opened.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) lost(code, reason);
    });
    // A failed connection is closed as well, which is handled; without this listener some sockets would throw.
    opened.addEventListener('error', () => undefined);
    watchSilence();
    notify({ state: 'connecting' });
  };

  connect();
  return {
    get lastEventId() {
      return cursor;
    },
    subscribe(wanted) {
      subscription = wanted;
      if (socket?.readyState === OPEN) send('subscribe', wanted);
    },
    reconnect() {
      if (hasEnded || isConnecting) return;
      const given = socket;
      connect();
      given?.close();
    },
    close() {
      const open = socket;
      end(CLOSE_NORMAL, 'closed by this client');
      open?.close(CLOSE_NORMAL);
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

// What has another shape is ignored: it can only be of a later version. The service's schemas hold what stands deeper.

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isFrame = (value: unknown): value is Frame =>
  isObject(value) &&
  typeof value.event === 'string' &&
  typeof value.data === 'string' &&
  (value.id === undefined || typeof value.id === 'string');

const isEvent = (told: { event: string; payload: unknown; id: string | null }): told is RealtimeEvent =>
  isObject(told.payload);

const isErrorEntry = (value: unknown): value is ErrorEntry =>
  isObject(value) && typeof value.code === 'number' && typeof value.message === 'string';

/** Tells of what the service sent after its greeting. */
function tell({ onEvent, onResync, onSubscribed, onError }: RealtimeClientOptions, { event, data, id }: Frame): void {
  if (event === 'resync_required') {
    onResync();
  } else if (event === 'subscribed') {
    onSubscribed?.();
  } else if (event === 'error') {
    const refused: unknown = JSON.parse(data);
    if (isErrorEntry(refused)) onError?.(refused);
  } else {
    const told = { event, payload: JSON.parse(data), id: id ?? null };
    if (isEvent(told)) onEvent(told);
  }
}

function addressOf(url: string, cursor: string | null): string {
  if (cursor === null) return url;
  return `${url}${url.includes('?') ? '&' : '?'}last_event_id=${encodeURIComponent(cursor)}`;
}
