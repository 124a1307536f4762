/** The endpoint of every list: it parses page, size, filter and sort, reads the page and answers it with its meta. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { oncePer } from '../../../shared/once-per.js';
import { ALL_ROLES, type Caller, type Role } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, sendingEndpoint } from '../request/endpoint.js';
import type { SendingDefinition } from '../request/endpoint-definition.js';
import { OVERLOAD } from '../request/route-description.js';
import { listResponse } from '../request/envelope.js';
import { itemsOf, jsonItems } from '../request/long-work.js';
import { type Condition, type Parsed, parseFilter, parseSort, type Sort } from '../list/filter-parser.js';
import type { FilterField } from '../list/list-fields.js';
import { inLocalDays } from '../list/local-day-queries.js';
import { listMeta } from '../list/list-meta-payload.js';
import { type ListTable, readPage } from '../list/list-table.js';

const SIZE_DEFAULT = 10;
const SIZE_MAX = 300;
/** Up to this page a row's place in the list is a safe integer. */
const PAGE_MAX = 1_000_000_000_000;
const FILTERS_MAX = 50;
const NEWEST_FIRST: Sort = { field: 'id', direction: 'desc' };

/** The fields that a query may name. */
interface ListFields {
  filters: Readonly<Record<string, FilterField>>;
  /** Its keys are the names of the sorts. */
  sorts: object;
  /** `id:desc` when left out. */
  defaultSort?: Sort;
}

export interface ListEndpoint<Row, Key extends number | string, Item, Path extends string, Found> {
  path: Path;
  summary: string;
  tag: string;
  /** All when left out. */
  roles?: readonly Role[];
  store: Pick<CloudStore, 'report'>;
  userTokenOnly?: boolean;
  /** What the audit log calls a read of it; left out: it has an entry when a filter names a person or a plate. */
  auditAs?: string;
  clock: Clock;
  table: ListTable<Row, Key>;
  /** The schema of one item. */
  item: z.ZodType<Item>;
  /** The items of a page, in the order of its rows. */
  items(rows: Row[], now: number, caller: Caller): NoInfer<Item>[] | Promise<NoInfer<Item>[]>;
  /** Finds the thing that the list belongs to; null: 404. */
  find?: SendingDefinition<Path, undefined, undefined, Found>['find'];
  /** Returns conditions that the rows must meet in addition to the request's filters. */
  within?(found: Found): Condition[];
}

/** GET of a list. `cloud/rest/list/README.md` shows one. */
export function listEndpoint<
  Row extends { id: Key },
  Key extends number | string,
  Item,
  Path extends string,
  Found = undefined,
>(list: ListEndpoint<Row, Key, Item, Path, Found>): Endpoint {
  const { path, table, store, clock } = list;
  return sendingEndpoint({
    method: 'get',
    path,
    summary: list.summary,
    tag: list.tag,
    roles: list.roles ?? ALL_ROLES,
    userTokenOnly: list.userTokenOnly ?? false,
    ...(list.auditAs === undefined ? {} : { auditAs: list.auditAs }),
    query: listQuery(table),
    answer: listOf(list.item),
    sent: 'list',
    ...(list.find === undefined ? {} : { find: list.find }),
    otherStatuses: OVERLOAD,
    async send(c, { caller, found, query, search, signal, daysAre }, { imageLinks }) {
      const { page, size, sort, filter } = query;
      const now = clock.now();
      const { rows, total } = await store.report(
        { account_id: caller.account_id, kind: 'page', signal: signal() },
        async (db) => {
          const dated = await inLocalDays(db, { caller, table, conditions: filter, lot_id: lotOf(found) });
          daysAre(dated.timezone);
          const conditions = [...dated.conditions, ...(list.within?.(found) ?? [])];
          return readPage(db, table, { caller, conditions, sort, page, size, now });
        },
      );
      const items = await itemsOf(c, rows, (some) => list.items(some, now, caller));
      const json = await jsonItems(c, items, (item) => imageLinks.signJson(JSON.stringify(item)));
      return listResponse(c, `[${json}]`, listMeta({ path: c.req.path, search, page, size, total }));
    },
  });
}

/** The lot of the thing that a list belongs to; undefined: it is in none, or the list belongs to nothing. */
function lotOf(found: unknown): number | undefined {
  const lot_id = typeof found === 'object' && found !== null && 'lot_id' in found ? found.lot_id : undefined;
  return typeof lot_id === 'number' ? lot_id : undefined;
}

const listOf = oncePer((item: z.ZodType) => z.array(item));

const pages = {
  page: countParameter('page', { max: PAGE_MAX, default: 1 }),
  size: countParameter('size', { max: SIZE_MAX, default: SIZE_DEFAULT }),
};

/** The query of a list that is paged, and neither filtered nor sorted. */
export const pageQuery = z.object(pages);

/** The query of a paged list: one for each table. */
export const listQuery = oncePer((table: ListFields) =>
  z.object({ ...pages, filter: filterParameter(table.filters), sort: sortParameter(table) }),
);

/** The query of sums and exports, which have filters and no pages. */
export function filterQuery(table: Pick<ListFields, 'filters'>) {
  return z.object({ filter: filterParameter(table.filters) });
}

function countParameter(name: string, limits: { max: number; default: number }) {
  return z
    .string({ error: `Send ${name} once` })
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(1).max(limits.max).refine(Number.isInteger, 'must be a whole number'))
    .default(limits.default)
    .openapi({ type: 'integer', minimum: 1, maximum: limits.max, default: limits.default });
}

function filterParameter(filters: ListFields['filters']) {
  const kinds = Object.fromEntries(Object.entries(filters).map(([field, { kind }]) => [field, kind]));
  const fields = Object.entries(kinds).map(([field, { rules }]) => `- \`${field}\`: ${rules.join(' ')}`);
  return z
    .preprocess(
      (given) => (given === undefined ? [] : [given].flat()),
      z.array(z.string()).max(FILTERS_MAX, `At most ${FILTERS_MAX} filters`),
    )
    .transform((given, context): Condition[] =>
      given.flatMap((text) => {
        const condition = parsedOrIssue(parseFilter(text, kinds), context);
        return condition === undefined ? [] : [condition];
      }),
    )
    .openapi({
      type: 'array',
      items: { type: 'string' },
      description: `\`field:rule:value\`, repeated; all must match.\n${fields.join('\n')}`,
    });
}

function sortParameter(table: ListFields) {
  const fields = Object.keys(table.sorts);
  const usual = table.defaultSort ?? NEWEST_FIRST;
  return z
    .string({ error: 'Send sort once' })
    .transform((text, context): Sort => parsedOrIssue(parseSort(text, fields), context) ?? usual)
    .default(usual)
    .openapi({
      type: 'string',
      enum: fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]),
      default: `${usual.field}:${usual.direction}`,
    });
}

function parsedOrIssue<T>(result: Parsed<T>, context: z.RefinementCtx): T | undefined {
  if ('parsed' in result) return result.parsed;
  context.addIssue({ code: 'custom', message: result.problem });
  return undefined;
}
