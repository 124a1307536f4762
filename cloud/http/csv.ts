/** CSV files that are sent while they are read (RFC 4180). */
import type { Context } from 'hono';
import type { HttpEnv } from './http-env.js';
import { reply } from './reply.js';

export type CsvCell = string | number | boolean | null;

/** A spreadsheet would treat a text that begins like this as a formula. */
const FORMULA = /^"*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/**
 * The same within a text: where semicolons separate cells, as in much of Europe, a spreadsheet splits our lines at them, and at tabs and
 * line breaks, because there no quote is seen at the beginning of a cell.
 */
const FORMULA_WITHIN = /([;\t\r\n]"*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEEDS_QUOTES = /[",\r\n]/;
/** Most texts need neither quotes nor an apostrophe; this test finds them quickly. */
const PLAIN = /^[\w:.]*$/;

/** Writes one line with its line break. What could be a formula in a text is prefixed with an apostrophe; numbers are never formulas. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  if (PLAIN.test(cell)) return cell;
  const text = `${FORMULA.test(cell) ? "'" : ''}${cell.replace(FORMULA_WITHIN, "$1'")}`;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface FileBeginning {
  header: readonly string[];
  /** Excel takes a file for UTF-8 only if it begins with this mark. */
  hasByteOrderMark: boolean;
}

/**
 * Answers with a file for people.
 * @param pieces lines; the next piece is read when the client has received the one before. What the first one throws is thrown here, so
 * that it can still be answered
 */
export async function csvResponse(
  c: Context<HttpEnv>,
  file: { name: string; pieces: AsyncIterable<string> } & FileBeginning,
): Promise<Response> {
  const pieces = file.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  const beginning = `${file.hasByteOrderMark ? '\uFEFF' : ''}${csvLine(file.header)}`;
  return reply(c, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${file.name}"`,
    },
    body: streamOf(first.done === true ? beginning : beginning + first.value, pieces),
  });
}

function streamOf(first: string, others: AsyncIterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      const { done, value } = await others.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await others.return?.();
    },
  });
}
