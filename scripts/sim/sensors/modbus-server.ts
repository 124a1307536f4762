/** A Modbus TCP server (Modbus Messaging on TCP/IP 1.0b): functions 1 to 4, and what servers in the field do wrong. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import { sleep } from '../../../shared/clock.js';
import { answerTo, EXCEPTION, type ReadRequest, readRequestOf, type ReadValue, refusalOf } from './modbus-answer.js';
import { errorText } from '../../../shared/error-text.js';

const HEADER_BYTES = 7;
const WRITE_ANSWER_BYTES = 12;
const WRITE_REGISTERS = 16;

export interface ModbusFaults {
  /** How late answers come. */
  answerDelayMs: number;
  /** The pause between two bytes of an answer; 0: the answer is sent as a whole. */
  byteGapMs: number;
  /** Answers everything with "Server device busy". */
  isBusy: boolean;
  /** Answers as this unit instead of the requested one. */
  answersAsUnit: number | null;
  /** It numbers its answers by itself: with the numbers from here on. null: as the requests. */
  ownNumber: number | null;
  /** Sends the answer of this unit, which says 0, before its own. */
  foreignFirst: number | null;
  /** Sends its answer to the request before again, before its own. */
  saysAgain: boolean;
  /** How many bytes of an answer are missing at its end, though its header counts them. */
  cutBytes: number;
  /** The last register is left out, and the header says so. */
  isShort: boolean;
  /** Reads requests and says nothing. */
  isMute: boolean;
  /** Says nothing to requests for more registers than this. */
  silentAbove: number;
}

export interface ModbusServerOptions {
  host: string;
  port: number;
  unit: number;
  clock: Clock;
  read: ReadValue;
  /** Takes registers (function 16); left out: nothing can be written. */
  write?(start: number, values: number[]): void;
}

export interface ModbusServer {
  readonly port: number;
  readonly faults: ModbusFaults;
  /** Requests to read received so far. */
  readonly requests: ReadRequest[];
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
    ownNumber: null,
    foreignFirst: null,
    saysAgain: false,
    cutBytes: 0,
    isShort: false,
    isMute: false,
    silentAbove: Infinity,
  };
  const requests: ModbusServer['requests'] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let underway = 0;
  let underwayMax = 0;
  const closing = new AbortController();
  const context: AnswerContext = { ...options, faults, requests, signal: closing.signal };

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
      reject(new Error(`cannot listen on ${options.host}:${options.port}: ${errorText(cause)}`, { cause })),
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
  /** The last answer. */
  said?: Buffer;
}

async function answer(socket: Socket, frame: Buffer, context: AnswerContext): Promise<void> {
  const { faults, clock, signal } = context;
  const whole = answerOf(frame, context);
  const pdu = faults.isShort ? withoutLast(whole) : whole;
  if (faults.answerDelayMs > 0) await sleep(clock, faults.answerDelayMs, signal);
  const asked = readRequestOf(frame.subarray(HEADER_BYTES));
  if (faults.isMute || (asked?.count ?? 0) > faults.silentAbove) return;
  const header = Buffer.from(frame.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(pdu.length + 1, 4);
  if (faults.answersAsUnit !== null) header.writeUInt8(faults.answersAsUnit, 6);
  if (faults.ownNumber !== null) header.writeUInt16BE(faults.ownNumber++ & 0xffff, 0);
  const bytes = Buffer.concat([header, pdu]).subarray(0, HEADER_BYTES + pdu.length - faults.cutBytes);
  if (faults.foreignFirst !== null) {
    const foreign = Buffer.concat([header, pdu.subarray(0, 2), Buffer.alloc(pdu.length - 2)]);
    foreign.writeUInt8(faults.foreignFirst, 6);
    socket.write(foreign);
  }
  if (faults.saysAgain && context.said !== undefined) socket.write(context.said);
  context.said = bytes;
  if (faults.byteGapMs === 0) {
    socket.write(bytes);
    return;
  }
  for (const byte of bytes) {
    socket.write(Buffer.of(byte));
    await sleep(clock, faults.byteGapMs, signal);
  }
}

/** An answer of one register less than was asked for. */
function withoutLast(pdu: Buffer): Buffer {
  const shorter = Buffer.from(pdu.subarray(0, -2));
  shorter.writeUInt8(shorter.length - 2, 1);
  return shorter;
}

/** The protocol data unit of the answer. */
function answerOf(frame: Buffer, { unit, faults, requests, read, write }: AnswerContext): Buffer {
  const code = frame.readUInt8(HEADER_BYTES);
  if (frame.readUInt8(6) !== unit) return refusalOf(code, EXCEPTION.targetFailed);
  if (code === WRITE_REGISTERS && write !== undefined) {
    const values = Array.from({ length: frame.readUInt16BE(10) }, (_, index) => frame.readUInt16BE(13 + index * 2));
    write(frame.readUInt16BE(8), values);
    return frame.subarray(HEADER_BYTES, WRITE_ANSWER_BYTES);
  }
  const request = readRequestOf(frame.subarray(HEADER_BYTES));
  if (request === null) return refusalOf(code, EXCEPTION.illegalFunction);
  requests.push(request);
  return faults.isBusy ? refusalOf(code, EXCEPTION.busy) : answerTo(request, read);
}
