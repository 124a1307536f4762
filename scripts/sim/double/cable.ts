/** The network cable of a gateway: what it and its broker send goes through, until somebody pulls it out. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface Cable {
  /** Where the gateway connects to. */
  readonly port: number;
  readonly isPlugged: boolean;
  /** Cuts what is connected without a goodbye; nothing answers until it is plugged in again. */
  unplug(): void;
  plugIn(): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** @param brokerPort where it leads, on this machine */
export async function layCable(brokerPort: number): Promise<Cable> {
  const sockets = new Set<Socket>();
  let isPlugged = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ noDelay: true }, (near) => {
    keep(near);
    // A cable that is out does not refuse: what is sent gets lost.
    if (!isPlugged) return;
    const far = connect({ host: HOST, port: brokerPort, noDelay: true });
    keep(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
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
      // Who tried in vain tries again at once.
      cut();
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      return closed;
    },
  };
}
