/**
 * One server of the fan-out benchmark, in its own process: sends events to all its sockets and says what it cost.
 * Argument: what sends. `tcp`: bare socket.write of one buffer; `ws`: ws, each event serialised once;
 * `socket.io`: Socket.IO, one emit to a room, over WebSocket alone and without compression; `hub`: the realtime hub.
 */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { OpenAPIHono } from '@hono/zod-openapi';
import { Server as SocketIoServer } from 'socket.io';
import { WebSocketServer } from 'ws';
import type { Caller } from '../../cloud/kernel/auth/caller.js';
import { startHttpServer } from '../../cloud/rest/server/http-server.js';
import { CONNECTION_LIMITS } from '../../cloud/doors/realtime/connection.js';
import { createRealtimeHub } from '../../cloud/doors/realtime/realtime-hub.js';
import { createRealtimeServer } from '../../cloud/doors/realtime/ws-realtime-server.js';
import type { CloudStore, JournalEvent } from '../../cloud/kernel/store/cloud-store.js';
import type { Clock } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { fanOutPayload } from './fan-out-event.js';
import { failingLogger, processorMeter, serveParent } from './harness.js';
import { Registry } from 'prom-client';
import { createRealtimeMeasurement } from '../../cloud/doors/realtime/realtime-metrics.js';
import { ROOM_LIMITS } from '../../cloud/doors/realtime/realtime-rooms.js';
import { PACE_LIMITS } from '../../shared/connection-pace.js';

/** The pace of commits: each in the turn after the last one, or when the last one has left and some time has passed. */
type FanOutPace = 'burst' | 'apart';

export interface FanOutCase {
  eventsPerCommit: number;
  pace: FanOutPace;
}

/**
 * The benchmark's order: to send so many commits, and it hears what each socket gets, in bytes or events of Socket.IO; with 'cost', what
 * that took of the processor, now that everything has arrived, in microseconds.
 */
export type FanOutOrder = (FanOutCase & { commits: number }) | 'cost';

/** Header of a WebSocket frame of up to 64 KiB; the bare sender writes as many bytes. */
const FRAME_HEADER_BYTES = 4;

interface FanOutSender {
  port: number;
  send(events: JournalEvent[]): void;
}

const ACCOUNT = 1;
const LOT = 1;
const CALLER: Caller = {
  kind: 'api',
  token_id: 1,
  account_id: ACCOUNT,
  user_id: 1,
  role: 'Super Admin',
  money: 'all',
  token_hash: '',
  lot_ids: new Set([LOT]),
  has_own_lots: false,
  expires_at: null,
};

let lastId = 0;
function buildEvents(count: number): JournalEvent[] {
  return Array.from({ length: count }, () => {
    lastId += 1;
    return {
      id: lastId,
      account_id: ACCOUNT,
      lot_id: LOT,
      event: 'plate_reading_update',
      payload: fanOutPayload(lastId),
      created_at: 0,
    };
  });
}

const frameText = ({ event, payload, id }: JournalEvent) =>
  JSON.stringify({ event, data: JSON.stringify(payload), id: String(id) });

const listening = (server: Server | ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', 20_000, () => resolve((server.address() as AddressInfo).port)),
  );

async function tcpSender(): Promise<FanOutSender> {
  const sockets = new Set<Socket>();
  const port = await listening(
    createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }),
  );
  return {
    port,
    send(events) {
      const buffer = Buffer.from(events.map((event) => ' '.repeat(FRAME_HEADER_BYTES) + frameText(event)).join(''));
      for (const socket of sockets) socket.write(buffer);
    },
  };
}

async function wsSender(): Promise<FanOutSender> {
  const server = createHttpServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    port: await listening(server),
    send(events) {
      for (const event of events) {
        const frame = Buffer.from(frameText(event));
        for (const socket of sockets.clients) socket.send(frame, { binary: false });
      }
    },
  };
}

async function socketIoSender(): Promise<FanOutSender> {
  const server = createHttpServer();
  const sockets = new SocketIoServer(server, {
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    serveClient: false,
    // The other senders do not ping while they are measured.
    pingInterval: 24 * 3_600_000,
  });
  const room = `account ${ACCOUNT}`;
  sockets.on('connection', (socket) => void socket.join(room));
  return {
    port: await listening(server),
    send(events) {
      for (const { event, payload, id } of events) {
        sockets.to(room).emit(event, JSON.stringify(payload), String(id));
      }
    },
  };
}

async function hubSender(): Promise<FanOutSender> {
  let push: (events: JournalEvent[]) => void = () => undefined;
  // While tokens need no check and nobody resumes, the hub asks its store only for the heads of the journals: there are none.
  const store: Pick<CloudStore, 'onEvents' | 'onForeignChange' | 'change' | 'peers'> = {
    peers: null,
    onEvents(listener) {
      push = listener;
      return () => undefined;
    },
    onForeignChange: () => () => undefined,
    change: async <T>() => [] as T,
  };
  const clock: Clock = {
    ...systemClock,
    // The hub's pauses run, but no pings and checks.
    setTimer: (delayMs, fire) => (delayMs < 1_000 ? systemClock.setTimer(delayMs, fire) : { cancel() {} }),
  };
  const imageLinks = { sign: (uid: string) => uid, signJson: (json: string) => json, verify: () => null };
  const [logger, registry] = [failingLogger, new Registry()];
  const hub = createRealtimeHub({
    store: store as CloudStore,
    imageLinks,
    clock,
    logger,
    limits: CONNECTION_LIMITS,
    measurement: createRealtimeMeasurement(registry),
    spans: null,
  });
  const realtime = createRealtimeServer({
    addressOf: () => '',
    hub,
    authenticate: async () => CALLER,
    origins: () => ({ allowed: [], own: 'http://127.0.0.1' }),
    clock,
    logger,
    limits: ROOM_LIMITS,
    pace: PACE_LIMITS,
    registry,
  });
  const { port } = await startHttpServer({ app: new OpenAPIHono(), realtime, host: '127.0.0.1', port: 0, clock });
  return { port, send: (events) => push(events) };
}

const senders: Record<string, () => Promise<FanOutSender>> = {
  tcp: tcpSender,
  ws: wsSender,
  'socket.io': socketIoSender,
  hub: hubSender,
};
const [, , kind = ''] = process.argv;
const sender = await senders[kind]?.();
if (sender === undefined) throw new Error(`fan-out-server: argument must be one of ${Object.keys(senders).join(', ')}`);

/** Sends each commit in its own turn, as a database does. `apart` waits longer than the hub's pause, which is as long as its push. */
async function sendAll(commits: JournalEvent[][], pace: FanOutPace): Promise<void> {
  for (const events of commits) {
    const begun = performance.now();
    sender?.send(events);
    await nextTurn();
    if (pace === 'apart') await delay(performance.now() - begun + 5);
  }
}

const costUs = processorMeter();
function handle(order: FanOutOrder): number {
  if (order === 'cost') return costUs();
  const commits = Array.from({ length: order.commits }, () => buildEvents(order.eventsPerCommit));
  const all = commits.flat();
  const bytes = all.reduce((sum, event) => sum + FRAME_HEADER_BYTES + frameText(event).length, 0);
  setImmediate(() => {
    costUs();
    void sendAll(commits, order.pace);
  });
  return kind === 'socket.io' ? all.length : bytes;
}
serveParent(sender.port, { answer: handle });
