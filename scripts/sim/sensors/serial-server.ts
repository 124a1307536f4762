/** A serial device server: hands the bytes of its connections to a line, and those of the line to all of them, as they are. */
import { createServer, type Socket } from 'node:net';
import { hostPortOf } from '../../../shared/drivers/host-port.js';
import type { SerialDevice } from './serial-device.js';

/** @param of.path host:port @throws when it cannot listen there */
export async function openSerialServer(
  { path }: { path: string },
  onBytes: (bytes: Buffer) => void,
): Promise<SerialDevice & { accepted(): number }> {
  const at = hostPortOf(path);
  if (at === null || at.port === null) throw new Error('give it as host:port');
  const { host, port } = at;
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', onBytes);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    /** All connections that ever were. */
    accepted: () => accepted,
    write(bytes) {
      for (const socket of sockets) socket.write(bytes);
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}
