/** A WebSocket connection that goes through the front unchanged, until a fault ends it between two frames. */
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const CLOSE_FRAME = 0x88;
/** The code of a connection that ended without a closing frame. */
const ABNORMAL = 1006;
/** How long a client may take to answer a closing frame. */
const CLOSE_ANSWER_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');

export interface Tunnel {
  /** Ends the connection with this code, in the name of the service. */
  closeWith(code: number): void;
  /** Cuts both ends. */
  destroy(): void;
}

/**
 * @param options.head the client's request, as it came
 * @param options.onOpen the service has accepted the upgrade
 */
export function openTunnel(options: {
  client: Duplex;
  head: Buffer;
  upstream: { host: string; port: number };
  onOpen(): void;
  onEnd(): void;
}): Tunnel {
  const { client, upstream } = options;
  const service: Socket = connect({ ...upstream, noDelay: true });
  const frames = followFrames();
  let wantedCode: number | null = null;
  let isOpen = false;

  const destroy = () => {
    client.destroy();
    service.destroy();
  };
  const closeNow = (code: number) => {
    client.unpipe(service);
    // Nobody needs the answer to the closing frame.
    client.resume();
    service.removeAllListeners('data');
    service.destroy();
    if (code === ABNORMAL) return client.destroy();
    client.end(Buffer.from([CLOSE_FRAME, 2, code >> 8, code & 0xff]));
    const limit = setTimeout(() => client.destroy(), CLOSE_ANSWER_MS);
    limit.unref();
    client.once('close', () => clearTimeout(limit));
    return undefined;
  };

  service.write(options.head);
  client.pipe(service);
  service.on('data', (chunk: Buffer) => {
    if (!client.write(chunk)) {
      service.pause();
      client.once('drain', () => service.resume());
    }
    frames.push(chunk);
    if (!isOpen && frames.isUpgraded) {
      isOpen = true;
      options.onOpen();
    }
    if (wantedCode !== null && frames.isBetween) closeNow(wantedCode);
  });
  service.on('end', () => client.end());
  service.on('close', () => {
    if (wantedCode === null) client.end();
  });
  service.on('error', () => client.destroy());
  client.on('error', () => service.destroy());
  client.on('close', () => {
    service.destroy();
    options.onEnd();
  });

  return {
    closeWith(code) {
      if (wantedCode !== null) return;
      wantedCode = code;
      if (frames.isBetween) closeNow(code);
    },
    destroy,
  };
}

/** Follows what a service sends: its answer's head, and then frames without masks (RFC 6455, section 5.2). */
function followFrames() {
  let isUpgraded = false;
  let isRefused = false;
  let head = Buffer.alloc(0);
  let payloadLeft = 0;

  /** @returns bytes of the frame's head, and of its payload; null: more has to come */
  function frameOf(bytes: Buffer): { head: number; payload: number } | null {
    if (bytes.length < 2) return null;
    const length = (bytes[1] ?? 0) & 0x7f;
    const size = length === 127 ? 10 : length === 126 ? 4 : 2;
    if (bytes.length < size) return null;
    const payload = length === 127 ? Number(bytes.readBigUInt64BE(2)) : length === 126 ? bytes.readUInt16BE(2) : length;
    return { head: size, payload };
  }

  return {
    get isUpgraded() {
      return isUpgraded;
    },
    /** Whether a frame may be sent now. */
    get isBetween() {
      return isUpgraded && payloadLeft === 0 && head.length === 0;
    },
    push(chunk: Buffer) {
      if (isRefused) return;
      let rest = Buffer.concat([head, chunk]);
      head = Buffer.alloc(0);
      if (!isUpgraded) {
        const end = rest.indexOf(HEAD_END);
        if (end < 0) {
          head = rest;
          return;
        }
        isUpgraded = rest.toString('latin1', 0, 12).endsWith(' 101');
        isRefused = !isUpgraded;
        if (isRefused) return;
        rest = rest.subarray(end + HEAD_END.length);
      }
      while (rest.length > 0) {
        if (payloadLeft === 0) {
          const frame = frameOf(rest);
          if (frame === null) {
            head = rest;
            return;
          }
          rest = rest.subarray(frame.head);
          payloadLeft = frame.payload;
        }
        const used = Math.min(payloadLeft, rest.length);
        payloadLeft -= used;
        rest = rest.subarray(used);
      }
    },
  };
}
