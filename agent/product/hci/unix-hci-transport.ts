import { connect } from 'node:net';
import { createH4Parser } from './h4-parser.js';
import type { HciTransport } from './hci-transport.js';
import { decodePower, encodeJoin, isJoined, type RadioIdentity } from './hub-codec.js';
import { createPacketPacer } from './packet-pacer.js';

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
    const socket = connect({ path });
    const parser = createH4Parser();
    const listeners = new Set<(packet: Buffer) => void>();
    const pacer = createPacketPacer((packet) => {
      for (const listener of listeners) listener(packet);
    });
    let up = true;
    let lastError: Error | undefined;

    const closed = new Promise<void>((settle) => {
      socket.once('close', () => {
        up = false;
        pacer.stop();
        settle();
        const why = lastError?.message ?? 'the hub closed the connection before it answered';
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
      onPacket(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      close: () => void socket.destroy(),
    };

    const receive = (packet: Buffer) => {
      const power = decodePower(packet);
      if (power !== undefined) up = power;
      else if (isJoined(packet)) {
        socket.setTimeout(0);
        resolve(transport);
      } else pacer.push(packet);
    };
    socket.setTimeout(joinTimeoutMs, () => socket.destroy(new Error(`no answer within ${joinTimeoutMs} ms`)));
    socket.on('error', (error) => {
      lastError = error;
    });
    socket.on('data', (chunk) => {
      try {
        for (const packet of parser.push(chunk)) receive(packet);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.write(encodeJoin(identity));
  });
}
