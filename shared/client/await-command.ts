/** Gives a product a command and waits for its end. */
import { type Clock, sleep } from '../clock.js';
import type { RealtimeClient, RealtimeOptions } from './realtime-client.js';
import { isObject, ParkingError } from './parking-error.js';
import type { Transport } from './transport.js';

/** An operation that people and programs ask of a product. */
export type Operation =
  | 'open'
  | 'force_close'
  | 'close'
  | 'stay_open'
  | 'stay_close'
  | 'clear_stay_open'
  | 'clear_stay_close';

export interface CommandOptions {
  /** `open` when left out. */
  operation?: Operation;
  /** Closes also while the lot is held open in an emergency. */
  duringRelease?: boolean;
  /** How long to wait for the end; 60 s when left out. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A command that succeeded. */
export interface AwaitedCommand {
  eventId: string;
  /** The source that reported the end first. */
  heardBy: 'event' | 'poll';
}

/** A command failed, or has not ended in time. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly eventId: string;
  /**
   * The type of `gateway_error`: a number, or `Timeout` when no gateway had an answer; null when the wait was too short
   * to know.
   */
  readonly type: number | 'Timeout' | null;

  constructor(about: { message: string; eventId: string; type: number | 'Timeout' | null }) {
    super(about.message);
    this.eventId = about.eventId;
    this.type = about.type;
  }
}

const WAIT_MS = 60_000;
const POLL_MS = 1_000;

interface Ended {
  eventId: string;
  heardBy: AwaitedCommand['heardBy'];
  /** null: it succeeded. */
  failure: { type: unknown; message?: unknown } | null;
}

export async function awaitCommand(
  deps: { transport: Transport; clock: Clock; realtime?: (options: RealtimeOptions) => RealtimeClient },
  productId: number,
  { operation = 'open', duringRelease = false, timeoutMs = WAIT_MS, signal }: CommandOptions,
): Promise<AwaitedCommand> {
  const { transport, clock } = deps;
  const given = new AbortController();
  const onAbort = () => given.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', onAbort, { once: true });
  const events = listenFor(deps.realtime, productId);
  try {
    const path = { id: productId };
    const asked = await transport('post', '/v2/products/{id}/state', {
      path,
      body: { operation, ...(duringRelease ? { during_release: true } : {}) },
      signal: given.signal,
    });
    const eventId = isObject(asked.data) ? String(asked.data.event_id) : '';
    const late = () => {
      throw new CommandError({ message: `Command ${eventId} has not ended in time`, eventId, type: null });
    };
    const ended = await Promise.race([
      events.endOf(eventId),
      poll(transport, clock, eventId, given.signal),
      sleep(clock, timeoutMs, given.signal).then(late),
    ]);
    return resultOf(ended);
  } finally {
    events.close();
    signal?.removeEventListener('abort', onAbort);
    given.abort();
  }
}

function resultOf({ eventId, heardBy, failure }: Ended): AwaitedCommand {
  if (failure === null) return { eventId, heardBy };
  const type = typeof failure.type === 'number' ? failure.type : 'Timeout';
  const message = typeof failure.message === 'string' ? failure.message : 'No gateway had an answer in time';
  throw new CommandError({ message, eventId, type });
}

/** The end may be heard before the answer that names the command, so that every end is kept. */
function listenFor(realtime: ((options: RealtimeOptions) => RealtimeClient) | undefined, productId: number) {
  const ends = new Map<string, Ended>();
  let onEnd: (() => void) | undefined;
  const connection = realtime?.({
    subscription: { events: ['lot_change', 'gateway_error'], products: [productId] },
    onEvent({ event, payload }) {
      if ((event !== 'lot_change' && event !== 'gateway_error') || payload.event_id === undefined) return;
      const failure = event === 'gateway_error' ? payload : null;
      ends.set(payload.event_id, { eventId: payload.event_id, heardBy: 'event', failure });
      onEnd?.();
    },
    // Missed events are polled.
    onResync: () => undefined,
  });
  return {
    endOf: (eventId: string) =>
      new Promise<Ended>((resolve) => {
        onEnd = () => {
          const end = ends.get(eventId);
          if (end !== undefined) resolve(end);
        };
        onEnd();
      }),
    close: () => connection?.close(),
  };
}

/** A service that does not answer for a while may answer later: only a refusal ends it. */
async function poll(transport: Transport, clock: Clock, eventId: string, signal: AbortSignal): Promise<Ended> {
  for (;;) {
    await sleep(clock, POLL_MS, signal);
    const { data } = await transport('get', '/v2/commands/{event_id}', { path: { event_id: eventId }, signal }).catch(
      (error: unknown) => {
        if (error instanceof ParkingError && (error.status === 0 || error.status >= 429)) return { data: null };
        throw error;
      },
    );
    if (!isObject(data) || data.status === 'pending') continue;
    const { gateway_error: failure } = data;
    return {
      eventId,
      heardBy: 'poll',
      failure: isObject(failure) ? { type: failure.type, message: failure.message } : null,
    };
  }
}
