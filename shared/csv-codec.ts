/** Reads and writes CSV (RFC 4180). Written cells are safe from being evaluated by spreadsheets; files of all common spreadsheets can be read. */

/** Text that a spreadsheet must keep unchanged even where it looks like a number or a date, such as the plate `0012` or `12E5`. */
export interface TextCell {
  text: string;
}

export type CsvCell = string | number | boolean | null | TextCell;

/** A spreadsheet would evaluate a text that begins like this as a formula. */
const FORMULA = /^"*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/**
 * The same inside a text. A spreadsheet that expects semicolons between cells, as in much of Europe, splits our comma-separated lines at
 * semicolons, tabs and line breaks, even inside quotes.
 */
const FORMULA_WITHIN = /([;\t\r\n]"*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEEDS_QUOTES = /[",\r\n]/;
/** Texts that spreadsheets convert to a number, a date or a time, and then show differently. */
const LIKE_NUMBER = /^[., :/-]*\p{Nd}[\p{Nd}., :/-]*(?:E[+-]?\p{Nd}+)?%?$/iu;
const LIKE_DATE =
  /^(?=.*\d)\d{0,4}[ ./-]?(?:jan|feb|mar|m\u00E4r|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\p{L}*[ ./-]?\d{0,4}$/iu;
/** The formula that `csvLine` writes around a `TextCell`. */
const TEXT_FORMULA = /^="([^"]*)"$/;

/** Most texts need neither quotes nor an apostrophe. This test recognises them quickly. */
const PLAIN = /^[\w:.]*$/;

/** The apostrophe that `csvLine` puts before a formula. */
const DISARMED = /^'(?="*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/;
const DISARMED_WITHIN = /([;\t\r\n]"*)'(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Excel reads a file as UTF-8 only if it begins with this mark. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Writes one line with its line break. A text that could be a formula is prefixed with an apostrophe; numbers are never formulas. */
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
  const isMisread = !FORMULA.test(text) && isMisreadBySpreadsheet(text);
  // Such a text contains no quote, so it cannot end the formula early.
  return isMisread ? `"=""${text}"""` : csvCell(text);
}

/**
 * Says whether a spreadsheet converts the text to a number, a date or a time, or may have made it of another text that
 * way.
 */
export const isMisreadBySpreadsheet = (text: string): boolean => LIKE_NUMBER.test(text) || LIKE_DATE.test(text);

/** Says whether the cell is written so that spreadsheets keep its text unchanged. */
export const isTextCell = (cell: string): boolean => TEXT_FORMULA.test(cell);

/** Returns a cell's text without the apostrophe or formula that `csvLine` added. */
export const textOfCell = (cell: string): string =>
  TEXT_FORMULA.exec(cell)?.[1] ?? cell.replace(DISARMED, '').replace(DISARMED_WITHIN, '$1');

export const CSV_SEPARATORS = [',', ';', '\t'] as const;
export type CsvSeparator = (typeof CSV_SEPARATORS)[number];

export interface CsvRow {
  /** The number of the line in the file where the row begins, from 1. A row whose cells contain line breaks spans several lines. */
  line: number;
  cells: string[];
}

export interface CsvText {
  separator: CsvSeparator;
  /** Rows in which every cell is empty are left out. */
  rows: CsvRow[];
  /** The number of the line with a quote that is never closed; null: every quote is closed. */
  openQuoteAt: number | null;
}

/**
 * Parses a file. The separator is the character that occurs most often in the first row, or the one that Excel's `sep=` names. Also accepted
 * are a byte order mark, any kind of line break, and quotes inside a cell that does not begin with one.
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
  // Matches a quoted cell with any text after its closing quote, or an unquoted cell; and then the separator or line end.
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
