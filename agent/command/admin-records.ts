/** Delivers admin records of the cloud to products. The next report says what the product answered; the cloud sends another record if it needs to. */
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { adminSerialOf } from '../../shared/product-protocol/admin-record.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { createTasks } from '../waiting/tasks.js';
import { type CloudOrderDeps, monotonicDeadlineMs } from './cloud-orders.js';

interface Delivery {
  commander: ProductCommander;
  newEventId(): EventId;
  /** Called when a delivery ended. @param answer what the product itself said of the record */
  onDone(device_id: ProductDeviceId, answer: ProductReport['admin']): void;
}

export interface AdminRecords {
  /**
   * Delivers a record, after those that came for the same product before it. A record that is already waiting or being delivered is
   * ignored.
   */
  handle(message: AdminMessage): void;
  /** Breaks off what runs, and waits until it ended. */
  close(): Promise<void>;
}

/** How many records may wait for one product. The cloud repeats its records, so that one that found no room comes again. */
const WAITING_MAX = 16;

interface Waiting {
  /** As the cloud sent it. */
  text: string;
  record: Uint8Array;
  deadline_mono_ms: number;
}

export function createAdminRecords(
  deps: Pick<CloudOrderDeps, 'clock' | 'cloudOffsetMs' | 'logger'>,
  { commander, newEventId, onDone }: Delivery,
): AdminRecords {
  const { clock, logger } = deps;
  /** By product: the record that is being delivered, and those that wait behind it. */
  const queues = new Map<ProductDeviceId, Waiting[]>();
  const tasks = createTasks();

  const dropped = (device_id: ProductDeviceId) =>
    logger.warn({ device_id }, 'an admin record came too late or cannot be read');

  async function deliver(device_id: ProductDeviceId, queue: Waiting[]): Promise<void> {
    try {
      for (let next = queue[0]; next !== undefined && !tasks.signal.aborted; next = queue[0]) {
        const { record, deadline_mono_ms } = next;
        if (clock.monotonic() >= deadline_mono_ms) {
          dropped(device_id);
        } else {
          const command = { name: 'admin', record } as const;
          const order = { device_id, event_id: newEventId(), command, deadline_mono_ms };
          const outcome = await commander.execute(order, tasks.signal);
          onDone(device_id, answerOf(record, outcome));
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
        tasks.add(deliver(device_id, begun));
      } else if (queue.length <= WAITING_MAX && queue.every((waiting) => waiting.text !== text)) {
        queue.push({ text, record, deadline_mono_ms });
      }
    },
    close: tasks.close,
  };
}

/** @returns undefined: there is no authenticated answer of the product */
function answerOf(record: Uint8Array, outcome: CommandOutcome): ProductReport['admin'] {
  const serial = adminSerialOf(record);
  if (outcome.outcome === 'succeeded') return { serial, error_type: null };
  return outcome.authenticated ? { serial, error_type: outcome.type } : undefined;
}
