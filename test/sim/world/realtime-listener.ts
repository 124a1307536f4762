import { WebSocket } from 'ws';
import { waitUntil } from './wait-until.js';

/** One frame of the realtime stream, its payload parsed. */
export interface Heard {
  event: string;
  id: string | null;
  payload: Record<string, unknown>;
}

export interface RealtimeListener {
  readonly heard: Heard[];
  /** The events of a name, oldest first. */
  of(event: string): Heard[];
  /** Waits until so many events of the name were heard, and returns them. */
  waitFor(event: string, count?: number): Promise<Heard[]>;
  /** Calls the listener for each event from now on, the moment it is heard. */
  onEvent(listener: (heard: Heard) => void): void;
  close(): Promise<void>;
}

/** Connects to `/v2/realtime` as an integrator does and keeps all it hears; resolves after `authorized`. */
export async function listenRealtime(baseUrl: string, token: string, lastEventId?: string): Promise<RealtimeListener> {
  const url = new URL('/v2/realtime', baseUrl.replace(/^http/, 'ws'));
  if (lastEventId !== undefined) url.searchParams.set('last_event_id', lastEventId);
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  const heard: Heard[] = [];
  const listeners: ((entry: Heard) => void)[] = [];
  let failure: unknown = null;
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('message', (text) => {
    const frame = JSON.parse(String(text)) as { event: string; data: string; id?: string };
    const payload = frame.data === '' ? {} : (JSON.parse(frame.data) as Record<string, unknown>);
    const entry = { event: frame.event, id: frame.id ?? null, payload };
    heard.push(entry);
    for (const listener of listeners) listener(entry);
  });
  const of = (event: string) => heard.filter((entry) => entry.event === event);
  await waitUntil('the realtime connection to be authorized', () => {
    if (failure !== null) throw failure;
    return of('authorized').length > 0;
  });
  return {
    heard,
    of,
    waitFor: (event, count = 1) =>
      waitUntil(`${count} ${event} on the realtime stream`, () => (of(event).length >= count ? of(event) : null)),
    onEvent: (listener) => void listeners.push(listener),
    async close() {
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.close();
      await closed;
    },
  };
}
