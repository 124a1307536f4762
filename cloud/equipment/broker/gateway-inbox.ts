/** Passes messages of gateways to the cloud: those of one gateway in order and one at a time, those of different gateways in parallel. */
import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { addGauge, measureWaiting } from '../../kernel/measure/entry.js';
import type { UpMessage } from './broker.js';

export interface InboxLimits {
  /** How much of one gateway may wait: more than a gateway sends before it needs an answer. */
  gatewayBytesMax: number;
  /** How much of all gateways may wait. */
  totalBytesMax: number;
}

export const INBOX_LIMITS: InboxLimits = {
  gatewayBytesMax: 10 * 1024 * 1024,
  totalBytesMax: 256 * 1024 * 1024,
};

export interface GatewayInbox {
  /**
   * Adds the message to those that wait for their turn. Resolves when there is room for the gateway's next one; never rejects.
   * @returns null when so much waits that the message is refused
   */
  deliver(message: UpMessage): Promise<void> | null;
  /** Resolves when there is room for the gateway's next message, which need not be read before; null: there is room now. */
  untilRoom(uuid: GatewayUuid): Promise<void> | null;
  /** Whether `deliver` refuses messages because too many of this gateway wait, and not because too many of all gateways wait. */
  isOverfull(uuid: GatewayUuid): boolean;
  onMessage(listener: (message: UpMessage) => Promise<void>): () => void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** What a message counts in addition to its payload. */
const MESSAGE_OVERHEAD_BYTES = 512;
/** How many times the limits may wait at most: a gateway that connects again and again adds a message each time. */
const OVERFULL = 2;

interface Queue {
  /** Settles when the last message was handled. */
  tail: Promise<void>;
  bytes: number;
}

interface InboxMetrics {
  registry: Registry;
  clock: Pick<Clock, 'monotonic'>;
}

/** @param options.metrics left out: it is not measured */
export function createGatewayInbox(options: {
  logger: Logger;
  limits: InboxLimits;
  metrics?: InboxMetrics | undefined;
}): GatewayInbox {
  const { logger, limits, metrics } = options;
  const listeners = new Set<(message: UpMessage) => Promise<void>>();
  const queues = new Map<GatewayUuid, Queue>();
  let totalBytes = 0;
  const waiting = metrics === undefined ? null : measureInbox(metrics, () => totalBytes);

  const isOverfull = (uuid: GatewayUuid) => (queues.get(uuid)?.bytes ?? 0) > OVERFULL * limits.gatewayBytesMax;

  const isFull = ({ bytes }: Queue) => bytes > limits.gatewayBytesMax || totalBytes > limits.totalBytesMax;

  async function handle(message: UpMessage): Promise<void> {
    const { uuid, channel } = message;
    for (const listener of listeners) {
      await listener(message).catch((error: unknown) =>
        logger.error({ err: error, uuid, channel }, 'message of a gateway was not handled'),
      );
    }
  }

  return {
    deliver(message) {
      const { uuid } = message;
      const bytes = message.payload.byteLength + MESSAGE_OVERHEAD_BYTES;
      const queue = queues.get(uuid) ?? { tail: Promise.resolve(), bytes: 0 };
      if (isOverfull(uuid) || totalBytes > OVERFULL * limits.totalBytesMax) return null;
      queues.set(uuid, queue);
      queue.bytes += bytes;
      totalBytes += bytes;
      const leave = waiting?.enter();
      const handled = queue.tail
        .then(() => handle(message))
        .then(() => {
          leave?.();
          queue.bytes -= bytes;
          totalBytes -= bytes;
          if (queue.tail === handled) queues.delete(uuid);
        });
      queue.tail = handled;
      return isFull(queue) ? handled : Promise.resolve();
    },
    untilRoom(uuid) {
      const queue = queues.get(uuid);
      return queue !== undefined && isFull(queue) ? queue.tail : null;
    },
    isOverfull,
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async idle() {
      await Promise.all([...queues.values()].map(({ tail }) => tail));
    },
  };
}

/** Measures the messages that wait, and their size. */
function measureInbox(metrics: InboxMetrics, totalBytes: () => number): ReturnType<typeof measureWaiting> {
  const waiting = measureWaiting(metrics, {
    name: 'parking_gateway_messages_waiting',
    what: 'Messages of gateways that were heard and are not handled',
  });
  addGauge(metrics.registry, {
    name: 'parking_gateway_messages_waiting_bytes',
    help: 'Messages of gateways that were heard and are not handled: their size',
    read: totalBytes,
  });
  return waiting;
}
