/** Reads all payments that match a request's filters, for an export. */
import { type AnyQuery, type ListRequest, readPieces } from '../../rest/entry.js';
import type { Db, RunReport } from '../../kernel/store/entry.js';
import { SESSION_PAYMENT_LIST } from './session-payment-list.js';

/** Reads the payments piece by piece, the newest first; each piece is one report. */
export const readPaymentPieces = (
  report: RunReport,
  asked: Pick<ListRequest, 'caller' | 'conditions'>,
  pieceRows: number,
): AsyncGenerator<ExportedPayment[]> =>
  readPieces(report, SESSION_PAYMENT_LIST, { ...asked, pieceRows, read: readWithSessions });

/** A payment with what its session says of it. */
export type ExportedPayment = Awaited<ReturnType<typeof readWithSessions>>[number];

const readWithSessions = (_db: Db, matching: AnyQuery) =>
  matching
    .innerJoin('sessions', 'sessions.id', 'session_payments.session_id')
    .leftJoin('plate_readings as entry', 'entry.id', 'sessions.entry_reading_id')
    .leftJoin('tariff_versions as version', 'version.id', 'sessions.tariff_version_id')
    .select([
      'session_payments.id',
      'session_payments.session_id',
      'session_payments.lot_id',
      'session_payments.amount_minor',
      'session_payments.reference',
      'session_payments.reason',
      'session_payments.source_type',
      'session_payments.source_id',
      'session_payments.created_by_name',
      'session_payments.created_at',
      'sessions.public_id',
      'sessions.zone_id',
      'sessions.currency',
      'entry.plate',
      'version.name as tariff_name',
      'version.vat',
    ])
    .execute();
