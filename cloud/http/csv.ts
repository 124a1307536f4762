/** CSV files that are sent while they are read (RFC 4180). */
import type { Context } from 'hono';
import type { HttpEnv } from './http-env.js';
import { reply } from './reply.js';

export type CsvCell = string | number | boolean | null;

/** A spreadsheet would treat a text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Most texts need neither quotes nor an apostrophe; this test finds them quickly. */
const PLAIN = /^[\w:.]*$/;

/** Writes one line with its line break. Texts that could be formulas are prefixed with an apostrophe; numbers are never formulas. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  if (PLAIN.test(cell)) return cell;
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface FileBeginning {
  header: readonly string[];
  /** Excel takes a file for UTF-8 only if it begins with this mark. */
  hasByteOrderMark: boolean;
}

/**
 * Answers with a file for people.
 * @param pieces lines; the next piece is read when the client has received the one before
 */
export function csvResponse(
  c: Context<HttpEnv>,
  file: { name: string; pieces: AsyncIterable<string> } & FileBeginning,
): Response {
  return reply(c, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${file.name}"`,
    },
    body: streamOf(withHeader(file)),
  });
}

async function* withHeader(file: { pieces: AsyncIterable<string> } & FileBeginning): AsyncGenerator<string> {
  yield `${file.hasByteOrderMark ? '\uFEFF' : ''}${csvLine(file.header)}`;
  yield* file.pieces;
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
