/**
 * Holds back what is read of a connection. aedes reads on at each piece that arrives, even while a message waits for its turn, and would
 * read everything into memory that a connection sends. While the gate is closed, aedes gets nothing and the peer has to wait.
 */
import type { Socket } from 'node:net';

export interface ReadGate {
  /** Closes the gate until `open` was called as often. After `open`, the caller lets aedes go on, which then reads again. */
  close(): void;
  open(): void;
  /** Opens the gate, and makes aedes read again, when nothing else makes it go on. */
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
