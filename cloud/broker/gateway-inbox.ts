/** Hands messages of gateways to the cloud: of one gateway in order and one at a time, of different ones side by side. */
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { UpMessage } from './broker.js';

export interface InboxLimits {
  /** What may wait of one gateway: more than one sends before it wants an answer. */
  gatewayBytesMax: number;
  /** What may wait of all. */
  totalBytesMax: number;
}

export interface GatewayInbox {
  /** Takes the message in; settles when there is room for the gateway's next one. Never rejects. */
  deliver(message: UpMessage): Promise<void>;
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** So much is counted for a message besides its payload. */
const MESSAGE_OVERHEAD_BYTES = 512;

interface Queue {
  /** Settles when the last message was taken. */
  tail: Promise<void>;
  bytes: number;
}

export function createGatewayInbox({ logger, limits }: { logger: Logger; limits: InboxLimits }): GatewayInbox {
  const listeners = new Set<(message: UpMessage) => Promise<void>>();
  const queues = new Map<GatewayUuid, Queue>();
  let totalBytes = 0;

  async function take(message: UpMessage): Promise<void> {
    const { uuid, channel } = message;
    for (const listener of listeners) {
      await listener(message).catch((error: unknown) =>
        logger.error({ error, uuid, channel }, 'message of a gateway was not taken'),
      );
    }
  }

  return {
    deliver(message) {
      const { uuid } = message;
      const bytes = message.payload.byteLength + MESSAGE_OVERHEAD_BYTES;
      const queue = queues.get(uuid) ?? { tail: Promise.resolve(), bytes: 0 };
      queues.set(uuid, queue);
      queue.bytes += bytes;
      totalBytes += bytes;
      const taken = queue.tail
        .then(() => take(message))
        .then(() => {
          queue.bytes -= bytes;
          totalBytes -= bytes;
          if (queue.tail === taken) queues.delete(uuid);
        });
      queue.tail = taken;
      const isFull = queue.bytes > limits.gatewayBytesMax || totalBytes > limits.totalBytesMax;
      return isFull ? taken : Promise.resolve();
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async idle() {
      await Promise.all([...queues.values()].map(({ tail }) => tail));
    },
  };
}
