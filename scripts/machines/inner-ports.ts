import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds TCP ports of this machine that nobody uses at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  // All are held at once, so that none is found twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
