/** Removes receivers of alerts who follow the unsubscribe link of a mail. */
import type { Tx } from '../../kernel/store/entry.js';

/** Removes a receiver from its alert. @returns the alert; undefined when the receiver was removed already */
export async function removeReceiver(
  tx: Tx,
  { receiver_id, now }: { receiver_id: number; now: number },
): Promise<{ id: number; account_id: number; lot_id: number | null } | undefined> {
  const removed = await tx
    .deleteFrom('alert_receivers')
    .where('id', '=', receiver_id)
    .returning('license_plate_alert_id')
    .executeTakeFirst();
  if (removed === undefined) return undefined;
  const id = removed.license_plate_alert_id;
  await tx.updateTable('license_plate_alerts').set({ updated_at: now }).where('id', '=', id).execute();
  return tx
    .selectFrom('license_plate_alerts')
    .leftJoin('zones', 'zones.id', 'license_plate_alerts.zone_id')
    .select(['license_plate_alerts.id', 'license_plate_alerts.account_id', 'zones.lot_id'])
    .where('license_plate_alerts.id', '=', id)
    .executeTakeFirst();
}
