/**
 * Decides what the audit log says of a request. The transaction of a change writes the entry (`request-change.ts`). Of the requests
 * that only read, those that name a person or a plate have an entry, and those that declare one: exports, and what shows secrets.
 */
import type { Clock } from '../../../shared/clock.js';
import { appendAudit, type AuditEntry } from '../../kernel/audit/entry.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { type CloudStore, createGroupedChanges } from '../../kernel/store/entry.js';
import { type Condition, hasNoValue } from '../list/filter-parser.js';
import type { RouteDescription } from './route-description.js';

/** The audit of an endpoint. */
export interface Audited<Body = never> {
  /** What was done, when method and path do not already say it (`product.state`, `zone.create`). With it, a GET has an entry too. */
  auditAs?: string;
  /** A GET of a secret: each has an entry, also those that ask the same within a minute. */
  isAuditedEachTime?: true;
  /** Fields of the body whose values the entry holds. Of other fields it holds only the names, because a value may be secret. */
  auditValues?: readonly (keyof Body & string)[];
  /** Parameters of the query whose values the entry of a GET holds; filters are in it anyway. */
  auditQuery?: readonly string[];
}

type Described = Pick<RouteDescription, 'method' | 'path' | 'sent'> & Audited<never>;

interface AuditedCall {
  caller: Caller | null;
  ids: Readonly<Record<string, unknown>>;
  body: unknown;
  query: unknown;
  found: unknown;
  address: string;
}

export interface AuditLog {
  readonly clock: Pick<Clock, 'now'>;
  /** Adds an entry for a request that only reads. Many at once share a commit. */
  append(entry: Asked): Promise<void>;
  /** The same, once for all who ask the same within a minute: for the pages of a list, and for a page that looks again and again. */
  appendQuestion(entry: Asked): Promise<void>;
}

type Asked = Omit<AuditEntry, 'created_at'>;

const SAME_QUESTION_MS = 60_000;
/** Whoever asks more than that within the time has an entry for a question again. */
const QUESTIONS_MAX = 10_000;

export function createAuditLog({ store, clock }: { store: CloudStore; clock: Clock }): AuditLog {
  const changes = createGroupedChanges(store);
  /** The entry of each question, the oldest first. */
  const asked = new Map<string, { at: number; written: Promise<void> }>();
  const append = (entry: Asked) =>
    changes.change((tx) => appendAudit(tx, [{ ...entry, isRead: true, created_at: clock.now() }]));

  function forgetOld(now: number): void {
    for (const [question, { at }] of asked) {
      if (now - at < SAME_QUESTION_MS && asked.size < QUESTIONS_MAX) return;
      asked.delete(question);
    }
  }

  return {
    clock,
    append,
    appendQuestion(entry) {
      const now = clock.monotonic();
      forgetOld(now);
      const question = JSON.stringify(entry);
      const same = asked.get(question);
      if (same !== undefined) return same.written;
      const written = append(entry);
      asked.set(question, { at: now, written });
      written.catch(() => asked.delete(question));
      return written;
    },
  };
}

/** What the audit log says of a request that changes something. @param made the id of what was created */
export function entryOfChange(
  endpoint: Described,
  call: AuditedCall,
  { now, made }: { now: number; made: number | string | undefined },
): AuditEntry {
  return {
    ...actorOf(call),
    lot_id: lotFound(call),
    action: endpoint.auditAs ?? actionOf(endpoint),
    target: targetOf(endpoint.path, call.ids, made),
    details: detailsOf(endpoint, call),
    created_at: now,
  };
}

/**
 * Adds the entry of a request that only reads, if it has one: before the answer, so that nobody can search for a plate or a person
 * unnoticed. undefined: it has none.
 */
export function auditRead(endpoint: Described, call: AuditedCall, audit: AuditLog): Promise<void> | undefined {
  const { caller } = call;
  const action = caller === null ? undefined : (endpoint.auditAs ?? searchIn(call.query));
  if (caller === null || action === undefined) return undefined;
  const entry = {
    ...actorOf(call),
    lot_id: lotFound(call) ?? lotAsked(caller, call.query),
    action,
    target: targetOf(endpoint.path, call.ids, undefined),
    details: { filter: conditionsOf(call.query).map(conditionText), ...valuesAsked(endpoint, call.query) },
  };
  // What leaves the service as a file, and a secret, is told each time.
  const isFile = endpoint.sent !== undefined && endpoint.sent !== 'list';
  return isFile || endpoint.isAuditedEachTime ? audit.append(entry) : audit.appendQuestion(entry);
}

/** The one lot that a filter names, if it is one of the caller's: else the entry would be shown to those of a lot that was not read. */
function lotAsked({ lot_ids }: Caller, query: unknown): number | null {
  const named = conditionsOf(query).filter(({ field, rule }) => field === 'lot_id' && rule === 'eq');
  const lots = new Set(named.flatMap(({ values }) => values.map(Number)));
  const [lot_id] = lots;
  return lot_id !== undefined && lots.size === 1 && lot_ids.has(lot_id) ? lot_id : null;
}

function valuesAsked({ auditQuery = [] }: Described, query: unknown) {
  const given = (query ?? {}) as Record<string, unknown>;
  const values = auditQuery.filter((name) => given[name] !== undefined).map((name) => [name, given[name]] as const);
  return values.length === 0 ? {} : { values: Object.fromEntries(values) };
}

/** Who asks. An API token is the actor itself here, and not the user that it acts as. */
function actorOf({ caller, found }: AuditedCall): Pick<AuditEntry, 'account_id' | 'actor_type' | 'actor_id'> {
  if (caller === null) {
    const owner = (found as { account_id?: unknown } | null | undefined)?.account_id;
    return { account_id: typeof owner === 'number' ? owner : null, actor_type: 'public', actor_id: null };
  }
  const { kind, account_id } = caller;
  return kind === 'api'
    ? { account_id, actor_type: 'api_token', actor_id: caller.token_id }
    : { account_id, actor_type: 'user', actor_id: caller.user_id };
}

/** The lot of what the path names. What is found by other columns says its lot by `noteAudit`. */
function lotFound({ found }: AuditedCall): number | null {
  const lot_id = (found as { lot_id?: unknown } | null | undefined)?.lot_id;
  return typeof lot_id === 'number' ? lot_id : null;
}

function detailsOf(endpoint: Described, { body, caller, address }: AuditedCall): Record<string, unknown> {
  const given = Object.entries((body ?? {}) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const logged = given.filter(([key]) => (endpoint.auditValues as readonly string[] | undefined)?.includes(key));
  return {
    ...(given.length === 0 ? {} : { keys: given.map(([key]) => key) }),
    ...(logged.length === 0 ? {} : { values: Object.fromEntries(logged) }),
    ...(caller === null ? { address } : {}),
  };
}

const VERBS = { post: 'create', put: 'put', patch: 'update', delete: 'delete', get: 'get' } as const;

const isName = (part: string): boolean => part.startsWith('{');
const singular = (word: string): string => word.replace(/s$/, '');
const partsOf = (path: string): string[] => path.split('/').slice(2);

/** `POST /v2/zones`: `zone.create`; `POST /v2/products/{id}/state`: `product.state`. */
export function actionOf({ method, path }: Pick<Described, 'method' | 'path'>): string {
  const words = partsOf(path).filter((part) => !isName(part));
  const things = words.map((word) => singular(word).replaceAll('-', '_'));
  const last = words.at(-1)?.replaceAll('-', '_') ?? '';
  if (method === 'post' && words.length > 1) return [...things.slice(0, -1), last].join('.');
  return [...things, VERBS[method]].join('.');
}

/** Names the target: `zone 5`, `group 5, member 7`; for a thing that was created, the new thing; for no single thing, the list. */
export function targetOf(
  path: string,
  ids: Readonly<Record<string, unknown>>,
  made: number | string | undefined,
): string {
  const parts = partsOf(path);
  const noun = (at: number) => singular(parts[at] ?? '').replaceAll('-', ' ');
  const things = parts.flatMap((part, at) => (isName(part) ? [`${noun(at - 1)} ${ids[part.slice(1, -1)]}`] : []));
  if (made !== undefined) things.push(`${noun(parts.length - 1)} ${made}`);
  return things.length > 0 ? things.join(', ') : parts.join(' ').replaceAll('-', ' ');
}

const conditionsOf = (query: unknown): readonly Condition[] =>
  (query as { filter?: readonly Condition[] } | undefined)?.filter ?? [];

function searchIn(query: unknown): string | undefined {
  const named = conditionsOf(query).flatMap(({ names, rule }) => (hasNoValue(rule) ? [] : (names ?? [])));
  const [whom] = named.includes('plate') ? (['plate'] as const) : named;
  return whom === undefined ? undefined : `${whom}.search`;
}

const conditionText = ({ field, rule, values }: Condition): string => [field, rule, values.join(',')].join(':');
