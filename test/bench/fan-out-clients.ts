/**
 * The receivers of the fan-out benchmark, in their own process: sockets that read what comes and count it.
 * Arguments: port, how many, `websocket`, `tcp` or `socket.io`, and how many more that read nothing. The bytes of WebSocket frames are
 * counted, not parsed, and Socket.IO's own client counts events: only the sender is measured.
 */
import { connect, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import { serveParent } from './harness.js';

const CONNECTING_MAX = 100;

const [port = '', count = '', kind = '', stalled = '0'] = process.argv.slice(2);
const UPGRADE =
  'GET /v2/realtime HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer bench\r\n\r\n';

/** Bytes, or events of Socket.IO. The few bytes of a greeting stay in the count, which paces the sender and measures nothing. */
let received = 0;
let expected = Number.POSITIVE_INFINITY;
let answer: (text: string) => void = () => {};
const look = () => {
  if (received < expected) return;
  received -= expected;
  expected = Number.POSITIVE_INFINITY;
  answer('received');
};

/** Resolves when the socket is ready for events. */
function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => {
      if (kind !== 'websocket') {
        ready();
        return;
      }
      socket.write(UPGRADE);
      socket.once('data', (head) => {
        if (head.includes('HTTP/1.1 101')) ready();
        else reject(new Error(`no upgrade: ${String(head)}`));
      });
    });
    socket.once('error', reject);
    const ready = () => {
      socket.on('data', (chunk) => {
        received += chunk.length;
        look();
      });
      resolve(socket);
    };
  });
}

/** The same with Socket.IO's own client. */
function openSocketIo(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true, reconnection: false });
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
    socket.onAny(() => {
      received += 1;
      look();
    });
  });
}

const openReader = kind === 'socket.io' ? openSocketIo : open;
for (let made = 0; made < Number(count); made += CONNECTING_MAX) {
  await Promise.all(Array.from({ length: Math.min(CONNECTING_MAX, Number(count) - made) }, () => openReader()));
}
for (let made = 0; made < Number(stalled); made++) (await open()).pause();
serveParent('connected', {
  answer: (amount: number) =>
    new Promise((resolve) => {
      answer = resolve;
      expected = amount;
      look();
    }),
});
