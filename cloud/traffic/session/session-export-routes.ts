import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { type CsvCell, csvLine } from '../../../shared/csv-codec.js';
import type { Logger } from '../../../shared/logger.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore, RunReport } from '../../kernel/store/entry.js';
import { createExportTurns } from '../../kernel/limit/entry.js';
import {
  csvResponse,
  type Endpoint,
  filterQuery,
  flagParameter,
  inLocalDays,
  OVERLOAD,
  sendingEndpoint,
} from '../../rest/entry.js';
import { PAYMENT_COLUMNS, SESSION_COLUMNS } from './export-columns.js';
import { readExportNames } from './export-names-queries.js';
import { readPaymentPieces } from './payment-export-queries.js';
import { createBillOf } from './session-bill.js';
import { readVehiclePieces, type SessionsAsked } from './session-analytics-queries.js';
import { readSessionPieces } from './session-export-queries.js';
import { SESSION_LIST } from './session-list.js';
import { SESSION_PAYMENT_LIST } from './session-payment-list.js';
import { representSession } from './session-rest-payload.js';
import { representVehicles, type Vehicle } from './vehicles.js';

/** How many rows one query has: converting them takes the thread a few milliseconds. */
const PIECE_ROWS = 100;

const VEHICLE_COLUMNS = [
  'plate',
  'country_code',
  'type',
  'make',
  'color',
  'model',
  'visits_count',
  'total_duration',
  'average_duration',
  'amount_paid',
  'first_seen_at',
  'last_seen_at',
] as const satisfies (keyof Vehicle)[];

/** The columns that `text` is about. */
const PLATES: ReadonlySet<string> = new Set(['entry_license_plate', 'exit_license_plate', 'license_plate', 'plate']);

/** A list whose rows are exported, with the query of the export. It is made once: the document keeps each schema for ever. */
const exportOf = <Table extends Parameters<typeof filterQuery>[0] & Parameters<typeof inLocalDays>[1]['table']>(
  table: Table,
) => ({ table, query: filterQuery(table).extend({ bom: flagParameter, text: flagParameter }) });

const OF_SESSIONS = exportOf(SESSION_LIST);
const OF_PAYMENTS = exportOf(SESSION_PAYMENT_LIST);
const csvSchema = z.string();

interface ExportDeps {
  store: Pick<CloudStore, 'report'>;
  clock: Clock;
  logger: Logger;
}

/** GET /v2/sessions/export, GET /v2/sessions/vehicle-analytics/export, GET /v2/payments/export */
export function sessionExportEndpoints(deps: ExportDeps): Endpoint[] {
  const exported = createExported(deps);
  return [
    exported({
      ...OF_SESSIONS,
      path: '/v2/sessions/export',
      auditAs: 'session.export',
      summary: 'Sessions as CSV, the newest first',
      name: 'sessions.csv',
      header: Object.keys(SESSION_COLUMNS),
      piecesOf: (...asked) => sessionPieces(deps, ...asked),
    }),
    exported({
      ...OF_SESSIONS,
      path: '/v2/sessions/vehicle-analytics/export',
      auditAs: 'session.vehicle_analytics.export',
      summary: 'Vehicle analytics as CSV, by plate',
      name: 'vehicle-analytics.csv',
      header: VEHICLE_COLUMNS,
      piecesOf: vehiclePieces,
    }),
    exported({
      ...OF_PAYMENTS,
      path: '/v2/payments/export',
      auditAs: 'payment.export',
      summary: 'Payments and refunds as CSV, the newest first',
      name: 'payments.csv',
      header: Object.keys(PAYMENT_COLUMNS),
      piecesOf: paymentPieces,
    }),
  ];
}

interface Exported extends Pick<ReturnType<typeof exportOf>, 'table' | 'query'> {
  path: string;
  auditAs: string;
  summary: string;
  name: string;
  header: readonly string[];
  piecesOf: (report: RunReport, asked: SessionsAsked, lineOf: LineOf) => AsyncGenerator<string>;
}

/** @returns what makes the endpoint of an export; those of one account share its turns */
function createExported({ store, logger, clock }: ExportDeps): (options: Exported) => Endpoint {
  const turns = createExportTurns({ clock });
  return ({ path, auditAs, summary, name, header, table, query: querySchema, piecesOf }) =>
    sendingEndpoint({
      method: 'get',
      path,
      auditAs,
      summary,
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: querySchema,
      answer: csvSchema,
      sent: 'csv',
      otherStatuses: OVERLOAD,
      async send(c, { caller, query, requestId, signal }) {
        const over = signal();
        const { account_id } = caller;
        await turns.begin(account_id, over);
        const report: RunReport = (work) => store.report({ account_id, kind: 'sum', signal: over }, work);
        const inList = { caller, table, conditions: query.filter };
        const { conditions } = await report((db) => inLocalDays(db, inList));
        const asked = { caller, conditions };
        return csvResponse(c, {
          name,
          header,
          hasByteOrderMark: query.bom === 1,
          pieces: logged(piecesOf(report, asked, query.text === 1 ? lineOfTexts : lineOf), {
            logger,
            requestId,
            signal: over,
          }),
        });
      },
    });
}

/** Writes a line of cells by the names of their columns. */
type LineOf = (cells: readonly (readonly [string, CsvCell])[]) => string;

const lineOf: LineOf = (cells) => csvLine(cells.map(([, cell]) => cell));

/** Likewise, with plates that no spreadsheet turns into numbers. */
const lineOfTexts: LineOf = (cells) =>
  csvLine(cells.map(([name, cell]) => (PLATES.has(name) && typeof cell === 'string' ? { text: cell } : cell)));

async function* sessionPieces(
  { clock }: ExportDeps,
  ...[report, asked, line]: [RunReport, SessionsAsked, LineOf]
): AsyncGenerator<string> {
  const shown = { now: clock.now(), billOf: createBillOf() };
  const names = await report((db) => readExportNames(db, asked.caller));
  const columns = Object.entries(SESSION_COLUMNS);
  for await (const sessions of readSessionPieces(report, asked, PIECE_ROWS)) {
    yield sessions
      .map((details) => representSession(details, shown))
      .map((session) => line(columns.map(([name, cell]) => [name, cell(session, names)])))
      .join('');
  }
}

async function* paymentPieces(report: RunReport, asked: SessionsAsked, line: LineOf): AsyncGenerator<string> {
  const names = await report((db) => readExportNames(db, asked.caller));
  const columns = Object.entries(PAYMENT_COLUMNS);
  for await (const payments of readPaymentPieces(report, asked, PIECE_ROWS)) {
    yield payments.map((payment) => line(columns.map(([name, cell]) => [name, cell(payment, names)]))).join('');
  }
}

async function* vehiclePieces(report: RunReport, asked: SessionsAsked, line: LineOf): AsyncGenerator<string> {
  for await (const vehicles of readVehiclePieces(report, asked, PIECE_ROWS)) {
    const shown = await report((db) => representVehicles(db, asked.caller, vehicles));
    yield shown.map((vehicle) => line(VEHICLE_COLUMNS.map((name) => [name, vehicle[name]]))).join('');
  }
}

/** When a later piece fails, the answer has already begun and is cut off, so only the log can say why. */
async function* logged(
  pieces: AsyncIterable<string>,
  request: { logger: Logger; requestId: string; signal: AbortSignal },
): AsyncGenerator<string> {
  let isBegun = false;
  try {
    for await (const piece of pieces) {
      yield piece;
      isBegun = true;
    }
  } catch (error) {
    // A client that goes away ends its export. An error before the answer has begun becomes the answer.
    if (isBegun && !request.signal.aborted) {
      request.logger.error({ err: error, request_id: request.requestId }, 'An export broke off');
    }
    throw error;
  }
}
