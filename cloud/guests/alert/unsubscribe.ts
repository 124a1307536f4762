import type { Clock } from '../../../shared/clock.js';
import { appendAudit } from '../../kernel/audit/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { removeReceiver } from './unsubscribe-queries.js';

/** Removes a receiver from an alert at the receiver's own request, and writes it to the audit log. Does nothing when the receiver is gone. */
export function createUnsubscribe({ store, clock }: { store: Pick<CloudStore, 'change'>; clock: Clock }) {
  return (receiver_id: number, address: string): Promise<void> =>
    store.change(async (tx) => {
      const now = clock.now();
      const alert = await removeReceiver(tx, { receiver_id, now });
      if (alert === undefined) return;
      const { id, account_id, lot_id } = alert;
      await appendAudit(tx, [
        {
          account_id,
          lot_id,
          actor_type: 'public',
          actor_id: null,
          action: 'license_plate_alert.unsubscribe',
          target: `license plate alert ${id}, receiver ${receiver_id}`,
          details: { address },
          created_at: now,
        },
      ]);
    });
}
