/** A WebSocket client that can break every rule: bytes on a socket. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const CLOSE = 8;
/** As WebSocket names it (RFC 6455, 7.1.5). */
const CLOSED_WITHOUT_CODE = 1005;

export interface RawWebSocket {
  readonly socket: Socket;
  /** The frames the server has sent since the upgrade. */
  readonly frames: { opcode: number; payload: Buffer }[];
  /** Resolves when a frame of the opcode has come; rejects when the connection ends before. */
  frame(opcode: number): Promise<Buffer>;
  /** The code of the server's closing frame, 1005 for one without a code; null when the connection ended without one. */
  readonly closed: Promise<number | null>;
  send(...bytes: Uint8Array[]): void;
}

/** A frame as a client writes it, or as none should. */
export function clientFrame(
  payload: Uint8Array | string,
  { opcode = 1, final = true, masked = true, reserved = 0, length }: FrameFlaws = {},
): Buffer {
  const bytes = Buffer.from(payload);
  const claimed = length ?? bytes.length;
  const header = [(final ? 0x80 : 0) | (reserved << 4) | opcode];
  const maskBit = masked ? 0x80 : 0;
  if (claimed < 126) header.push(maskBit | claimed);
  else header.push(maskBit | 126, claimed >> 8, claimed & 0xff);
  if (!masked) return Buffer.concat([Buffer.from(header), bytes]);
  const mask = randomBytes(4);
  const hidden = bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from(header), mask, hidden]);
}

interface FrameFlaws {
  opcode?: number;
  final?: boolean;
  masked?: boolean;
  /** The three reserved bits. */
  reserved?: number;
  /** What the header says; more than there is for a frame that never ends. */
  length?: number;
}

/** Connects and upgrades. @param options.token null: it shows none. @param options.cursor the event to resume after */
export async function openRaw(options: { port: number; token: string | null; cursor?: string }): Promise<RawWebSocket> {
  const socket = connect(options.port, '127.0.0.1');
  // A server may cut the connection at any moment.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(upgradeRequest(options.token, options.cursor));
  const frames: RawWebSocket['frames'] = [];
  const waiting = new Set<() => void>();
  let rest = Buffer.alloc(0);
  let upgraded = false;
  let ended = false;
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    if (!upgraded) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      upgraded = true;
      rest = rest.subarray(end + 4);
    }
    rest = drainFrames(rest, frames);
    // Whatever it did before: it does not keep the server waiting at the end.
    if (frames.some(({ opcode }) => opcode === CLOSE)) socket.end();
    wake();
  });
  const closed = new Promise<number | null>((resolve) => {
    socket.once('close', () => {
      ended = true;
      wake();
      const close = frames.find(({ opcode }) => opcode === CLOSE);
      if (close === undefined) resolve(null);
      else resolve(close.payload.length < 2 ? CLOSED_WITHOUT_CODE : close.payload.readUInt16BE(0));
    });
  });
  const until = <T>(what: string, ask: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const answer = ask();
        if (answer === undefined && !ended) return;
        waiting.delete(look);
        if (answer !== undefined) resolve(answer);
        else reject(new Error(`the connection ended before ${what}`));
      };
      waiting.add(look);
      look();
    });
  await until('the upgrade', () => (upgraded ? true : undefined));
  return {
    socket,
    frames,
    closed,
    frame: (opcode) => until(`a frame ${opcode}`, () => frames.find((each) => each.opcode === opcode)?.payload),
    send: (...bytes) => void socket.write(Buffer.concat(bytes)),
  };
}

export function upgradeRequest(token: string | null, cursor?: string): string {
  const lines = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  lines.push(`Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`);
  if (token !== null) lines.push(`Authorization: Bearer ${token}`);
  const query = cursor === undefined ? '' : `?last_event_id=${cursor}`;
  return `GET /v2/realtime${query} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Takes whole frames off the bytes; returns what is left. */
function drainFrames(bytes: Buffer, frames: RawWebSocket['frames']): Buffer<ArrayBuffer> {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const headerBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < headerBytes) break;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (bytes.length - at < headerBytes + length) break;
    const start = at + headerBytes;
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return Buffer.from(bytes.subarray(at));
}
