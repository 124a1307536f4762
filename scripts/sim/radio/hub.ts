import { unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createH4Parser } from '../../../agent/product/hci/h4-parser.js';
import { decodeJoin, encodeJoined, encodePower } from '../../../agent/product/hci/hub-codec.js';
import type { VirtualController } from './virtual-controller.js';
import type { VirtualRadio } from './virtual-radio.js';

/** A host that reads so slowly that more than this waits for it is taken off the air. */
const UNREAD_BYTES_MAX = 1 << 20;

export interface Hub {
  /** Stops listening and takes the hosts that came through the hub off the air. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a virtual radio to other processes: listens on the unix socket `path`, where gateways and products join by hub-codec.
 * A process that dies takes its controller with it; its peers notice by the supervision timeout.
 * Rejects when the path cannot be listened on; a socket left by a dead hub is replaced.
 */
export async function serveHub(radio: VirtualRadio, path: string): Promise<Hub> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveHost(radio, socket);
  });
  removeStale(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`The radio's hub cannot listen on ${path}`, { cause })));
    server.listen(path, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serveHost(radio: VirtualRadio, socket: Socket): void {
  const parser = createH4Parser();
  let controller: VirtualController | undefined;

  const send = (packet: Buffer) => {
    socket.write(packet);
    if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
  };
  const receive = (packet: Buffer) => {
    if (controller !== undefined) {
      controller.receive(packet);
      return;
    }
    const identity = decodeJoin(packet);
    if (identity === undefined) throw new Error('The first packet of a host must be JOIN');
    controller = radio.attach(identity, {
      send,
      power: (up) => send(encodePower(up)),
      detached: () => socket.destroy(),
    });
    // This is sent first, so that the host never assumes that an unpowered adapter has power.
    if (!controller.up) send(encodePower(false));
    send(encodeJoined(controller.addressBytes));
  };
  socket.on('data', (chunk) => {
    try {
      for (const packet of parser.push(chunk)) receive(packet);
    } catch {
      // The host sent no H4, or no JOIN: it sees its connection closed.
      socket.destroy();
    }
  });
  // A reset connection closes as well; 'close' removes its controller.
  socket.on('error', () => {});
  socket.once('close', () => {
    if (controller !== undefined) radio.detach(controller);
  });
}

function removeStale(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
