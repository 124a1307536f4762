/**
 * What the audit log says of a request. Every request that may change something is told by the transaction of its change, with
 * nothing to do for its route; of those that only read, searches for a plate and exports are.
 */
import type { Clock } from '../../shared/clock.js';
import { auditActorOf } from '../auth/audit-actor.js';
import type { Caller } from '../auth/caller.js';
import type { Condition } from '../list/filter-parser.js';
import { inAuditScope } from '../store/audit-scope.js';
import type { CloudStore } from '../store/cloud-store.js';
import { createGroupedChanges } from '../store/grouped-changes.js';
import { appendAudit, type AuditEntry } from '../store/queries/audit-log.js';
import type { RouteDescription } from './route-description.js';

/** What an endpoint says about its entries. */
export interface Audited<Body = never> {
  /** What was done, where it is not the path's own words (`product.state`, `zone.create`); makes a GET one that is told. */
  auditAs?: string;
  /** Keys of the body whose values are told. Of the others it is only told that they came: one may be a secret. */
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
  /** Tells of what is only read. Many at once share a commit. */
  tell(entry: Omit<AuditEntry, 'created_at'>): Promise<void>;
}

export function createAuditLog({ store, clock }: { store: CloudStore; clock: Clock }): AuditLog {
  const changes = createGroupedChanges(store);
  return {
    tell: (entry) => changes.change((tx) => appendAudit(tx, [{ ...entry, created_at: clock.now() }])),
  };
}

/** Does what the endpoint does. A search is told before it is answered: nobody gets to know a plate in secret. */
export async function audited<T>(
  endpoint: Described,
  call: AuditedCall,
  { audit, work }: { audit: AuditLog; work: () => Promise<T> },
): Promise<T> {
  const { caller } = call;
  if (endpoint.method !== 'get') {
    return inAuditScope(
      (made) => ({
        ...(caller === null ? publicActor(call) : auditActorOf(caller)),
        action: endpoint.auditAs ?? actionOf(endpoint),
        target: targetOf(endpoint.path, call.ids, made),
        details: detailsOf(endpoint, call),
      }),
      work,
    );
  }
  const action = caller === null ? undefined : (endpoint.auditAs ?? searchIn(call.query));
  if (caller !== null && action !== undefined) {
    const target = targetOf(endpoint.path, call.ids, undefined);
    const details = { filter: conditionsOf(call.query).map(conditionText) };
    await audit.tell({ ...auditActorOf(caller), action, target, details });
  }
  return work();
}

function publicActor({ found }: AuditedCall) {
  const owner = (found as { account_id?: unknown } | null | undefined)?.account_id;
  return { account_id: typeof owner === 'number' ? owner : null, actor_type: 'public' as const, actor_id: null };
}

function detailsOf(endpoint: Described, { body, caller, address }: AuditedCall): Record<string, unknown> {
  const given = Object.entries((body ?? {}) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const told = given.filter(([key]) => (endpoint.auditValues as readonly string[] | undefined)?.includes(key));
  return {
    ...(given.length === 0 ? {} : { keys: given.map(([key]) => key) }),
    ...(told.length === 0 ? {} : { values: Object.fromEntries(told) }),
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

/** `zone 5`, `group 5, member 7`; of what was made, what it is now; of no single thing, the list's name. */
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
  conditionsOf(query).some(({ isPlate, values }) => isPlate && values.length > 0) ? 'plate.search' : undefined;

const conditionText = ({ field, rule, values }: Condition): string => [field, rule, values.join(',')].join(':');
