/**
 * Holds back what is read of a connection. aedes asks for more at each piece that arrives, also while a message waits for its turn: of a
 * connection that sends on it would read everything into memory. While the gate is closed it gets nothing, and the peer has to wait.
 */
import type { Socket } from 'node:net';

export interface ReadGate {
  /** Closes it until `open` was called as often. Whoever opens it lets aedes go on, which then reads again. */
  close(): void;
  open(): void;
  /** Opens it, and has aedes read again, which nothing else lets go on. */
  resume(): void;
}

export function createReadGate(socket: Socket): ReadGate {
  let closings = 0;
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => (closings > 0 ? null : read(size));
  return {
    close: () => void (closings += 1),
    open: () => void (closings -= 1),
    resume() {
      closings -= 1;
      if (closings === 0 && socket.readableLength > 0) socket.emit('readable');
    },
  };
}
