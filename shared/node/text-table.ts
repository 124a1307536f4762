/** Tables on a terminal: names of every script keep their columns, and a table that is wider than the terminal is folded. */
import { eastAsianWidth } from 'get-east-asian-width';
import { printable } from './printable.js';

/** Between columns. */
const GAP = '  ';
/** No column is folded to less: a word in pieces is harder to read than a list. */
const COLUMN_MIN = 10;
/** They stand on the character before them. */
const MARK = /[\p{M}\p{Cf}]/u;

/**
 * Returns how many cells a line of the terminal has; no terminal has no bound, so that programs find one line for each
 * row.
 */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || Infinity : Infinity);

/** Counts the cells of a terminal that a printable text fills. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) if (!MARK.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/**
 * Renders rows under their head, in columns. A table that is wider than the terminal has its widest columns folded; when that does not help,
 * each row becomes a list of its values.
 * @param width of the terminal in cells; left out: any
 */
export function renderTable(head: readonly string[], rows: readonly string[][], width = Infinity): string[] {
  const cells = rows.map((row) => head.map((_, column) => printable(row[column] ?? '')));
  if (cells.length === 0) return [...fold(head.join(GAP), width), '(none)'];
  const natural = head.map((title, column) =>
    Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(widthOf)),
  );
  const widths = fitted(natural, width);
  if (widths === null) return asLists(head, cells, width);
  return [head, ...cells].flatMap((row) => foldedRow(row, widths));
}

/** The widths at which the columns fit, the widest ones narrowed first; null: they do not. */
function fitted(natural: readonly number[], width: number): number[] | null {
  const room = width - GAP.length * (natural.length - 1);
  const widths = [...natural];
  let over = widths.reduce((sum, each) => sum + each, 0) - room;
  while (over > 0) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_MIN) return null;
    widths[widths.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}

function foldedRow(row: readonly string[], widths: readonly number[]): string[] {
  const folded = row.map((cell, column) => fold(cell, widths[column] ?? 0));
  return Array.from({ length: Math.max(...folded.map(({ length }) => length)) }, (_, line) =>
    folded
      .map((lines, column) => padded(lines[line] ?? '', widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** One list for each row: its first two values, and the others by their names. Columns without a value are left out. */
function asLists(head: readonly string[], rows: readonly string[][], width: number): string[] {
  const names = Math.max(...head.slice(2).map(widthOf));
  return rows.flatMap(([first = '', second = '', ...others], index) => [
    ...(index === 0 ? [] : ['']),
    ...fold(`${first}${GAP}${second}`.trimEnd(), width),
    ...others.flatMap((cell, column) => {
      if (cell === '' || cell === '-') return [];
      const indent = GAP.length + names + GAP.length;
      return fold(cell, Math.max(width - indent, COLUMN_MIN)).map(
        (line, at) => `${GAP}${padded(at === 0 ? (head[column + 2] ?? '') : '', names)}${GAP}${line}`,
      );
    }),
  ]);
}

/** How wide the names of facts are at least, and how far a longer one stands from what is said. */
const NAME_WIDTH = 10;
const NAME_GAP = 2;

/** Renders names with what is said of them, one under the other. @param width of the terminal in cells; left out: any */
export function renderFacts(facts: readonly (readonly [name: string, text: string])[], width = Infinity): string[] {
  const nameWidth = Math.max(NAME_WIDTH, ...facts.map(([name]) => widthOf(name) + NAME_GAP));
  return facts.flatMap(([name, text]) =>
    fold(printable(text), width - nameWidth).map((line, at) =>
      `${padded(at === 0 ? name : '', nameWidth)}${line}`.trimEnd(),
    ),
  );
}

/** Lines of at most this width, broken between words, and within a word that is longer than a line. */
function fold(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && widthOf(piece + character) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
