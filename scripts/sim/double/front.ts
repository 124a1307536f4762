/** The listener for integrators: it passes all bytes to the service and back unchanged, unless a fault is set. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Faults } from './faults.js';
import { passConnection, SERVICE_HOST } from './front-connection.js';
import { openTunnel, type Tunnel } from './websocket-tunnel.js';
import { errorText } from '../../../shared/error-text.js';

export interface Front {
  readonly port: number;
  /** Where the service listens on this machine; null: it is not there now. */
  leadTo(port: number | null): void;
  /** Ends realtime connections that are open, as the rules say. */
  applyToConnections(): void;
  close(): Promise<void>;
}

/** @throws when it cannot listen; the message says on which port and why */
export async function openFront(options: { host: string; port: number; faults: Faults }): Promise<Front> {
  const { host, faults } = options;
  let servicePort: number | null = null;
  const clients = new Set<Socket>();
  const tunnels = new Map<Tunnel, { path: string }>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    passConnection({ client, faults, servicePort: () => servicePort, openRealtime });
  });
  function openRealtime(realtime: { client: Socket; head: Buffer; path: string; port: number }): void {
    const { client, head, path, port } = realtime;
    const tunnel = openTunnel({
      client,
      head,
      upstream: { host: SERVICE_HOST, port },
      onOpen() {
        tunnels.set(tunnel, { path });
        closeByRule(tunnel, path);
      },
      onEnd: () => tunnels.delete(tunnel),
    });
  }
  function closeByRule(tunnel: Tunnel, path: string): void {
    const code = faults.ofConnection(path);
    if (code !== null) tunnel.closeWith(code);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE' ? 'the port is taken; stop what uses it, or choose another' : errorText(cause);
      reject(new Error(`cannot listen on ${host}:${options.port}: ${reason}`, { cause }));
    });
    server.listen(options.port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      servicePort = port;
    },
    applyToConnections() {
      for (const [tunnel, { path }] of tunnels) closeByRule(tunnel, path);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}
