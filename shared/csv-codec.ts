/** Lines of CSV (RFC 4180), written so that no spreadsheet computes them, and read from whatever spreadsheets write. */

/** A text that a spreadsheet has to keep as it is, also where it would take it for a number or a date, as a plate `0012` or `12E5`. */
export interface TextCell {
  text: string;
}

export type CsvCell = string | number | boolean | null | TextCell;

/** A spreadsheet would treat a text that begins like this as a formula. */
const FORMULA = /^"*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/**
 * The same within a text: where semicolons separate cells, as in much of Europe, a spreadsheet splits our lines at them, and at tabs and
 * line breaks, because there no quote is seen at the beginning of a cell.
 */
const FORMULA_WITHIN = /([;\t\r\n]"*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEEDS_QUOTES = /[",\r\n]/;
/** What spreadsheets take for a number, a date or a time, in whose place they show another text. */
const LIKE_NUMBER = /^[., :/-]*\p{Nd}[\p{Nd}., :/-]*(?:E[+-]?\p{Nd}+)?%?$/iu;
const LIKE_DATE =
  /^(?=.*\d)\d{0,4}[ ./-]?(?:jan|feb|mar|m\u00E4r|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\p{L}*[ ./-]?\d{0,4}$/iu;
/** The formula by which a cell is one of these texts. */
const TEXT_FORMULA = /^="([^"]*)"$/;

/** Most texts need neither quotes nor an apostrophe; this test finds them quickly. */
const PLAIN = /^[\w:.]*$/;

/** The apostrophes that `csvLine` puts before formulas. */
const DISARMED = /^'(?="*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/;
const DISARMED_WITHIN = /([;\t\r\n]"*)'(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Excel takes a file for UTF-8 only if it begins with this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Writes one line with its line break. What could be a formula in a text is prefixed with an apostrophe; numbers are never formulas. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return textCell(cell.text);
  if (typeof cell !== 'string') return String(cell);
  if (PLAIN.test(cell)) return cell;
  const text = `${FORMULA.test(cell) ? "'" : ''}${cell.replace(FORMULA_WITHIN, "$1'")}`;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textCell(text: string): string {
  const isTaken = !FORMULA.test(text) && (LIKE_NUMBER.test(text) || LIKE_DATE.test(text));
  // There is no quote in such a text that would end the formula.
  return isTaken ? `"=""${text}"""` : csvCell(text);
}

/** A text as it was before `csvLine` took its formulas from it, or made it one. */
export const textOfCell = (cell: string): string =>
  TEXT_FORMULA.exec(cell)?.[1] ?? cell.replace(DISARMED, '').replace(DISARMED_WITHIN, '$1');

export const CSV_SEPARATORS = [',', ';', '\t'] as const;
export type CsvSeparator = (typeof CSV_SEPARATORS)[number];

export interface CsvRow {
  /** Of the file, from 1: where the row begins. A row whose cells hold line breaks has several. */
  line: number;
  cells: string[];
}

export interface CsvText {
  separator: CsvSeparator;
  /** Without rows that hold nothing. */
  rows: CsvRow[];
  /** The line with a quote that nothing ends; null: every quote is ended. */
  openQuoteAt: number | null;
}

/**
 * Reads a file. What separates its cells is found out: the character that its first row has most of, or the one that Excel's `sep=` names. A
 * byte order mark, any line break, and quotes within a cell that does not begin with one are accepted.
 */
export function parseCsv(text: string): CsvText {
  const marked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const [named, given] = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(marked) ?? [];
  const separator = CSV_SEPARATORS.find((each) => each === given) ?? separatorOf(marked);
  const body = marked.slice(named?.length ?? 0);
  return { separator, ...readRows(body, separator, named === undefined ? 1 : 2) };
}

function separatorOf(text: string): CsvSeparator {
  const lines = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]+/);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const countOf = (each: string) => first.split(each).length;
  return CSV_SEPARATORS.reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}

function readRows(text: string, separator: string, firstLine: number): Pick<CsvText, 'rows' | 'openQuoteAt'> {
  const rows: CsvRow[] = [];
  const bare = `[^${separator}\\r\\n]*`;
  // A cell in quotes with what stands behind them, or one without; and what ends it.
  const next = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"(?!")(${bare})|(${bare}))(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
  let line = firstLine;
  let row: CsvRow = { line, cells: [] };
  let openQuoteAt: number | null = null;
  while (next.lastIndex < text.length) {
    const [, quoted, behind = '', plain = '', end = ''] = next.exec(text) ?? [];
    if (quoted === undefined && plain.startsWith('"')) openQuoteAt ??= line;
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + behind);
    line += (quoted ?? '').split(/\r\n|\r|\n/).length - 1;
    if (end === separator && next.lastIndex < text.length) continue;
    if (end === separator) row.cells.push('');
    else line += 1;
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
    row = { line, cells: [] };
  }
  return { rows, openQuoteAt };
}
