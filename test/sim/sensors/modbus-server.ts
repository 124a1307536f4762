/** A Modbus TCP server (Modbus Messaging on TCP/IP 1.0b): functions 1 to 4, and what servers in the field do wrong. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import { sleep } from '../../../shared/clock.js';

const HEADER_BYTES = 7;
const READ_REQUEST_BYTES = 12;
const WRITE_REGISTERS = 16;
const ILLEGAL_FUNCTION = 1;
const ILLEGAL_ADDRESS = 2;
const BUSY = 6;
const TARGET_FAILED = 11;

export interface ModbusFaults {
  /** How late answers come. */
  answerDelayMs: number;
  /** The pause between two bytes of an answer; 0: the answer is sent as a whole. */
  byteGapMs: number;
  /** Answers everything with "Server device busy". */
  isBusy: boolean;
  /** Answers as this unit instead of the requested one. */
  answersAsUnit: number | null;
  /** Reads requests and says nothing. */
  isMute: boolean;
}

export interface ModbusServerOptions {
  host: string;
  port: number;
  unit: number;
  clock: Clock;
  /** The register or bit (0, 1) at an address, or why it cannot be read. */
  read(code: number, address: number): number | { exception: number };
  /** Takes registers (function 16); left out: nothing can be written. */
  write?(start: number, values: number[]): void;
}

export interface ModbusServer {
  readonly port: number;
  readonly faults: ModbusFaults;
  /** Requests received so far: function, first address, how many. */
  readonly requests: { code: number; start: number; count: number }[];
  /** Connections open now, and all that ever were. */
  connections(): number;
  accepted(): number;
  /** The largest number of requests that waited for their answers at once. */
  underwayMax(): number;
  /** Ends every connection, as a restarted server does. */
  hangUp(): void;
  close(): Promise<void>;
}

export async function serveModbus(options: ModbusServerOptions): Promise<ModbusServer> {
  const faults: ModbusFaults = {
    answerDelayMs: 0,
    byteGapMs: 0,
    isBusy: false,
    answersAsUnit: null,
    isMute: false,
  };
  const requests: ModbusServer['requests'] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let underway = 0;
  let underwayMax = 0;
  const closing = new AbortController();
  const context = { ...options, faults, requests, signal: closing.signal };

  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let waiting: Buffer = Buffer.alloc(0);
    let answered = Promise.resolve();
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= HEADER_BYTES && waiting.length >= 6 + waiting.readUInt16BE(4)) {
        const frame = waiting.subarray(0, 6 + waiting.readUInt16BE(4));
        waiting = waiting.subarray(frame.length);
        underway += 1;
        underwayMax = Math.max(underwayMax, underway);
        answered = answered
          .then(() => answer(socket, frame, context))
          .catch(() => void socket.destroy())
          .finally(() => (underway -= 1));
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`cannot listen on ${options.host}:${options.port}: ${cause.message}`, { cause })),
    );
    server.listen(options.port, options.host, resolve);
  });
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    faults,
    requests,
    connections: () => sockets.size,
    accepted: () => accepted,
    underwayMax: () => underwayMax,
    hangUp,
    close() {
      closing.abort(new Error('the Modbus server is closed'));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      hangUp();
      return closed;
    },
  };
}

interface AnswerContext extends ModbusServerOptions, Pick<ModbusServer, 'faults' | 'requests'> {
  signal: AbortSignal;
}

async function answer(socket: Socket, frame: Buffer, context: AnswerContext): Promise<void> {
  const { faults, clock, signal } = context;
  const pdu = answerTo(frame, context);
  if (faults.answerDelayMs > 0) await sleep(clock, faults.answerDelayMs, signal);
  if (faults.isMute) return;
  const header = Buffer.from(frame.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(pdu.length + 1, 4);
  if (faults.answersAsUnit !== null) header.writeUInt8(faults.answersAsUnit, 6);
  const bytes = Buffer.concat([header, pdu]);
  if (faults.byteGapMs === 0) {
    socket.write(bytes);
    return;
  }
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    await sleep(clock, faults.byteGapMs, signal);
  }
}

/** The protocol data unit of the answer. */
function answerTo(frame: Buffer, { unit, faults, requests, read, write }: AnswerContext): Buffer {
  const code = frame.readUInt8(HEADER_BYTES);
  const refuse = (exception: number) => Buffer.of(code | 0x80, exception);
  if (frame.readUInt8(6) !== unit) return refuse(TARGET_FAILED);
  if (code === WRITE_REGISTERS && write !== undefined) {
    const values = Array.from({ length: frame.readUInt16BE(10) }, (_, index) => frame.readUInt16BE(13 + index * 2));
    write(frame.readUInt16BE(8), values);
    return frame.subarray(HEADER_BYTES, READ_REQUEST_BYTES);
  }
  if (code < 1 || code > 4 || frame.length !== READ_REQUEST_BYTES) return refuse(ILLEGAL_FUNCTION);
  const start = frame.readUInt16BE(8);
  const count = frame.readUInt16BE(10);
  requests.push({ code, start, count });
  if (faults.isBusy) return refuse(BUSY);
  if (start + count > 65_536) return refuse(ILLEGAL_ADDRESS);
  const values: number[] = [];
  for (let address = start; address < start + count; address++) {
    const value = read(code, address);
    if (typeof value !== 'number') return refuse(value.exception);
    values.push(value);
  }
  const data = code <= 2 ? bitsOf(values) : Buffer.concat(values.map(registerOf));
  return Buffer.concat([Buffer.of(code, data.length), data]);
}

function bitsOf(values: number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  values.forEach((value, index) => {
    const at = index >> 3;
    if (value !== 0) bytes[at] = (bytes[at] ?? 0) | (1 << (index & 7));
  });
  return bytes;
}

function registerOf(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
