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
import { createBillOf } from './session-bill.js';
import { readVehiclePieces, type SessionsAsked } from './session-analytics-queries.js';
import { readSessionPieces } from './session-export-queries.js';
import { SESSION_LIST } from './session-list.js';
import { representSession, type Session } from './session-rest-payload.js';
import { representVehicles, type Vehicle } from './vehicles.js';

/** How many rows one query has: converting them takes the thread a few milliseconds. */
const PIECE_ROWS = 100;

const SESSION_COLUMNS: Record<string, (session: Session) => CsvCell> = {
  id: ({ id }) => id,
  public_id: ({ public_id }) => public_id,
  lot_id: ({ lot_id }) => lot_id,
  zone_id: ({ zone_id }) => zone_id,
  entry_license_plate: ({ entry_license_plate }) => entry_license_plate?.plate ?? null,
  exit_license_plate: ({ exit_license_plate }) => exit_license_plate?.plate ?? null,
  created_at: ({ created_at }) => created_at,
  ended_at: ({ ended_at }) => ended_at,
  duration: ({ duration }) => duration,
  discount_time: ({ discount_time }) => discount_time,
  amount_paid: ({ amount_paid }) => amount_paid,
  amount_due: ({ amount_due }) => amount_due,
  currency: ({ currency }) => currency,
  tariff_id: ({ tariff_id }) => tariff_id,
  entry_type: ({ entry }) => entry.type,
  entry_id: ({ entry }) => entry.id,
  exit_type: ({ exit }) => exit?.type ?? null,
  exit_id: ({ exit }) => exit?.id ?? null,
  possibly_exited: ({ possibly_exited }) => possibly_exited,
  exit_allowed: ({ exit_allowed }) => exit_allowed,
  updated_at: ({ updated_at }) => updated_at,
};

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
const PLATES: ReadonlySet<string> = new Set(['entry_license_plate', 'exit_license_plate', 'plate']);

const exportQuery = filterQuery(SESSION_LIST).extend({ bom: flagParameter, text: flagParameter });
const csvSchema = z.string();

interface ExportDeps {
  store: Pick<CloudStore, 'report'>;
  clock: Clock;
  logger: Logger;
}

/** GET /v2/sessions/export, GET /v2/sessions/vehicle-analytics/export */
export function sessionExportEndpoints(deps: ExportDeps): Endpoint[] {
  const { store, logger } = deps;
  const turns = createExportTurns({ clock: deps.clock });
  const exported = (options: {
    path: string;
    auditAs: string;
    summary: string;
    name: string;
    header: readonly string[];
    piecesOf: (report: RunReport, asked: SessionsAsked, lineOf: LineOf) => AsyncGenerator<string>;
  }): Endpoint =>
    sendingEndpoint({
      method: 'get',
      path: options.path,
      auditAs: options.auditAs,
      summary: options.summary,
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: exportQuery,
      answer: csvSchema,
      sent: 'csv',
      otherStatuses: OVERLOAD,
      async send(c, { caller, query, requestId, signal }) {
        const over = signal();
        const { account_id } = caller;
        await turns.begin(account_id, over);
        const report: RunReport = (work) => store.report({ account_id, kind: 'sum', signal: over }, work);
        const inSessions = { caller, table: SESSION_LIST, conditions: query.filter };
        const { conditions } = await report((db) => inLocalDays(db, inSessions));
        const asked = { caller, conditions };
        return csvResponse(c, {
          name: options.name,
          header: options.header,
          hasByteOrderMark: query.bom === 1,
          pieces: logged(options.piecesOf(report, asked, query.text === 1 ? lineOfTexts : lineOf), {
            logger,
            requestId,
            signal: over,
          }),
        });
      },
    });
  return [
    exported({
      path: '/v2/sessions/export',
      auditAs: 'session.export',
      summary: 'Sessions as CSV, the newest first',
      name: 'sessions.csv',
      header: Object.keys(SESSION_COLUMNS),
      piecesOf: (...asked) => sessionPieces(deps, ...asked),
    }),
    exported({
      path: '/v2/sessions/vehicle-analytics/export',
      auditAs: 'session.vehicle_analytics.export',
      summary: 'Vehicle analytics as CSV, by plate',
      name: 'vehicle-analytics.csv',
      header: VEHICLE_COLUMNS,
      piecesOf: vehiclePieces,
    }),
  ];
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
  const columns = Object.entries(SESSION_COLUMNS);
  for await (const sessions of readSessionPieces(report, asked, PIECE_ROWS)) {
    yield sessions
      .map((details) => representSession(details, shown))
      .map((session) => line(columns.map(([name, cell]) => [name, cell(session)])))
      .join('');
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
