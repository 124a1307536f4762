import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore, Db, RunReport } from '../../kernel/store/entry.js';
import {
  type AnyQuery,
  datetime,
  type Endpoint,
  EXPORT_PIECE_ROWS,
  type ExportAsked,
  type ExportEndpoint,
  exportOf,
  filterQuery,
  hasDates,
  id,
  isDate,
  type LineOf,
  listEndpoint,
  momentParameter,
  OVERLOAD,
  protectedEndpoint,
  readPieces,
} from '../../rest/entry.js';
import { type ExportColumns, linesOf, localTimeOf, namesIn, readExportNames, utcOffsetOf } from '../../site/entry.js';
import { COUNT_GROUPS, countOpenings } from './opening-counts.js';
import { OPENING_LIST } from './opening-list.js';
import { type Opening, openingSchema, representOpening } from './opening-payload.js';
import { withPlates } from './opening-queries.js';

const TAG = 'Openings';

const countsQuery = filterQuery(OPENING_LIST).extend({
  group: z.enum(COUNT_GROUPS).default('hour'),
  from: momentParameter.optional(),
  to: momentParameter.optional(),
});

const count = z.number().int();
const countsSchema = z
  .strictObject({
    timezone: z.string().describe('In which hours begin: the lots’ own; UTC when they differ.'),
    counts: z
      .array(
        z.strictObject({
          product_id: id,
          period_start: datetime.nullable().describe('When the hour began; null by the hour of the day.'),
          hour: count.nullable().describe('The hour of the day, from 0 to 23; null by single hours.'),
          openings_count: count.describe('How often the product was asked to do something.'),
          failed_count: count.describe('How often of these it failed.'),
        }),
      )
      .describe('By product and hour; an hour in which nothing was asked has none.'),
  })
  .openapi('OpeningCounts');

const EXPORT = exportOf(OPENING_LIST);

interface OpeningDeps {
  store: Pick<CloudStore, 'report'>;
  clock: Clock;
  exported: ExportEndpoint;
}

/** GET /v2/openings, /v2/openings/counts and /v2/openings/export */
export function openingEndpoints({ store, clock, exported }: OpeningDeps): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/openings',
      summary: 'List what products were asked to do, by whom or what, and how it ended',
      tag: TAG,
      store,
      clock,
      table: OPENING_LIST,
      item: openingSchema,
      items: (rows) => rows.map(representOpening),
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/openings/counts',
      summary:
        'How often products were asked to move, by hour or by the hour of the day; the last 7 days unless a range is given',
      tag: TAG,
      roles: ALL_ROLES,
      query: countsQuery,
      answer: countsSchema,
      otherStatuses: OVERLOAD,
      async handle({ caller, query: { filter: conditions, ...asked }, signal, daysAre }) {
        const report = { account_id: caller.account_id, kind: 'sum', signal: signal() } as const;
        const data = await store.report(report, (db) =>
          countOpenings(db, { ...asked, caller, conditions, now: clock.now() }),
        );
        if (isDate(asked.from) || isDate(asked.to) || hasDates(conditions)) daysAre(data.timezone);
        return data;
      },
    }),
    exported({
      ...EXPORT,
      path: '/v2/openings/export',
      auditAs: 'opening.export',
      summary: 'Openings as CSV, the newest first',
      tag: TAG,
      name: 'openings.csv',
      header: Object.keys(COLUMNS),
      piecesOf: openingPieces,
    }),
  ];
}

type Named = Opening & { product_name: string | null; gateway_name: string | null };

const COLUMNS: ExportColumns<Named> = {
  id: (opening) => opening.id,
  at: ({ at }) => at,
  at_local: (opening, names) => localTimeOf(opening.at, opening, names),
  at_offset: (opening, names) => utcOffsetOf(opening.at, opening, names),
  lot_name: ({ lot_id }, { lots }) => lots.get(lot_id ?? 0) ?? null,
  product_name: ({ product_name }) => product_name,
  operation: ({ operation }) => operation,
  cause: ({ cause }) => cause,
  by: ({ by }) => by,
  plate: ({ plate }) => plate,
  outcome: ({ outcome }) => outcome,
  gateway_error: ({ gateway_error }) => gateway_error?.type ?? null,
  gateway_name: ({ gateway_name }) => gateway_name,
  event_id: ({ event_id }) => event_id,
  lot_id: ({ lot_id }) => lot_id,
  product_id: ({ product_id }) => product_id,
  gateway_id: ({ gateway_id }) => gateway_id,
  plate_reading_id: ({ plate_reading_id }) => plate_reading_id,
  plate_sighting_id: ({ plate_sighting_id }) => plate_sighting_id,
};

async function* openingPieces(report: RunReport, asked: ExportAsked, line: LineOf): AsyncGenerator<string> {
  const { account_id } = asked.caller;
  const names = await report((db) => readExportNames(db, asked.caller));
  const products = await report((db) => namesIn(db, account_id, 'products'));
  const gateways = await report((db) => namesIn(db, account_id, 'gateways'));
  const lines = linesOf(COLUMNS, { names, line });
  const read = (_db: Db, rows: AnyQuery) => withPlates(rows);
  for await (const rows of readPieces(report, OPENING_LIST, { ...asked, pieceRows: EXPORT_PIECE_ROWS, read })) {
    yield lines(
      rows.map(representOpening).map((opening) => ({
        ...opening,
        product_name: products.get(opening.product_id) ?? null,
        gateway_name: gateways.get(opening.gateway_id ?? 0) ?? null,
      })),
    );
  }
}
