/** Attack: sockets to a gateway's listener that say nothing, or the beginning of a request and no more. */
import { connect, type Socket } from 'node:net';

export interface IdleSockets {
  /** How many are still open. */
  open(): number;
  close(): void;
}

/**
 * Opens them one after another, each after the connection of the one before.
 * @param options.from the address of this machine that they come from; any of 127.0.0.0/8
 * @param options.says what each sends at once
 */
export async function openIdleCameraSockets(options: {
  port: number;
  count: number;
  from?: string;
  says?: string;
}): Promise<IdleSockets> {
  const { port, count, from = '127.0.0.1', says = '' } = options;
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => {});
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
    if (says !== '') socket.write(says);
    socket.resume();
  }
  return {
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
