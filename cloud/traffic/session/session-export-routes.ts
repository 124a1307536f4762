import type { Clock } from '../../../shared/clock.js';
import type { RunReport } from '../../kernel/store/entry.js';
import { EXPORT_PIECE_ROWS, type Endpoint, type ExportEndpoint, exportOf, type LineOf } from '../../rest/entry.js';
import { linesOf, namesIn, readExportNames } from '../../site/entry.js';
import { PAYMENT_COLUMNS, SESSION_COLUMNS } from './export-columns.js';
import { readPaymentPieces } from './payment-export-queries.js';
import { createBillOf } from './session-bill.js';
import { readVehiclePieces, type SessionsAsked } from './session-analytics-queries.js';
import { readSessionPieces } from './session-export-queries.js';
import { SESSION_LIST } from './session-list.js';
import { SESSION_PAYMENT_LIST } from './session-payment-list.js';
import { representSession, type Session } from './session-rest-payload.js';
import { representVehicles, type Vehicle } from './vehicles.js';

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

const OF_SESSIONS = exportOf(SESSION_LIST);
const OF_PAYMENTS = exportOf(SESSION_PAYMENT_LIST);

interface ExportDeps {
  clock: Clock;
  exported: ExportEndpoint;
}

/** GET /v2/sessions/export, GET /v2/sessions/vehicle-analytics/export, GET /v2/payments/export */
export function sessionExportEndpoints(deps: ExportDeps): Endpoint[] {
  const { exported } = deps;
  return [
    exported({
      ...OF_SESSIONS,
      path: '/v2/sessions/export',
      auditAs: 'session.export',
      summary: 'Sessions as CSV, the newest first',
      tag: 'Sessions',
      name: 'sessions.csv',
      header: Object.keys(SESSION_COLUMNS),
      piecesOf: (...asked) => sessionPieces(deps, ...asked),
    }),
    exported({
      ...OF_SESSIONS,
      path: '/v2/sessions/vehicle-analytics/export',
      auditAs: 'session.vehicle_analytics.export',
      summary: 'Vehicle analytics as CSV, by plate',
      tag: 'Sessions',
      name: 'vehicle-analytics.csv',
      header: VEHICLE_COLUMNS,
      piecesOf: vehiclePieces,
    }),
    exported({
      ...OF_PAYMENTS,
      path: '/v2/payments/export',
      auditAs: 'payment.export',
      summary: 'Payments and refunds as CSV, the newest first',
      tag: 'Sessions',
      name: 'payments.csv',
      header: Object.keys(PAYMENT_COLUMNS),
      piecesOf: paymentPieces,
    }),
  ];
}

async function* sessionPieces(
  { clock }: ExportDeps,
  ...[report, asked, line]: [RunReport, SessionsAsked, LineOf]
): AsyncGenerator<string> {
  const shown = { now: clock.now(), billOf: createBillOf() };
  const names = await report((db) => readExportNames(db, asked.caller));
  const sources = await readSources(report, asked.caller);
  const lines = linesOf(SESSION_COLUMNS, { names, line });
  for await (const sessions of readSessionPieces(report, asked, EXPORT_PIECE_ROWS)) {
    yield lines(
      sessions
        .map((details) => representSession(details, shown))
        .map((session) => ({ ...session, entry_name: sources(session.entry), exit_name: sources(session.exit) })),
    );
  }
}

/** @returns what names who or what began or ended a session; null: it is gone, or has no name */
async function readSources(
  report: RunReport,
  { account_id }: SessionsAsked['caller'],
): Promise<(of: Session['entry'] | null) => string | null> {
  const names: Partial<Record<Session['entry']['type'], Map<number, string>>> = {
    lpr_camera: await report((db) => namesIn(db, account_id, 'deleted_lpr_cameras', 'lpr_cameras')),
    attendant: await report((db) => namesIn(db, account_id, 'account_users')),
    terminal: await report((db) => namesIn(db, account_id, 'terminals')),
    product: await report((db) => namesIn(db, account_id, 'products')),
  };
  return (of) => (of === null ? null : (names[of.type]?.get(of.id) ?? null));
}

async function* paymentPieces(report: RunReport, asked: SessionsAsked, line: LineOf): AsyncGenerator<string> {
  const names = await report((db) => readExportNames(db, asked.caller));
  const lines = linesOf(PAYMENT_COLUMNS, { names, line });
  for await (const payments of readPaymentPieces(report, asked, EXPORT_PIECE_ROWS)) {
    yield lines(payments);
  }
}

async function* vehiclePieces(report: RunReport, asked: SessionsAsked, line: LineOf): AsyncGenerator<string> {
  for await (const vehicles of readVehiclePieces(report, asked, EXPORT_PIECE_ROWS)) {
    const shown = await report((db) => representVehicles(db, asked.caller, vehicles));
    yield shown.map((vehicle) => line(VEHICLE_COLUMNS.map((name) => [name, vehicle[name]]))).join('');
  }
}
