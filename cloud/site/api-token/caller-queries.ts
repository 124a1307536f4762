/** Finds the callers of tokens. */
import { type CompiledQuery, sql } from 'kysely';
import { inPieces } from '../../../shared/grouping.js';
import { type Caller, type MoneyRight, moneyRightOf, roleName, type TokenReference } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';

/** The tables that callers are read from, and those whose deletions also delete rows of these. */
export const CALLER_TABLES = [
  'user_tokens',
  'api_tokens',
  'api_token_lots',
  'account_users',
  'account_user_lots',
  'accounts',
] as const;

/** How many ids one IN list has; databases limit the number of parameters. */
const IDS_PER_QUERY_MAX = 500;

interface CallerRow {
  kind: 'user' | 'api';
  token_id: number;
  token_hash: string;
  account_id: number;
  user_id: number;
  role_id: number;
  attendant_money: MoneyRight;
  has_own_lots: number;
  expires_at: number | null;
  /** There is one row for each assigned lot, or a single row with null when there is none. */
  lot_id: number | null;
}

const userTokenCallers = (db: Db) =>
  db
    .selectFrom('user_tokens as token')
    .innerJoin('account_users as user', 'user.id', 'token.account_user_id')
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .leftJoin('account_user_lots as assigned', 'assigned.account_user_id', 'user.id')
    .select([
      sql<'user' | 'api'>`'user'`.as('kind'),
      'token.id as token_id',
      'token.token_hash',
      'user.account_id',
      'user.id as user_id',
      'user.account_user_role_id as role_id',
      'account.attendant_money',
      sql<number>`0`.as('has_own_lots'),
    ])
    .select(({ ref }) => ref('token.expires_at').$castTo<number | null>().as('expires_at'))
    .select('assigned.lot_id');

/**
 * An API token acts as the account's first Super Admin, with the token's role. In an account without a Super Admin it authenticates
 * nobody. A lot of its own counts only while that user has the lot, too.
 */
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
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .leftJoin('account_user_lots as assigned', (join) =>
      join
        .onRef('assigned.account_user_id', '=', 'user.id')
        .on(({ exists, or, eb, selectFrom }) =>
          or([
            eb('token.has_own_lots', '=', 0),
            exists(
              selectFrom('api_token_lots as own')
                .select('own.lot_id')
                .whereRef('own.api_token_id', '=', 'token.id')
                .whereRef('own.lot_id', '=', 'assigned.lot_id'),
            ),
          ]),
        ),
    )
    .select([
      sql<'user' | 'api'>`'api'`.as('kind'),
      'token.id as token_id',
      'token.token_hash',
      'user.account_id',
      'user.id as user_id',
      'token.account_user_role_id as role_id',
      'account.attendant_money',
      'token.has_own_lots',
      'token.expires_at',
      'assigned.lot_id',
    ]);

const ASKED_HASH = 'the hash asked for';
const compiled = new WeakMap<Db, CompiledQuery<CallerRow>>();

/** This query is compiled once: every request runs it, and to build it takes twice as long as to run it. */
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

/** Finds the caller of a token, even if the token has expired. */
export async function findCallerByTokenHash(db: Db, tokenHash: string): Promise<Caller | null> {
  const { rows } = await db.executeQuery(callerQuery(db, tokenHash));
  return callersOf(rows)[0] ?? null;
}

/** Finds a user as the caller of what goes on after the sign-in has ended; null: the user is gone. No token stands for it. */
export async function findCallerOfUser(db: Db, user_id: number): Promise<Caller | null> {
  const rows = await db
    .selectFrom('account_users as user')
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .leftJoin('account_user_lots as assigned', 'assigned.account_user_id', 'user.id')
    .select([
      sql<'user'>`'user'`.as('kind'),
      sql<number>`0`.as('token_id'),
      sql<string>`''`.as('token_hash'),
      'user.account_id',
      'user.id as user_id',
      'user.account_user_role_id as role_id',
      'account.attendant_money',
      sql<number>`0`.as('has_own_lots'),
      sql<null>`null`.as('expires_at'),
      'assigned.lot_id',
    ])
    .where('user.id', '=', user_id)
    .execute();
  return callersOf(rows)[0] ?? null;
}

/** Finds the name of who acts: of an API token its own. */
export async function nameOfCaller(db: Db, { kind, token_id, user_id }: Caller): Promise<string> {
  const [table, id] = kind === 'api' ? (['api_tokens', token_id] as const) : (['account_users', user_id] as const);
  const found = await db.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst();
  return found?.name ?? `${kind} ${id}`;
}

/** Finds the callers of those of the tokens that still exist, even if they have expired. */
export async function findCallersOfTokens(db: Db, tokens: readonly TokenReference[]): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const [kind, query] of [
    ['user', userTokenCallers],
    ['api', apiTokenCallers],
  ] as const) {
    const ids = tokens.filter((token) => token.kind === kind).map((token) => token.token_id);
    for (const piece of inPieces(ids, IDS_PER_QUERY_MAX)) {
      const rows = await query(db).where('token.id', 'in', piece).execute();
      callers.push(...callersOf(rows));
    }
  }
  return callers;
}

function callersOf(rows: readonly CallerRow[]): Caller[] {
  const callers = new Map<number, Caller & { lot_ids: Set<number> }>();
  for (const { role_id, attendant_money, has_own_lots, lot_id, ...row } of rows) {
    let caller = callers.get(row.token_id);
    if (caller === undefined) {
      const role = roleName(role_id);
      const money = moneyRightOf(role, attendant_money);
      caller = { ...row, role, money, has_own_lots: has_own_lots === 1, lot_ids: new Set() };
      callers.set(row.token_id, caller);
    }
    if (lot_id !== null) caller.lot_ids.add(lot_id);
  }
  return [...callers.values()];
}
