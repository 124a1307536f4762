/** What delivery keeps for a while only. */
import type { Db } from '../store/cloud-store.js';
import { deleteParked, insertDeadLetters, parkedBefore, pruneIngest } from '../store/queries/ingest.js';
import { readParked } from './kept-record-codec.js';

const DAY_MS = 24 * 3_600_000;
/** Longer than any gateway may act alone and still repeat a record of the first day. */
const UIDS_KEPT_MS = 30 * DAY_MS;
const PARKED_KEPT_MS = 7 * DAY_MS;
const FAULTS_KEPT_MS = 90 * DAY_MS;
const PARKED_PER_RUN_MAX = 1_000;

export async function pruneDelivery(tx: Db, now: number): Promise<void> {
  const waitedInVain = await parkedBefore(tx, now - PARKED_KEPT_MS, PARKED_PER_RUN_MAX);
  const letters = waitedInVain.map((row) => {
    const { epoch, lane, record } = readParked(row.record);
    const reason = `waited in vain for ${row.waits_for_uid}`;
    const { gateway_id, uid, record: payload } = row;
    return { gateway_id, epoch, lane, seq: record.seq, uid, reason, payload, created_at: now };
  });
  await insertDeadLetters(tx, letters);
  await deleteParked(tx, waitedInVain);
  await pruneIngest(tx, { uids: now - UIDS_KEPT_MS, deadLetters: now - FAULTS_KEPT_MS, lost: now - FAULTS_KEPT_MS });
}
