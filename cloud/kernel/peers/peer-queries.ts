/** Reads and writes the cloud processes and their leases. */
import type { Db } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import type { PeersTx } from '../store/peers.js';
import type { Row } from '../store/schema.js';
import type { Lease } from './decide-leases.js';

export async function insertProcess(db: Db, row: Row<'cloud_processes'>): Promise<void> {
  await db.insertInto('cloud_processes').values(row).execute();
}

export async function saveBeat(db: Db, process: Pick<Row<'cloud_processes'>, 'id' | 'is_hearing'>): Promise<void> {
  await db
    .updateTable('cloud_processes')
    .set(({ eb }) => ({ beat: eb('beat', '+', 1), is_hearing: process.is_hearing }))
    .where('id', '=', process.id)
    .execute();
}

export function allProcesses(db: Db): Promise<Row<'cloud_processes'>[]> {
  return db.selectFrom('cloud_processes').selectAll().orderBy('started_at').orderBy('id').execute();
}

export function allLeases(db: Db): Promise<Lease[]> {
  return db.selectFrom('gateway_leases').selectAll().orderBy('part').execute();
}

/** Reads the same when no other process can change it any more in this transaction. */
export async function leasesToChange(tx: PeersTx): Promise<Lease[]> {
  await tx.lock(LOCKS.gatewayLeases);
  return allLeases(tx);
}

export async function saveLeases(db: Db, owner: string, parts: readonly number[]): Promise<void> {
  if (parts.length === 0) return;
  await db
    .insertInto('gateway_leases')
    .values(parts.map((part) => ({ part, owner })))
    .onConflict((conflict) => conflict.column('part').doUpdateSet({ owner }))
    .execute();
}

export async function deleteLeases(db: Db, owner: string, parts: readonly number[]): Promise<void> {
  await db.deleteFrom('gateway_leases').where('owner', '=', owner).where('part', 'in', parts).execute();
}

/** Removes a process and its leases. */
export async function deleteProcess(tx: PeersTx, id: string): Promise<void> {
  await tx.lock(LOCKS.gatewayLeases);
  await tx.deleteFrom('gateway_leases').where('owner', '=', id).execute();
  await tx.deleteFrom('cloud_processes').where('id', '=', id).execute();
}
