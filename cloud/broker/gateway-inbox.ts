/** Hands messages of gateways to the cloud: of one gateway in order and one at a time, of different ones side by side. */
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { UpMessage } from './broker.js';

export interface GatewayInbox {
  /** Settles when the message and all before it of its gateway were taken; never rejects. */
  deliver(message: UpMessage): Promise<void>;
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function createGatewayInbox(logger: Logger): GatewayInbox {
  const listeners = new Set<(message: UpMessage) => Promise<void>>();
  const tails = new Map<GatewayUuid, Promise<void>>();

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
      const tail = (tails.get(uuid) ?? Promise.resolve()).then(() => take(message));
      tails.set(uuid, tail);
      void tail.then(() => {
        if (tails.get(uuid) === tail) tails.delete(uuid);
      });
      return tail;
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async idle() {
      await Promise.all(tails.values());
    },
  };
}
