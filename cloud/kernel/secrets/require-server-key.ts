/** Looks whether this cloud has the server key with which the database's secrets were sealed. */
import type { Clock } from '../../../shared/clock.js';
import { SettingsError } from '../../../shared/settings.js';
import type { CloudStore } from '../store/cloud-store.js';
import type { Secrets } from './secrets.js';
import { findServerKeyCheck, insertServerKeyCheck } from './server-key-queries.js';

const OTHER_KEY =
  'The database belongs to a cloud with another server key: with this one its secrets cannot be opened. Copy server-keys.json from the DATA_DIR of that cloud, or from its backup, into this DATA_DIR; where SERVER_KEY is set, set it to the same value everywhere';

/**
 * The first cloud leaves a check value in the database, derived from its key; every other one has to have the same.
 * @param options.isNoted false: a database without a value stays so
 * @throws SettingsError that says what to do
 */
export async function requireServerKey(
  deps: { store: Pick<CloudStore, 'reader' | 'change'>; secrets: Pick<Secrets, 'derive'>; clock: Pick<Clock, 'now'> },
  { isNoted }: { isNoted: boolean },
): Promise<void> {
  const own = deps.secrets.derive('server_key_check').toString('base64url');
  let found = await findServerKeyCheck(deps.store.reader);
  if (found === null && isNoted) {
    found = await deps.store.change(async (tx) => {
      await insertServerKeyCheck(tx, { check_value: own, created_at: deps.clock.now() });
      return findServerKeyCheck(tx);
    });
  }
  if (found !== null && found !== own) throw new SettingsError([OTHER_KEY]);
}
