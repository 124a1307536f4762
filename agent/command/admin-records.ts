/** Brings admin records of the cloud to products. The next report says what the product answered, and the cloud makes another if it has to. */
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { adminSerialOf } from '../../shared/product-protocol/admin-record.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { type CloudOrderDeps, monotonicDeadlineMs } from './cloud-orders.js';

export interface AdminRecordsDeps extends Pick<CloudOrderDeps, 'clock' | 'cloudOffsetMs' | 'logger'> {
  commander: ProductCommander;
  newEventId(): EventId;
  /** A record was delivered, or could not be: `answer` is what the product itself said of it. */
  onDone(device_id: ProductDeviceId, answer: ProductReport['admin']): void;
}

export interface AdminRecords {
  /** Begins to deliver a record, unless one is under way to the same product. */
  handle(message: AdminMessage): void;
  /** Breaks off what runs, and waits until it ended. */
  close(): Promise<void>;
}

export function createAdminRecords(deps: AdminRecordsDeps): AdminRecords {
  const { commander, clock, logger } = deps;
  const running = new Map<ProductDeviceId, Promise<void>>();
  const closing = new AbortController();

  return {
    handle({ device_id, record: text, deadline_ms }) {
      const record = decodeBase64url(text);
      const deadline_mono_ms = monotonicDeadlineMs(deps, deadline_ms);
      if (record === null || clock.monotonic() >= deadline_mono_ms) {
        logger.warn({ device_id }, 'an admin record came too late or cannot be read');
        return;
      }
      if (running.has(device_id)) return;
      const command = { name: 'admin', record } as const;
      const order = { device_id, event_id: deps.newEventId(), command, deadline_mono_ms };
      const done = commander.execute(order, closing.signal).then((outcome) => {
        running.delete(device_id);
        deps.onDone(device_id, answerOf(record, outcome));
      });
      running.set(device_id, done);
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      await Promise.all(running.values());
    },
  };
}

/** undefined: the product did not answer, or nobody authenticated what it did. */
function answerOf(record: Uint8Array, outcome: CommandOutcome): ProductReport['admin'] {
  const serial = adminSerialOf(record);
  if (outcome.outcome === 'succeeded') return { serial, error_type: null };
  return outcome.authenticated ? { serial, error_type: outcome.type } : undefined;
}
