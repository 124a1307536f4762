import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the TCP ports that systems assign by themselves (Linux: from 32768 on). */
const PORTS_FROM = 20_000;
const PORTS = 12_000;
/** More than any test uses at a time. */
const HELD_MAX = 1_024;
const HOST = '127.0.0.1';

/** The UDP sockets that hold the numbers, the oldest first. The system frees them when the process ends, however it ends. */
const held: Socket[] = [];
let last = randomInt(PORTS);

/**
 * Finds TCP ports that no program uses now. Each number is held by a UDP socket of this process, so that no other process of the tests
 * is given it, until this process has taken `HELD_MAX` further ones or ends.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    last = (last + 1) % PORTS;
    const port = PORTS_FROM + last;
    if ((await hold(port)) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

/** @returns false when another process holds the number, or this one does */
async function hold(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: HOST, exclusive: true });
  try {
    await once(socket, 'listening');
  } catch {
    socket.close();
    return false;
  }
  socket.unref();
  held.push(socket);
  if (held.length > HELD_MAX) held.shift()?.close();
  return true;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
