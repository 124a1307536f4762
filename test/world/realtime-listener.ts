import { WebSocket } from 'ws';
import { createRealtimeClient, type RealtimeState } from '../../shared/client/realtime-client.js';
import { systemClock } from '../../shared/system-clock.js';
import { hearFrame } from '../contract/realtime-contract.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** One frame of the realtime stream, its payload parsed. */
export interface Heard {
  event: string;
  id: string | null;
  payload: Record<string, unknown>;
}

export interface RealtimeListener {
  /** Events, and `authorized` for each connection: the listener reconnects by itself and resumes after the last event. */
  readonly heard: Heard[];
  /** The events of a name, oldest first. */
  of(event: string): Heard[];
  /** Waits until so many events of the name were heard, and returns them. */
  waitFor(event: string, count?: number): Promise<Heard[]>;
  close(): Promise<void>;
}

/** Connects to `/v2/realtime` as an integrator does and keeps all it hears; resolves after `authorized`. */
export async function listenRealtime(baseUrl: string, token: string, lastEventId?: string): Promise<RealtimeListener> {
  const heard: Heard[] = [];
  let failure: unknown = null;
  let state: RealtimeState = { state: 'connecting' };
  const sockets: WebSocket[] = [];
  /** Checks every frame against the document that integrators get. */
  class CheckedWebSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
      this.on('message', (text) => {
        try {
          hearFrame(String(text));
        } catch (error) {
          failure = error;
        }
      });
    }
  }
  const client = createRealtimeClient({
    url: new URL('/v2/realtime', baseUrl.replace(/^http/, 'ws')).href,
    token,
    WebSocket: CheckedWebSocket,
    clock: systemClock,
    // Reconnects soon, however long the service was away: a test must not wait for a minute's backoff.
    random: () => 0.02,
    lastEventId: lastEventId ?? null,
    onEvent: ({ event, id, payload }) => heard.push({ event, id, payload: payload as Record<string, unknown> }),
    onResync: () => heard.push({ event: 'resync_required', id: null, payload: {} }),
    onState(changed) {
      // A live connection says so again with each cursor that it gets after an hour without an event.
      if (changed.state === 'live' && state.state !== 'live')
        heard.push({ event: 'authorized', id: null, payload: {} });
      state = changed;
      if (state.state === 'ended')
        failure ??= new Error(`the realtime connection ended: ${state.reason} (${state.code})`);
    },
  });
  const of = (event: string) => {
    if (failure !== null) throw failure;
    return heard.filter((entry) => entry.event === event);
  };
  await waitUntil('the realtime connection to be authorized', () => of('authorized').length > 0);
  return {
    heard,
    of,
    waitFor: (event, count = 1) =>
      waitUntil(`${count} ${event} on the realtime stream`, () => (of(event).length >= count ? of(event) : null)),
    async close() {
      failure = null;
      client.close();
      await waitUntil('the connection to be closed', () =>
        sockets.every(({ readyState }) => readyState === WebSocket.CLOSED),
      );
    },
  };
}
