/** `parking-cloud token create --account A --name N` */
import { makeToken } from '../secrets/made-secrets.js';
import { hashToken } from '../secrets/secrets.js';
import { findAccountForToken, insertApiToken } from '../store/queries/api-tokens.js';
import { appendAudit } from '../store/queries/audit-log.js';
import type { CommandDeps, CommandIo } from './apply.js';

/** What a site file allows for a name, too. */
const NAME_CHARS_MAX = 200;

/**
 * Makes an API token of an account and prints it, and nothing else, on the standard output: it is stored as a hash, and shown only
 * this once. A running cloud takes it at once.
 * @returns the exit code: 0 done, 2 the account or the name will not do
 * @throws what else goes wrong: exit code 1
 */
export async function runCreateToken(
  options: { account: string; name: string },
  deps: CommandDeps,
  io: CommandIo,
): Promise<0 | 2> {
  const name = options.name.trim();
  if (name === '' || name.length > NAME_CHARS_MAX) {
    io.err(`--name: must have 1 to ${NAME_CHARS_MAX} characters.`);
    return 2;
  }
  const token = makeToken();
  const store = await deps.openStore();
  try {
    await store.migrate();
    const problem = await store.change(async (tx) => {
      const account = await findAccountForToken(tx, { name: options.account, token_name: name });
      if (account === undefined) return `There is no account ${options.account}: a site file makes one.`;
      if (account.has_token) return `Account ${options.account} has an API token ${name} already: choose another name.`;
      if (!account.has_super_admin) {
        return `Account ${options.account} has no Super Admin: a token of it would let nobody in. Make one first.`;
      }
      const now = deps.clock.now();
      const { id } = await insertApiToken(tx, {
        account_id: account.id,
        name,
        token_hash: hashToken(token),
        created_at: now,
        updated_at: now,
      });
      const actor = { actor_type: 'operator', actor_id: null } as const;
      const what = { action: 'api_token.created', target: `API token ${name}`, details: { id } };
      await appendAudit(tx, [{ account_id: account.id, ...actor, ...what, created_at: now }]);
      return null;
    });
    if (problem !== null) {
      io.err(problem);
      return 2;
    }
  } finally {
    await store.close();
  }
  io.out(token);
  io.err(`API token ${name} of account ${options.account}: it is shown only this once.`);
  return 0;
}
