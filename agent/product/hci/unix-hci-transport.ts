import { connect } from 'node:net';
import { createListeners } from '../../waiting/listeners.js';
import { createH4Parser } from './h4-parser.js';
import type { HciTransport } from './hci-transport.js';
import { decodePower, encodeJoin, isJoined, type RadioIdentity } from './hub-codec.js';
import { createPacketPacer } from './packet-pacer.js';
import { errorText } from '../../../shared/error-text.js';

const READ_BYTES = 65_536;

export interface UnixHciOptions {
  /** Path of the hub's unix socket. */
  path: string;
  identity: RadioIdentity;
  joinTimeoutMs?: number;
}

/**
 * Joins the hub of an emulated radio as one controller.
 * Rejects when nobody listens there, or when the hub refuses the identity.
 */
export function openUnixHciTransport(options: UnixHciOptions): Promise<HciTransport> {
  const { path, identity, joinTimeoutMs = 5_000 } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({
      path,
      // There are thousands of small reads a second, and a new buffer for each would cost more than its content.
      onread: {
        buffer: Buffer.alloc(READ_BYTES),
        callback(bytes, buffer) {
          receiveChunk(Buffer.from(buffer.subarray(0, bytes)));
          return true;
        },
      },
    });
    const parser = createH4Parser();
    const packets = createListeners<Buffer>();
    const pacer = createPacketPacer(packets.notify);
    let up = true;
    let lastError: Error | undefined;

    const closed = new Promise<void>((settle) => {
      socket.once('close', () => {
        up = false;
        pacer.stop();
        settle();
        const why = lastError === undefined ? 'the hub closed the connection before it answered' : errorText(lastError);
        reject(
          new Error(`Cannot join the emulated radio at ${path}: ${why}. Is its hub running?`, { cause: lastError }),
        );
      });
    });
    const transport: HciTransport = {
      get up() {
        return up;
      },
      closed,
      write(packet) {
        if (up && socket.writable) socket.write(packet);
      },
      onPacket: packets.add,
      close: () => void socket.destroy(),
    };

    const receive = (packet: Buffer, isAlone: boolean) => {
      const power = decodePower(packet);
      if (power !== undefined) up = power;
      else if (isJoined(packet)) {
        socket.setTimeout(0);
        resolve(transport);
      } else if (isAlone) pacer.pushAlone(packet);
      else pacer.push(packet);
    };
    const receiveChunk = (chunk: Buffer) => {
      let parsed: Buffer[];
      try {
        parsed = parser.push(chunk);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      for (const packet of parsed) receive(packet, parsed.length === 1);
    };
    socket.setTimeout(joinTimeoutMs, () => socket.destroy(new Error(`no answer within ${joinTimeoutMs} ms`)));
    socket.on('error', (error) => {
      lastError = error;
    });
    socket.write(encodeJoin(identity));
  });
}
