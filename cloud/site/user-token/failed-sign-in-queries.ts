/** Counts failed sign-ins, and writes a selection of them to the audit log: a bounded number for each user within an hour. */
import { addressNetwork } from '../../../shared/address-seats.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import { appendAudit } from '../../kernel/audit/entry.js';
import type { Row, Tx } from '../../kernel/store/entry.js';

/** The first failures of a user each have their own audit entry, whatever network they come from. */
const EACH_MAX = 10;
/**
 * For this many networks, the first failure has its own audit entry. The number is bounded because an attacker may use any number of
 * networks.
 */
export const AUDITED_NETWORKS_MAX = 50;

/** Whether a failure beyond these has an audit entry, which states the total: the 100th, 1000th and so on. */
const isSum = (count: number): boolean => /^10*$/.test(String(count));

/**
 * Counts one more failure.
 * @returns the number of failures within the hour if an audit entry was written for this one; otherwise null
 */
export async function countFailedSignIn(
  tx: Tx,
  failed: { account_user_id: number; account_id: number; address: string; now: number },
): Promise<number | null> {
  const { account_user_id, account_id, address, now } = failed;
  const row = await tx
    .insertInto('sign_in_failures')
    .values({
      account_user_id,
      account_id,
      address,
      began_at: now,
      failures_count: 1,
      audited_count: 0,
      audited_networks: encodeJson<string[]>([]),
    })
    .onConflict((known) =>
      known.column('account_user_id').doUpdateSet(({ eb, ref }) => ({
        address,
        failures_count: eb(ref('sign_in_failures.failures_count'), '+', 1),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  const { failures_count } = row;
  const networks = decodeJson(row.audited_networks);
  const network = addressNetwork(address);
  const isNew = networks.length < AUDITED_NETWORKS_MAX && !networks.includes(network);
  if (failures_count > EACH_MAX && !isNew && !isSum(failures_count)) return null;
  await tx
    .updateTable('sign_in_failures')
    .set({
      audited_count: failures_count,
      audited_networks: encodeJson(isNew ? [...networks, network] : networks),
    })
    .where('account_user_id', '=', account_user_id)
    .execute();
  await appendAudit(tx, [entryOf(row, now)]);
  return failures_count;
}

/** Ends the counts that began before this time. A count that has grown since its last audit entry gets a final one. */
export async function endFailedSignIns(tx: Tx, { before, now }: { before: number; now: number }): Promise<void> {
  const ended = await tx.deleteFrom('sign_in_failures').where('began_at', '<=', before).returningAll().execute();
  const unaudited = ended.filter(({ failures_count, audited_count }) => failures_count > audited_count);
  if (unaudited.length > 0) {
    await appendAudit(
      tx,
      unaudited.map((row) => entryOf(row, now)),
    );
  }
}

function entryOf(row: Row<'sign_in_failures'>, created_at: number) {
  const { account_id, account_user_id, address, failures_count, began_at } = row;
  return {
    account_id,
    actor_type: 'public' as const,
    actor_id: null,
    action: 'auth.login_failed',
    target: `account user ${account_user_id}`,
    details: { address, failures_count, since: new Date(began_at).toISOString() },
    created_at,
  };
}
