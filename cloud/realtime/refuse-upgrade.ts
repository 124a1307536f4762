import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../../shared/errors.js';

/** Answers an upgrade request with the error envelope, before there is a WebSocket, and ends the connection. */
export function refuseUpgrade(socket: Duplex, error: ApiError, headers: Record<string, string> = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(error.envelope());
  const lines = Object.entries({
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`;
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`);
}
