/** Stands between a client and a cloud as a network does: it can lose answers, and cut connections. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy {
  readonly base: string;
  /** Cuts the connections of as many answers as this, when they have begun to come back. */
  loseAnswers(count: number): void;
  /** Cuts every connection there is. */
  cut(): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let answersToLose = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (answersToLose === 0) {
        client.write(data);
        return;
      }
      answersToLose -= 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswers(count) {
      answersToLose = count;
    },
    cut,
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
