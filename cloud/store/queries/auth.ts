/** Users and tokens as authentication needs them. */
import { type CompiledQuery, sql } from 'kysely';
import { type Caller, roleName, type TokenReference } from '../../auth/caller.js';
import type { Db } from '../cloud-store.js';

/** Ids in one IN list; databases bound the number of parameters. */
const IDS_PER_QUERY_MAX = 500;

interface CallerRow {
  kind: 'user' | 'api';
  token_id: number;
  token_hash: string;
  account_id: number;
  user_id: number;
  role_id: number;
  /** One row per assigned lot; a single row with null when there is none. */
  lot_id: number | null;
}

const userTokenCallers = (db: Db) =>
  db
    .selectFrom('user_tokens as token')
    .innerJoin('account_users as user', 'user.id', 'token.account_user_id')
    .leftJoin('account_user_lots as assigned', 'assigned.account_user_id', 'user.id')
    .select([
      sql<'user' | 'api'>`'user'`.as('kind'),
      'token.id as token_id',
      'token.token_hash',
      'user.account_id',
      'user.id as user_id',
      'user.account_user_role_id as role_id',
      'assigned.lot_id',
    ]);

/** An API token acts as the account's first Super Admin; without one it stands for nobody. */
const apiTokenCallers = (db: Db) =>
  db
    .selectFrom('api_tokens as token')
    .innerJoin('account_users as user', (join) =>
      join.on('user.id', '=', ({ selectFrom }) =>
        selectFrom('account_users as admin')
          .select(({ fn }) => fn.min('admin.id').as('id'))
          .whereRef('admin.account_id', '=', 'token.account_id')
          .where('admin.account_user_role_id', '=', 1),
      ),
    )
    .leftJoin('account_user_lots as assigned', 'assigned.account_user_id', 'user.id')
    .select([
      sql<'user' | 'api'>`'api'`.as('kind'),
      'token.id as token_id',
      'token.token_hash',
      'user.account_id',
      'user.id as user_id',
      'user.account_user_role_id as role_id',
      'assigned.lot_id',
    ]);

const ASKED_HASH = 'the hash asked for';
const compiled = new WeakMap<Db, CompiledQuery<CallerRow>>();

/** Every request asks this: building the query anew would cost twice its answer. */
function callerQuery(db: Db, tokenHash: string): CompiledQuery<CallerRow> {
  let query = compiled.get(db);
  if (query === undefined) {
    query = userTokenCallers(db)
      .where('token.token_hash', '=', ASKED_HASH)
      .unionAll(apiTokenCallers(db).where('token.token_hash', '=', ASKED_HASH))
      .compile();
    compiled.set(db, query);
  }
  return { ...query, parameters: query.parameters.map((value) => (value === ASKED_HASH ? tokenHash : value)) };
}

export async function findCallerByTokenHash(db: Db, tokenHash: string): Promise<Caller | null> {
  const { rows } = await db.executeQuery(callerQuery(db, tokenHash));
  return callersOf(rows)[0] ?? null;
}

/** The callers of those tokens that still exist. */
export async function findCallersOfTokens(db: Db, tokens: readonly TokenReference[]): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const [kind, query] of [
    ['user', userTokenCallers],
    ['api', apiTokenCallers],
  ] as const) {
    const ids = tokens.filter((token) => token.kind === kind).map((token) => token.token_id);
    for (let from = 0; from < ids.length; from += IDS_PER_QUERY_MAX) {
      const rows = await query(db)
        .where('token.id', 'in', ids.slice(from, from + IDS_PER_QUERY_MAX))
        .execute();
      callers.push(...callersOf(rows));
    }
  }
  return callers;
}

function callersOf(rows: readonly CallerRow[]): Caller[] {
  const callers = new Map<number, Caller & { lot_ids: Set<number> }>();
  for (const { kind, token_id, token_hash, account_id, user_id, role_id, lot_id } of rows) {
    let caller = callers.get(token_id);
    if (caller === undefined) {
      caller = { kind, token_id, token_hash, account_id, user_id, role: roleName(role_id), lot_ids: new Set() };
      callers.set(token_id, caller);
    }
    if (lot_id !== null) caller.lot_ids.add(lot_id);
  }
  return [...callers.values()];
}

/** @param email lower case, as stored */
export function findLoginUser(db: Db, email: string) {
  return db
    .selectFrom('account_users as user')
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .select([
      'user.id',
      'user.account_id',
      'user.account_user_role_id',
      'user.email',
      'user.name',
      'user.email_confirmed',
      'user.password_hash',
      'account.account_role_id',
    ])
    .where('user.email', '=', email)
    .executeTakeFirst();
}

/** Stores the token as the user's only one of its type. */
export async function replaceUserTokens(
  tx: Db,
  token: { account_user_id: number; type: string; token_hash: string; created_at: number },
): Promise<{ id: number; deletedIds: number[] }> {
  const deleted = await tx
    .deleteFrom('user_tokens')
    .where('account_user_id', '=', token.account_user_id)
    .where('type', '=', token.type)
    .returning('id')
    .execute();
  const { id } = await tx.insertInto('user_tokens').values(token).returning('id').executeTakeFirstOrThrow();
  return { id, deletedIds: deleted.map((row) => row.id) };
}
