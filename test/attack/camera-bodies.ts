/** Attack: pushes with large bodies, all at once, over connections of their own; each stops before its last byte until it is let go on. */
import { connect, type Socket } from 'node:net';

export interface CameraBodies {
  /** The status of each answer that came so far, in no order. */
  statuses(): number[];
  /** How many connections the gateway has ended. */
  ended(): number;
  /** Sends the last byte of each body. */
  finish(): void;
  close(): void;
}

/** @param options.isChunked the length is not declared @param options.sent how much of each is sent; left out: all but the last byte */
export function sendCameraBodies(options: {
  port: number;
  path: string;
  count: number;
  bytes: number;
  isChunked?: boolean;
  sent?: number;
}): CameraBodies {
  const { port, path, count, bytes, isChunked = false, sent = bytes - 1 } = options;
  const almost = Buffer.alloc(sent, 'x');
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/xml\r\n${length}\r\n\r\n`;
  const answers: string[] = [];
  const sockets: Socket[] = Array.from({ length: count }, (_, index) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('data', (chunk) => (answers[index] = (answers[index] ?? '') + chunk.toString('latin1')));
    socket.write(isChunked ? `${head}${almost.length.toString(16)}\r\n` : head);
    socket.write(almost);
    return socket;
  });
  return {
    statuses: () => answers.flatMap((text) => (/^HTTP\/1\.1 (\d+) /.exec(text) ?? []).slice(1).map(Number)),
    ended: () => sockets.filter(({ destroyed }) => destroyed).length,
    finish() {
      for (const socket of sockets) if (!socket.destroyed) socket.write(isChunked ? '\r\n0\r\n\r\n' : 'x');
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
