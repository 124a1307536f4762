/** The endpoint of every export: a list as a CSV file, which is sent while it is read. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { type CsvCell, csvLine } from '../../../shared/csv-codec.js';
import type { Logger } from '../../../shared/logger.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import { createExportTurns } from '../../kernel/limit/entry.js';
import type { CloudStore, RunReport } from '../../kernel/store/entry.js';
import { inLocalDays } from '../list/local-day-queries.js';
import type { ListRequest } from '../list/list-table.js';
import { csvResponse } from '../request/csv.js';
import { type Endpoint, sendingEndpoint } from '../request/endpoint.js';
import { flagParameter } from '../request/parameters.js';
import { OVERLOAD } from '../request/route-description.js';
import { filterQuery } from './list-endpoint.js';

/** How many rows one query of an export has: converting them takes the thread a few milliseconds. */
export const EXPORT_PIECE_ROWS = 100;

/** The columns that `text` is about. */
const PLATES: ReadonlySet<string> = new Set(['entry_license_plate', 'exit_license_plate', 'license_plate', 'plate']);

const csvSchema = z.string();

type ExportedTable = Parameters<typeof filterQuery>[0] & Parameters<typeof inLocalDays>[1]['table'];

/** A list whose rows are exported, with the query of the export. It is made once: the document keeps each schema for ever. */
export const exportOf = <Table extends ExportedTable>(table: Table) => ({
  table,
  query: filterQuery(table).extend({ bom: flagParameter, text: flagParameter }),
});

/** The rows that an export has. */
export type ExportAsked = Pick<ListRequest, 'caller' | 'conditions'>;

/** Writes a line of cells by the names of their columns. */
export type LineOf = (cells: readonly (readonly [string, CsvCell])[]) => string;

interface Exported extends ReturnType<typeof exportOf> {
  path: string;
  auditAs: string;
  summary: string;
  tag: string;
  name: string;
  header: readonly string[];
  piecesOf: (report: RunReport, asked: ExportAsked, lineOf: LineOf) => AsyncGenerator<string>;
}

/** Makes the endpoint of an export. */
export type ExportEndpoint = (options: Exported) => Endpoint;

/** @returns what makes the endpoints of exports; those of one account share its turns */
export function createExports(deps: {
  store: Pick<CloudStore, 'report'>;
  logger: Logger;
  clock: Clock;
}): ExportEndpoint {
  const { store, logger, clock } = deps;
  const turns = createExportTurns({ clock });
  return ({ path, auditAs, summary, tag, name, header, table, query: querySchema, piecesOf }) =>
    sendingEndpoint({
      method: 'get',
      path,
      auditAs,
      summary,
      tag,
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

const lineOf: LineOf = (cells) => csvLine(cells.map(([, cell]) => cell));

/** Likewise, with plates that no spreadsheet turns into numbers. */
const lineOfTexts: LineOf = (cells) =>
  csvLine(cells.map(([name, cell]) => (PLATES.has(name) && typeof cell === 'string' ? { text: cell } : cell)));

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
