import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvCell, csvLine } from '../../../cloud/http/csv.js';
import { readCsv } from '../../integration/session/read-csv.js';

/** The cells as a program reads them. */
function cellsOf(cells: readonly CsvCell[]): string[] {
  const header = csvLine(cells.map((_, index) => `column${index}`));
  const [line] = readCsv(header + csvLine(cells));
  return Object.values(line ?? {});
}

describe('a line of CSV', () => {
  it('shows numbers, flags and nothing as they are', () => {
    expect(csvLine([1, -1.5, true, null, ''])).toBe('1,-1.5,true,,\r\n');
  });

  it.each(['=1+1', '+49', '-2', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x', '=cmd|"/c calc"!A0'])(
    'disarms %j: no spreadsheet computes it',
    (text) => {
      expect(cellsOf([text, 'x'])).toEqual([`'${text}`, 'x']);
    },
  );

  // A spreadsheet that splits at semicolons sees cells that begin here, whatever the quotes say.
  const inner = [';', '\t', '\r', '\n', '\r\n', ';"', ';;'].flatMap((split) =>
    ['=', '+', '-', '@', '＝', '＋', '－', '＠'].map((sign) => ({ split, sign })),
  );
  it.each(inner)('disarms $sign after $split within a text', ({ split, sign }) => {
    expect(cellsOf([`a${split}${sign}1`, 'x'])).toEqual([`a${split}'${sign}1`, 'x']);
  });

  it('leaves no cell to a spreadsheet that splits lines at semicolons, tabs or commas', () => {
    const piece = fc.constantFrom(';', '\t', '\r', '\n', ',', '"', '=', '+', '-', '@', 'a', '1', "'", ' ');
    const texts = fc.array(fc.array(piece, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, (parts) => {
        const line = csvLine(parts.map((each) => each.join('')));
        // Quotes are left out as well as kept: what is at the beginning of a cell is seen either way.
        for (const seen of [line, line.replaceAll('"', '')]) {
          for (const cell of seen.split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^[=+\-@]/);
        }
      }),
    );
  });

  it.each([-1, -0.5, -12_345.67])('keeps %d a number', (number) => {
    expect(csvLine([number, 'x'])).toBe(`${number},x\r\n`);
  });

  it.each(['a=1', ' =1', "'=1", '1-2', 'ZG 12-34', '日本=1'])('leaves %j alone', (text) => {
    expect(cellsOf([text])).toEqual([text]);
  });

  it('brings every text back, whatever it holds', () => {
    const anyText = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', ',', '\r', '\n', '=', "'"),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (texts) => {
        const read = cellsOf(texts);
        expect(read).toHaveLength(texts.length);
        for (const [index, cell] of read.entries()) {
          expect(cell.replaceAll("'", '')).toBe(texts[index]?.replaceAll("'", ''));
          expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        }
      }),
    );
  });
});
