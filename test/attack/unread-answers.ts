/** An attack: answers that are asked for and never read. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface UnreadAnswers {
  /** Goes away without a word. */
  close(): Promise<void>;
}

/** Sends `count` GETs on connections of their own, and reads nothing. Resolves when all are sent. */
export async function askAndNotRead(options: {
  port: number;
  path: string;
  token?: string;
  count: number;
}): Promise<UnreadAnswers> {
  const { port, path, token, count } = options;
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const sockets: Socket[] = [];
  for (let asked = 0; asked < count; asked++) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${bearer}\r\n`);
    sockets.push(socket);
  }
  return {
    async close() {
      await Promise.all(
        sockets.map((socket) => {
          if (socket.closed) return;
          const closed = once(socket, 'close');
          socket.destroy();
          return closed;
        }),
      );
    },
  };
}
