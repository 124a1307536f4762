/** An address that leads to a server: as a network does it can be slow or silent, and it can lead to another server. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpRelay {
  readonly port: number;
  /** Cuts all connections; new ones are led to another server. */
  leadTo(port: number): void;
  /** The same for new connections; those that there are stay where they are. */
  leadNewTo(port: number): void;
  /** Nothing passes any more, in either direction, and nobody hears why. */
  silence(): void;
  /** What waited passes, and what comes. */
  resume(): void;
  /** Each piece arrives so much later, in both directions. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startTcpRelay(target: number): Promise<TcpRelay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let leadsTo = target;
  let delayMs = 0;
  let isSilent = false;
  /** What was held back in the silence. */
  const waiting: (() => void)[] = [];

  const pass = (to: Socket, data: Buffer) => {
    const send = () => void (to.writable && to.write(data));
    if (isSilent) waiting.push(send);
    else if (delayMs > 0) setTimeout(send, delayMs);
    else send();
  };
  const server = createServer((client) => {
    const pair = [client, connect(leadsTo, '127.0.0.1')] as const;
    pairs.add(pair);
    for (const [socket, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
      socket.setNoDelay(true);
      socket.on('data', (data) => pass(other, data));
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      leadsTo = port;
      cut();
    },
    leadNewTo(port) {
      leadsTo = port;
    },
    silence() {
      isSilent = true;
    },
    resume() {
      isSilent = false;
      for (const send of waiting.splice(0)) send();
    },
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
