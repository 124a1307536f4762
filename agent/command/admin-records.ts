/** Brings admin records of the cloud to products. The cloud sees in the next report what came of one, and makes another if it has to. */
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductCommander } from '../product/product-commander.js';
import { type CloudOrderDeps, monotonicDeadlineMs } from './cloud-orders.js';

export interface AdminRecordsDeps extends Pick<CloudOrderDeps, 'clock' | 'cloudOffsetMs' | 'logger'> {
  commander: ProductCommander;
  newEventId(): EventId;
  /** A record was delivered, or could not be. */
  onDone(): void;
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
      const done = commander.execute(order, closing.signal).then(() => {
        running.delete(device_id);
        deps.onDone();
      });
      running.set(device_id, done);
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      await Promise.all(running.values());
    },
  };
}
