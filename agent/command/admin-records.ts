/** Brings admin records of the cloud to products. The next report says what the product answered, and the cloud makes another if it has to. */
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { adminSerialOf } from '../../shared/product-protocol/admin-record.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { createSharedAbort } from '../waiting/shared-abort.js';
import { type CloudOrderDeps, monotonicDeadlineMs } from './cloud-orders.js';

export interface AdminRecordsDeps extends Pick<CloudOrderDeps, 'clock' | 'cloudOffsetMs' | 'logger'> {
  commander: ProductCommander;
  newEventId(): EventId;
  /** A record was delivered, or could not be: `answer` is what the product itself said of it. */
  onDone(device_id: ProductDeviceId, answer: ProductReport['admin']): void;
}

export interface AdminRecords {
  /**
   * Delivers a record: at once, or after those that are under way to the same product, in the order in which they came. One that is
   * waiting or under way already is not delivered twice.
   */
  handle(message: AdminMessage): void;
  /** Breaks off what runs, and waits until it ended. */
  close(): Promise<void>;
}

/** The cloud sends a clock, denials and generations, each again after a while: more of them wait at no product. */
const WAITING_MAX = 16;

interface Waiting {
  /** As the cloud sent it. */
  text: string;
  record: Uint8Array;
  deadline_mono_ms: number;
}

export function createAdminRecords(deps: AdminRecordsDeps): AdminRecords {
  const { commander, clock, logger } = deps;
  /** By product: the record that is under way, and those that follow it. */
  const queues = new Map<ProductDeviceId, Waiting[]>();
  const running = new Set<Promise<void>>();
  // Each that is under way at a product listens to it.
  const closing = createSharedAbort();

  const dropped = (device_id: ProductDeviceId) =>
    logger.warn({ device_id }, 'an admin record came too late or cannot be read');

  async function deliver(device_id: ProductDeviceId, queue: Waiting[]): Promise<void> {
    try {
      for (let next = queue[0]; next !== undefined && !closing.signal.aborted; next = queue[0]) {
        const { record, deadline_mono_ms } = next;
        if (clock.monotonic() >= deadline_mono_ms) {
          dropped(device_id);
        } else {
          const command = { name: 'admin', record } as const;
          const order = { device_id, event_id: deps.newEventId(), command, deadline_mono_ms };
          const outcome = await commander.execute(order, closing.signal);
          deps.onDone(device_id, answerOf(record, outcome));
        }
        queue.shift();
      }
    } finally {
      queues.delete(device_id);
    }
  }

  return {
    handle({ device_id, record: text, deadline_ms }) {
      const record = decodeBase64url(text);
      const deadline_mono_ms = monotonicDeadlineMs(deps, deadline_ms);
      if (record === null || clock.monotonic() >= deadline_mono_ms) {
        dropped(device_id);
        return;
      }
      const queue = queues.get(device_id);
      if (queue === undefined) {
        const begun = [{ text, record, deadline_mono_ms }];
        queues.set(device_id, begun);
        const delivering = deliver(device_id, begun).finally(() => running.delete(delivering));
        running.add(delivering);
      } else if (queue.length <= WAITING_MAX && queue.every((waiting) => waiting.text !== text)) {
        queue.push({ text, record, deadline_mono_ms });
      }
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      await Promise.all(running);
    },
  };
}

/** undefined: the product did not answer, or nobody authenticated what it did. */
function answerOf(record: Uint8Array, outcome: CommandOutcome): ProductReport['admin'] {
  const serial = adminSerialOf(record);
  if (outcome.outcome === 'succeeded') return { serial, error_type: null };
  return outcome.authenticated ? { serial, error_type: outcome.type } : undefined;
}
