/** Delivers admin records of the cloud to products. The next report says what the product answered; the cloud sends another record if it needs to. */
import { sleep } from '../../shared/clock.js';
import { createSemaphore, QueueFullError } from '../../shared/flow/semaphore.js';
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { isUndelivered } from '../../shared/gateway-error-types.js';
import { adminSerialOf } from '../../shared/product-protocol/admin-record.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { CommandOutcome, ProductCommander } from '../product/product-commander.js';
import { createTasks } from '../waiting/tasks.js';
import { type CloudOrderDeps, monotonicDeadlineMs } from './cloud-orders.js';

interface Delivery {
  commander: ProductCommander;
  newEventId(): EventId;
  /** Called when a delivery ended. @param answer what the product itself said of the record, or that it was not reached */
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

/** A product that was not reached may have been with somebody else, or its advertisement was missed: it is tried again soon, and rarely. */
const TRIES = 2;
const TRY_AGAIN_MS = 2_000;

/** How many records may wait for one product. The cloud repeats its records, so that one that found no room comes again. */
const WAITING_MAX = 16;

export function createAdminRecords(
  deps: Pick<CloudOrderDeps, 'clock' | 'cloudOffsetMs' | 'logger'>,
  { commander, newEventId, onDone }: Delivery,
): AdminRecords {
  const { clock, logger } = deps;
  const turns = createSemaphore({
    name: 'admin records',
    permits: Number.POSITIVE_INFINITY,
    permitsPerOwner: 1,
    waitingMax: Number.POSITIVE_INFINITY,
    waitingPerOwnerMax: WAITING_MAX,
  });
  /** The records that are being delivered or wait. */
  const known = new Set<string>();
  const tasks = createTasks();

  const dropped = (device_id: ProductDeviceId) =>
    logger.warn({ device_id }, 'an admin record came too late or cannot be read');

  async function deliver(device_id: ProductDeviceId, record: Uint8Array, deadline_mono_ms: number): Promise<void> {
    if (clock.monotonic() >= deadline_mono_ms) {
      dropped(device_id);
      return;
    }
    const command = { name: 'admin', record } as const;
    const order = { device_id, event_id: newEventId(), command, deadline_mono_ms };
    let outcome = await commander.execute(order, tasks.signal);
    for (let tries = 1; tries < TRIES && isUnreached(outcome); tries += 1) {
      await sleep(clock, TRY_AGAIN_MS, tasks.signal);
      if (clock.monotonic() >= deadline_mono_ms) break;
      outcome = await commander.execute(order, tasks.signal);
    }
    onDone(device_id, answerOf(record, outcome));
  }

  return {
    handle({ device_id, record: text, deadline_ms }) {
      const record = decodeBase64url(text);
      const deadline_mono_ms = monotonicDeadlineMs(deps, deadline_ms);
      if (record === null || clock.monotonic() >= deadline_mono_ms) {
        dropped(device_id);
        return;
      }
      const name = `${device_id} ${text}`;
      if (known.has(name)) return;
      known.add(name);
      const delivered = turns.run(device_id, () => deliver(device_id, record, deadline_mono_ms), tasks.signal);
      const ended = delivered.catch((error: unknown) => {
        if (!(error instanceof QueueFullError) && !tasks.signal.aborted) throw error;
      });
      tasks.add(ended.finally(() => known.delete(name)));
    },
    close: tasks.close,
  };
}

const isUnreached = (outcome: CommandOutcome): boolean =>
  outcome.outcome === 'failed' && !outcome.authenticated && isUndelivered(outcome.type);

/** @returns undefined: there is no authenticated answer of the product, and perhaps it was reached */
function answerOf(record: Uint8Array, outcome: CommandOutcome): ProductReport['admin'] {
  const serial = adminSerialOf(record);
  if (outcome.outcome === 'succeeded') return { serial, error_type: null };
  return outcome.authenticated || isUnreached(outcome) ? { serial, error_type: outcome.type } : undefined;
}
