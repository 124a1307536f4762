/** Counts failed sign-ins, and adds what is to be known of them to the audit log: never more of a user's than a bounded number within an hour. */
import { addressShareKey } from '../../../shared/address-shares.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import { appendAudit, type Row, type Tx } from '../../kernel/entry.js';

/** So many of a user have an entry of their own, from wherever they come. */
const EACH_MAX = 10;
/** From so many networks the first one has an entry. An attacker has as many networks as he likes. */
export const AUDITED_NETWORKS_MAX = 50;

/** Of further ones the 100th, 1000th ... is worth an entry, which sums them up. */
const isSum = (count: number): boolean => /^10*$/.test(String(count));

/**
 * Counts one more.
 * @returns how many there were within the hour, when the audit log has an entry that says so; else null
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
  const network = addressShareKey(address);
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

/** Ends the counts that began before that time; the audit log gets what it does not know of them. */
export async function endFailedSignIns(tx: Tx, { before, now }: { before: number; now: number }): Promise<void> {
  const ended = await tx.deleteFrom('sign_in_failures').where('began_at', '<=', before).returningAll().execute();
  const untold = ended.filter(({ failures_count, audited_count }) => failures_count > audited_count);
  if (untold.length > 0) {
    await appendAudit(
      tx,
      untold.map((row) => entryOf(row, now)),
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
