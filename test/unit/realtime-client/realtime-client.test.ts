import { describe, expect, it } from 'vitest';
import {
  createRealtimeClient,
  type RealtimeClientOptions,
  type RealtimeState,
} from '../../../shared/client/realtime-client.js';
import { EVENT_SAMPLES } from '../../contract/event-samples.js';
import { FakeClock } from '../../world/fake-clock.js';

const URL_BASE = 'wss://service.example/v2/realtime';
const [STATUS] = EVENT_SAMPLES.gateway_status;

class FakeWebSocket {
  static made: FakeWebSocket[] = [];
  readyState = 0;
  readonly sent: unknown[] = [];
  readonly #listeners = new Map<string, ((event: never) => void)[]>();

  constructor(readonly url: string) {
    FakeWebSocket.made.push(this);
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, event: unknown): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 2;
  }

  /** The server accepted the connection and its token. */
  authorize(cursor?: string): void {
    this.readyState = 1;
    this.emit('open', {});
    this.frame('authorized', '', cursor);
  }

  frame(event: string, data: string, id?: string): void {
    this.emit('message', { data: JSON.stringify({ event, data, ...(id === undefined ? {} : { id }) }) });
  }

  status(id?: string): void {
    this.frame('gateway_status', JSON.stringify(STATUS), id);
  }

  end(code: number, reason = ''): void {
    this.readyState = 3;
    this.emit('error', {});
    this.emit('close', { code, reason });
  }
}

function start(given: Partial<RealtimeClientOptions> = {}) {
  FakeWebSocket.made = [];
  const clock = new FakeClock();
  const ids: (string | null)[] = [];
  const states: RealtimeState[] = [];
  let resyncs = 0;
  const errors: unknown[] = [];
  const client = createRealtimeClient({
    url: URL_BASE,
    token: 'secret',
    WebSocket: FakeWebSocket,
    clock,
    random: () => 0.999,
    onEvent: ({ id }) => ids.push(id),
    onResync: () => (resyncs += 1),
    onState: (state) => states.push(state),
    onError: (error) => errors.push(error),
    ...given,
  });
  const socket = () => FakeWebSocket.made.at(-1) as FakeWebSocket;
  return { client, clock, ids, states, errors, socket, resyncs: () => resyncs };
}

describe('realtime client', () => {
  it('tells where to go on from before the first event, and when nothing was heard for long', async () => {
    const { client, socket, states, ids } = start();
    await Promise.resolve();
    socket().authorize('7');
    expect([states.at(-1), client.lastEventId]).toEqual([{ state: 'live', lastEventId: '7' }, '7']);
    socket().frame('cursor', '{}', '9');
    expect([states.at(-1), client.lastEventId, ids]).toEqual([{ state: 'live', lastEventId: '9' }, '9', []]);
    socket().end(1006);
    client.reconnect();
    expect(socket().url).toBe(`${URL_BASE}?last_event_id=9`);
  });

  it('shows its token in the first message, never in the address', async () => {
    const { socket, states } = start({ subscription: { lots: [7] } });
    expect(socket().url).toBe(URL_BASE);
    socket().authorize();
    expect(socket().sent).toEqual([
      { event: 'authorize', data: 'secret' },
      { event: 'subscribe', data: { lots: [7] } },
    ]);
    expect(states).toEqual([]);
    await Promise.resolve();
    expect(states).toEqual([{ state: 'connecting' }, { state: 'live', lastEventId: null }]);
  });

  it('gives events with their payload, and knows the last one that can be resumed from', () => {
    const heard: unknown[] = [];
    const { client, socket } = start({ onEvent: (event) => heard.push(event), lastEventId: '5' });
    expect(socket().url).toBe(`${URL_BASE}?last_event_id=5`);
    socket().authorize();
    socket().status('6');
    socket().status();
    expect(heard).toEqual([
      { event: 'gateway_status', payload: STATUS, id: '6' },
      { event: 'gateway_status', payload: STATUS, id: null },
    ]);
    expect(client.lastEventId).toBe('6');
  });

  it('comes back after ever longer waits and resumes where it was', async () => {
    const { clock, socket, states, ids } = start({ url: `${URL_BASE}?x=1` });
    await Promise.resolve();
    socket().authorize();
    socket().status('8');
    const waits: number[] = [];
    for (let lost = 0; lost < 9; lost++) {
      const before = FakeWebSocket.made.length;
      socket().end(1006);
      const waiting = states.at(-1);
      waits.push(waiting?.state === 'waiting' ? waiting.retryInMs : -1);
      await clock.advance((waits.at(-1) ?? 0) - 1);
      expect(FakeWebSocket.made).toHaveLength(before);
      await clock.advance(1);
      expect(FakeWebSocket.made).toHaveLength(before + 1);
    }
    expect(waits).toEqual([999, 1_998, 3_996, 7_992, 15_984, 31_968, 59_940, 59_940, 59_940]);
    expect(socket().url).toBe(`${URL_BASE}?x=1&last_event_id=8`);
    socket().authorize();
    await clock.advance(60_000);
    socket().end(1001, 'the service stops');
    expect(states.at(-1)).toEqual({ state: 'waiting', code: 1001, reason: 'the service stops', retryInMs: 999 });
    expect(ids).toEqual(['8']);
  });

  it('waits ever longer for a service that greets and throws out, until a connection has stood as long as the wait', async () => {
    const { clock, socket, states } = start();
    await Promise.resolve();
    const thrownOut = async (afterMs: number) => {
      socket().authorize('1');
      await clock.advance(afterMs);
      socket().end(1013, 'too many connections');
      const waiting = states.at(-1);
      const waitMs = waiting?.state === 'waiting' ? waiting.retryInMs : -1;
      await clock.advance(waitMs);
      return waitMs;
    };
    const waits: number[] = [];
    for (const afterMs of [0, 0, 500, 3_999, 8_000, 999, 1_999]) waits.push(await thrownOut(afterMs));
    expect(waits).toEqual([999, 1_998, 3_996, 7_992, 999, 1_998, 3_996]);
  });

  it('resumes from the cursor of the greeting when it is cut before its first event', async () => {
    const { client, clock, socket, resyncs } = start();
    socket().authorize('0');
    expect(client.lastEventId).toBe('0');
    socket().end(1006);
    await clock.advance(1_000);
    expect(socket().url).toBe(`${URL_BASE}?last_event_id=0`);
    socket().authorize('0');
    socket().status('1');
    expect([client.lastEventId, resyncs()]).toEqual(['1', 0]);
  });

  it('says when its subscription holds, and takes no event for it', () => {
    const heard: unknown[] = [];
    let accepted = 0;
    const { socket } = start({ onEvent: (event) => heard.push(event), onSubscribed: () => (accepted += 1) });
    socket().authorize('4');
    socket().frame('subscribed', '{"lots":[7]}');
    expect([accepted, heard]).toEqual([1, []]);
  });

  it('ends when its token is not accepted', async () => {
    const { clock, socket, states } = start();
    await Promise.resolve();
    socket().end(4401, 'unknown token');
    expect(states.at(-1)).toEqual({ state: 'ended', code: 4401, reason: 'unknown token' });
    await clock.advance(600_000);
    expect(FakeWebSocket.made).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('asks for a resync when told to, and when a service that greets without a cursor was lost before the first event', async () => {
    const { clock, socket, resyncs } = start();
    socket().authorize();
    expect(resyncs()).toBe(0);
    socket().end(1006);
    await clock.advance(1_000);
    socket().authorize();
    expect(resyncs()).toBe(1);
    socket().status('3');
    socket().end(1006);
    await clock.advance(2_000);
    socket().authorize();
    expect(resyncs()).toBe(1);
    socket().frame('resync_required', '{}');
    expect(resyncs()).toBe(2);
  });

  it('gives up a connection that has been silent for too long', async () => {
    const { clock, socket, states } = start();
    await Promise.resolve();
    const first = socket();
    first.authorize();
    await clock.advance(149_000);
    first.status('1');
    await clock.advance(149_000);
    expect(first.readyState).toBe(1);
    await clock.advance(1_000);
    expect(first.readyState).toBe(2);
    expect(states.at(-1)?.state).toBe('waiting');
    await clock.advance(1_000);
    expect(FakeWebSocket.made).toHaveLength(2);
    // What the old one still says is not heard any more.
    first.status('2');
    first.end(1006);
    expect(states.filter(({ state }) => state === 'waiting')).toHaveLength(1);
    expect(socket().url).toBe(`${URL_BASE}?last_event_id=1`);
  });

  it('gives up a connection that never opens', async () => {
    const { clock } = start();
    await clock.advance(29_000);
    expect(FakeWebSocket.made).toHaveLength(1);
    await clock.advance(2_000);
    expect(FakeWebSocket.made).toHaveLength(2);
  });

  it('connects anew when it is told to, without a wait and without a loss', async () => {
    const { client, clock, socket, states, ids } = start();
    await Promise.resolve();
    client.reconnect();
    expect(FakeWebSocket.made).toHaveLength(1);
    socket().authorize('1');
    const dead = socket();
    client.reconnect();
    client.reconnect();
    expect([FakeWebSocket.made.length, dead.readyState, socket().url]).toEqual([2, 2, `${URL_BASE}?last_event_id=1`]);
    dead.status('9');
    dead.end(1006);
    socket().authorize();
    socket().status('2');
    expect([ids, states.at(-1)]).toEqual([['2'], { state: 'live', lastEventId: '1' }]);
    // One that waits does not wait any more.
    socket().end(1006);
    client.reconnect();
    expect(FakeWebSocket.made).toHaveLength(3);
    socket().authorize();
    await clock.advance(100_000);
    expect(FakeWebSocket.made).toHaveLength(3);
    client.close();
    client.reconnect();
    expect(FakeWebSocket.made).toHaveLength(3);
  });

  it('subscribes now and for later connections', async () => {
    const { client, clock, socket } = start();
    client.subscribe({ events: ['lot_change'] });
    expect(socket().sent).toEqual([]);
    socket().authorize();
    client.subscribe({ events: ['session_create'] });
    expect(socket().sent.slice(1)).toEqual([
      { event: 'subscribe', data: { events: ['lot_change'] } },
      { event: 'subscribe', data: { events: ['session_create'] } },
    ]);
    socket().end(1006);
    client.subscribe({});
    await clock.advance(1_000);
    socket().authorize();
    expect(socket().sent.slice(1)).toEqual([{ event: 'subscribe', data: {} }]);
  });

  it('tells what the service refused', () => {
    const { errors, socket, ids } = start();
    socket().authorize();
    socket().frame('error', '{"code":23,"message":"no","field":"lots"}');
    expect(errors).toEqual([{ code: 23, message: 'no', field: 'lots' }]);
    expect(ids).toEqual([]);
  });

  it('ignores what has another shape, and goes on', () => {
    const { errors, socket, ids } = start();
    socket().authorize();
    for (const data of ['[]', 'null', '{"event":"lot_change"}', '{"event":"lot_change","data":{}}']) {
      socket().emit('message', { data });
    }
    socket().frame('lot_change', '7', '3');
    socket().frame('error', '"no"');
    expect([ids, errors]).toEqual([[], []]);
    socket().status('4');
    expect(ids).toEqual(['4']);
  });

  it('is silent after it was closed, also while it waited', async () => {
    const { client, clock, socket, states, ids } = start();
    await Promise.resolve();
    socket().authorize();
    socket().end(1006);
    client.close();
    client.close();
    await clock.advance(600_000);
    socket().status('1');
    expect(FakeWebSocket.made).toHaveLength(1);
    expect(states.at(-1)).toEqual({ state: 'ended', code: 1000, reason: 'closed by this client' });
    expect(states.filter(({ state }) => state === 'ended')).toHaveLength(1);
    expect(ids).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
