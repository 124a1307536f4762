/** `parking-cloud token create --account A --name N` */
import { appendAudit } from '../../kernel/audit/entry.js';
import { generateToken, hashToken } from '../../kernel/secrets/entry.js';
import { apiTokenNameValue, findAccountForToken, insertApiToken } from '../../site/entry.js';
import { siteReason } from '../../rest/entry.js';
import { type CommandDeps, type CommandIo, withOwnStore } from './apply.js';

/**
 * Creates an API token of an account and prints it, and nothing else, to standard output. Only its hash is stored, so this is the only
 * time that it is shown. A running cloud accepts it at once.
 * @returns the exit code: 0 done, 2 the account or the name is not acceptable
 * @throws what else goes wrong: exit code 1
 */
export async function runCreateToken(
  options: { account: string; name: string },
  deps: CommandDeps,
  io: CommandIo,
): Promise<0 | 2> {
  const named = apiTokenNameValue.safeParse(options.name, { error: (issue) => siteReason({ ...issue }) });
  if (!named.success) {
    io.err(`--name: ${named.error.issues[0]?.message}`);
    return 2;
  }
  const { data: name } = named;
  const token = generateToken();
  const problem = await withOwnStore(deps, (store) =>
    store.change(async (tx) => {
      const account = await findAccountForToken(tx, { name: options.account, token_name: name });
      if (account === undefined) return `there is no account ${options.account}: a site file makes one`;
      if (account.has_token) return `account ${options.account} has an API token ${name} already: choose another name`;
      if (!account.has_super_admin) {
        return `account ${options.account} has no Super Admin: a token of it would let nobody in; make one first`;
      }
      const now = deps.clock.now();
      const row = { account_id: account.id, name, token_hash: hashToken(token), created_at: now, updated_at: now };
      const { id } = await insertApiToken(tx, { row, lot_ids: null });
      const actor = { actor_type: 'operator', actor_id: null } as const;
      const what = { action: 'api_token.create', target: `api token ${id}`, details: { name } };
      await appendAudit(tx, [{ account_id: account.id, ...actor, ...what, created_at: now }]);
      return null;
    }),
  );
  if (problem !== null) {
    io.err(problem);
    return 2;
  }
  io.out(token);
  io.note(`API token ${name} of account ${options.account}: it is shown only this once.`);
  return 0;
}
