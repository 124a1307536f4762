/** The network cable between a gateway and its broker, which can be unplugged. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { createMqttTransport } from '../../../agent/uplink/mqtt-transport.js';
import type { UplinkTransport } from '../../../agent/uplink/uplink-transport.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createWay } from './way.js';

export interface Cable {
  /** Leads to the broker, whatever address the gateway was told. */
  readonly transport: UplinkTransport;
  readonly isPlugged: boolean;
  /** Cuts what is connected without a goodbye; nothing answers until it is plugged in again. */
  unplug(): void;
  plugIn(): void;
  /** From now on everything takes so many milliseconds longer, in both directions. */
  slow(delayMs: number): void;
  close(): Promise<void>;
}

export interface SocketCable extends Cable {
  /** Where the gateway connects to, on this machine. */
  readonly port: number;
}

const HOST = '127.0.0.1';

/** @param brokerPort where it leads, on this machine */
export async function layCable(brokerPort: number): Promise<SocketCable> {
  const sockets = new Set<Socket>();
  let isPlugged = true;
  let delayMs = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  };
  const pass = (from: Socket, to: Socket) => {
    const way = createWay(systemClock, () => delayMs);
    const passLater = (work: () => void) => (delayMs === 0 && way.isEmpty ? work() : way.send(work));
    from.on('data', (bytes) => passLater(() => void (to.writable && to.write(bytes))));
    from.on('end', () => passLater(() => to.end()));
    from.once('close', () => passLater(() => to.destroy()));
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ noDelay: true }, (near) => {
    keep(near);
    // An unplugged cable refuses no connection: everything that is sent gets lost.
    if (!isPlugged) return;
    const far = connect({ host: HOST, port: brokerPort, noDelay: true });
    keep(far);
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  // The link judges silence by real time, because its sockets are real.
  const mqtt = createMqttTransport({ clock: systemClock });
  return {
    port,
    transport: {
      connect: (link, listener) => mqtt.connect({ ...link, url: `mqtt://${HOST}:${port}` }, listener),
    },
    get isPlugged() {
      return isPlugged;
    },
    unplug() {
      isPlugged = false;
      cut();
    },
    plugIn() {
      if (isPlugged) return;
      isPlugged = true;
      // Ends tries that get no answer, so that the gateway tries again at once.
      cut();
    },
    slow(ms) {
      delayMs = ms;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      return closed;
    },
  };
}
