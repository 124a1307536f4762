/** Displays that take a text and answer what nobody can read: what they were sent is not confirmed, and not refused either. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpDisplayDriver } from '../../../agent/display/http/http-driver.js';
import { createModbusDisplayDriver } from '../../../agent/display/modbus/modbus-driver.js';
import type { DisplayItem } from '../../../shared/gateway-config.js';

let server: Server;
let sockets: Socket[];
/** What the display does with a request that came. */
let answer: (socket: Socket, request: Buffer) => void;

beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (request) => answer(socket, Buffer.from(request)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

async function shown(driver: 'http' | 'modbus', limitMs = 5_000): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const address = driver === 'http' ? `http://127.0.0.1:${port}/show` : `modbus://127.0.0.1:${port}/3?length=2`;
  const item: DisplayItem = {
    id: 1,
    name: 'Sign',
    zone_id: null,
    driver,
    address,
    template: '',
    stale_text: '',
    rules: [],
  };
  const create = { http: createHttpDisplayDriver, modbus: createModbusDisplayDriver }[driver];
  return create()
    .show(item, '5 FREE', AbortSignal.timeout(limitMs))
    .then(
      () => 'shown',
      ({ name, message }: Error) => `${name}: ${message}`,
    );
}

const SENT = /^NotConfirmed: sent, not confirmed: its answer cannot be read \(.+\)$/;

describe('a display over HTTP', () => {
  it.each(['OK\r\n', 'HTTP/1.1 abc\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', '\u0000\u0001\u0002'])(
    'is not confirmed when it answers %j',
    async (said) => {
      answer = (socket) => socket.end(said);
      expect(await shown('http')).toMatch(SENT);
    },
  );

  it('is not confirmed when it ends within its answer', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200', () => socket.destroy());
    expect(await shown('http')).toMatch(SENT);
  });

  it('has not taken it when it closes without an answer, nor when it refuses', async () => {
    answer = (socket) => socket.destroy();
    expect(await shown('http')).toMatch(/^Error: the display cannot be reached: /);
    answer = (socket) => socket.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n');
    expect(await shown('http')).toBe('Error: the display answered 500');
  });
});

describe('a display behind Modbus TCP', () => {
  /** The right answer to a request that writes registers. */
  const right = (request: Buffer): Buffer => {
    const said = Buffer.from(request.subarray(0, 12));
    said.writeUInt16BE(6, 4);
    return said;
  };
  const changed = (change: (said: Buffer) => void) => (request: Buffer) => {
    const said = right(request);
    change(said);
    return said;
  };

  it('shows its text when it answers right', async () => {
    answer = (socket, request) => socket.write(right(request));
    expect(await shown('modbus')).toBe('shown');
  });

  it.each<[name: string, said: (request: Buffer) => Buffer]>([
    ['that numbers its answers by itself', changed((said) => said.writeUInt16BE(said.readUInt16BE(0) + 1, 0))],
    ['whose answer is of another unit', changed((said) => said.writeUInt8(9, 6))],
    ['whose answer is to another function', changed((said) => said.writeUInt8(6, 7))],
    ['that answers noise', () => Buffer.from('OK\r\n')],
  ])('%s is not confirmed', async (_, said) => {
    answer = (socket, request) => socket.write(said(request));
    expect(await shown('modbus', 300)).toMatch(SENT);
  });

  it('has not taken it when it refuses, closes or says nothing', async () => {
    answer = (socket, request) => socket.write(Buffer.concat([request.subarray(0, 4), Buffer.of(0, 3, 3, 0x90, 4)]));
    expect(await shown('modbus')).toMatch(/^Error: Modbus exception 4/);
    answer = (socket) => socket.destroy();
    expect(await shown('modbus')).toBe('Error: the display closed the connection');
    answer = () => {};
    expect(await shown('modbus', 100)).toMatch(/^TimeoutError: /);
  });
});
