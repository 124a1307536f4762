/** Stores the networks from which users have signed in. */
import type { Db, Tx } from '../../kernel/store/entry.js';

/** How many networks are kept for a user. */
const NETWORKS_MAX = 10;

/**
 * Finds which of the users with a mail address have signed in from a network. Users with the same mail address, in different accounts, have
 * separate networks.
 * @param wanted.email lower case, as stored
 * @param wanted.since wall milliseconds; earlier sign-ins are ignored
 * @returns the ids of the users
 */
export async function findUsersSignedInFrom(
  db: Db,
  wanted: { email: string; network: string; since: number },
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('account_users as user')
    .innerJoin('sign_in_networks as known', 'known.account_user_id', 'user.id')
    .select('user.id')
    .where('user.email', '=', wanted.email)
    .where('known.network', '=', wanted.network)
    .where('known.used_at', '>=', wanted.since)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Adds the network to the networks of the user, of which only the latest are kept. Call it under `LOCKS.userTokens`. */
export async function noteSignInNetwork(
  tx: Tx,
  { account_user_id, network, used_at }: { account_user_id: number; network: string; used_at: number },
): Promise<void> {
  await tx
    .insertInto('sign_in_networks')
    .values({ account_user_id, network, used_at })
    .onConflict((known) => known.columns(['account_user_id', 'network']).doUpdateSet({ used_at }))
    .execute();
  const ofUser = tx.selectFrom('sign_in_networks').where('account_user_id', '=', account_user_id);
  const latest = await ofUser
    .select('network')
    .orderBy('used_at', 'desc')
    .orderBy('network')
    .limit(NETWORKS_MAX)
    .execute();
  await tx
    .deleteFrom('sign_in_networks')
    .where('account_user_id', '=', account_user_id)
    .where(
      'network',
      'not in',
      latest.map((row) => row.network),
    )
    .execute();
}

export async function deleteSignInNetworksBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('sign_in_networks').where('used_at', '<', time).execute();
}
