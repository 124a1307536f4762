/** Delivers packets in their order, each in a macrotask of its own, as a kernel's socket does (see HciTransport.onPacket). */
export interface PacketPacer {
  push(packet: Buffer): void;
  /** For a packet that is the only one of its macrotask: where none waits before it, it is delivered at once. */
  pushAlone(packet: Buffer): void;
  /** Drops the packets that were not delivered yet. */
  stop(): void;
}

export function createPacketPacer(deliver: (packet: Buffer) => void): PacketPacer {
  const waiting: Buffer[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  const deliverNext = () => {
    scheduled = undefined;
    const packet = waiting.shift();
    if (packet === undefined) return;
    if (waiting.length > 0) scheduled = setImmediate(deliverNext);
    deliver(packet);
  };
  const push = (packet: Buffer) => {
    waiting.push(packet);
    scheduled ??= setImmediate(deliverNext);
  };
  return {
    push,
    pushAlone(packet) {
      if (scheduled === undefined) deliver(packet);
      else push(packet);
    },
    stop() {
      waiting.length = 0;
      clearImmediate(scheduled);
      scheduled = undefined;
    },
  };
}
