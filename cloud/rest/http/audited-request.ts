/**
 * Decides what the audit log says of a request. The transaction of a change writes the entry, so that no route has to. Of the requests
 * that only read, searches for a plate and exports have an entry.
 */
import type { Clock } from '../../../shared/clock.js';
import {
  appendAudit,
  auditActorOf,
  type AuditEntry,
  type Caller,
  type Change,
  type CloudStore,
  createGroupedChanges,
  inAuditScope,
} from '../../kernel/entry.js';
import { type Condition, hasNoValue } from '../list/filter-parser.js';
import type { RouteDescription } from './route-description.js';

/** What an endpoint says about its entries. */
export interface Audited<Body = never> {
  /** What was done, when method and path do not already say it (`product.state`, `zone.create`). With it, a GET has an entry too. */
  auditAs?: string;
  /** Fields of the body whose values the entry holds. Of other fields it holds only the names, because a value may be secret. */
  auditValues?: readonly (keyof Body & string)[];
}

type Described = Pick<RouteDescription, 'method' | 'path'> & Audited<never>;

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
  append(entry: Omit<AuditEntry, 'created_at'>): Promise<void>;
}

export function createAuditLog({ store, clock }: { store: CloudStore; clock: Clock }): AuditLog {
  const changes = createGroupedChanges(store);
  return {
    clock,
    append: (entry) => changes.change((tx) => appendAudit(tx, [{ ...entry, created_at: clock.now() }])),
  };
}

/**
 * Runs the endpoint, and gives it what it makes its changes with. The entry of a search is written before the answer, so that nobody can
 * search for a plate unnoticed.
 */
export function audited<T>(
  endpoint: Described,
  call: AuditedCall,
  { audit, change, work }: { audit: AuditLog; change: Change; work: (change: Change) => Promise<T> },
): Promise<T> {
  const { caller } = call;
  if (endpoint.method !== 'get') {
    const entryOf = (made: number | string | undefined) => ({
      ...(caller === null ? publicActor(call) : auditActorOf(caller)),
      lot_id: lotFound(call),
      action: endpoint.auditAs ?? actionOf(endpoint),
      target: targetOf(endpoint.path, call.ids, made),
      details: detailsOf(endpoint, call),
    });
    return inAuditScope({ change, clock: audit.clock, entryOf }, work);
  }
  const action = caller === null ? undefined : (endpoint.auditAs ?? searchIn(call.query));
  if (caller === null || action === undefined) return work(noChange);
  const target = targetOf(endpoint.path, call.ids, undefined);
  const details = { filter: conditionsOf(call.query).map(conditionText) };
  return audit
    .append({ ...auditActorOf(caller), lot_id: lotFound(call), action, target, details })
    .then(() => work(noChange));
}

/** What a GET makes its changes with. */
export const noChange: Change = () => Promise.reject(new Error('A GET changes nothing'));

function publicActor({ found }: AuditedCall) {
  const owner = (found as { account_id?: unknown } | null | undefined)?.account_id;
  return { account_id: typeof owner === 'number' ? owner : null, actor_type: 'public' as const, actor_id: null };
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

const searchIn = (query: unknown): string | undefined =>
  conditionsOf(query).some(({ isPlate, rule }) => isPlate && !hasNoValue(rule)) ? 'plate.search' : undefined;

const conditionText = ({ field, rule, values }: Condition): string => [field, rule, values.join(',')].join(':');
