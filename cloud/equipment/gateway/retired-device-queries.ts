/** Keeps which devices are gateways no more: each is told when it asks (`standing.ts`). */
import type { StandingEnded } from '../../../shared/gateway-standing.js';
import type { Db, Row, Tx } from '../../kernel/store/entry.js';

export type RetiredDevice = Row<'retired_devices'>;

/** Of an account. Who claims and resets without end forgets the oldest, whose credentials open nothing in any case. */
export const RETIRED_KEPT = 1_000;

/** Notes that the device of a gateway is that no more; a gateway without one has none to note. */
export async function retireDevice(
  tx: Tx,
  { id, account_id, lot_id, uuid, public_key }: Row<'gateways'>,
  { why, now }: { why: StandingEnded; now: number },
): Promise<void> {
  if (public_key === null || uuid === null) return;
  const device = { account_id, gateway_id: id, lot_id, uuid, public_key, why, retired_at: now };
  await tx
    .insertInto('retired_devices')
    .values({ ...device, told_at: null, waiting: null })
    .execute();
  await forgetOldest(tx, account_id);
}

async function forgetOldest(tx: Tx, account_id: number): Promise<void> {
  const beyond = await tx
    .selectFrom('retired_devices')
    .select('id')
    .where('account_id', '=', account_id)
    .orderBy('id', 'desc')
    .offset(RETIRED_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (beyond === undefined) return;
  await tx.deleteFrom('retired_devices').where('account_id', '=', account_id).where('id', '<=', beyond.id).execute();
}

/** A device that is claimed again is a gateway again. */
export async function forgetRetired(tx: Tx, public_key: string): Promise<void> {
  await tx.deleteFrom('retired_devices').where('public_key', '=', public_key).execute();
}

/** Finds how a device with this key and this uuid ended, the latest time. */
export function findRetired(
  db: Db,
  { uuid, public_key }: { uuid: string; public_key: string },
): Promise<RetiredDevice | undefined> {
  return db
    .selectFrom('retired_devices')
    .selectAll()
    .where('public_key', '=', public_key)
    .where('uuid', '=', uuid)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** For how many days gateways of the lot may act alone; null: it was deleted. */
export async function findAutonomyDays(db: Db, lot_id: number | null): Promise<number | null> {
  if (lot_id === null) return null;
  const lot = await db.selectFrom('lots').select('autonomy_days').where('id', '=', lot_id).executeTakeFirst();
  return lot?.autonomy_days ?? null;
}

export async function saveRetiredNotice(
  tx: Tx,
  device: { id: number; told_at: number; waiting: number },
): Promise<void> {
  const { id, ...set } = device;
  await tx.updateTable('retired_devices').set(set).where('id', '=', id).execute();
}
