import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the TCP ports that systems assign by themselves (Linux: from 32768 on), and apart for each worker of the tests. */
const PORTS_FROM = 20_000;
const PORTS_OF_WORKER = 2_000;
const WORKERS_APART = 6;
let lastPort = randomInt(PORTS_OF_WORKER);

/** Finds TCP ports that nobody uses at this moment, and that no other caller of this function is given soon. */
export async function freePorts(count: number): Promise<number[]> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS_APART;
  const ports: number[] = [];
  while (ports.length < count) {
    lastPort = (lastPort + 1) % PORTS_OF_WORKER;
    const port = PORTS_FROM + worker * PORTS_OF_WORKER + lastPort;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
