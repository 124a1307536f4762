import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import { CSV_SEPARATORS, type CsvCell, csvLine, parseCsv, textOfCell } from '../../shared/csv-codec.js';
import { readCsv } from '../integration/session/read-csv.js';

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

  it.each([
    '0012',
    '12E5',
    '1e10',
    '1234',
    '12-34',
    '1/2',
    '12:30',
    '1.234,50',
    '50%',
    '٠١٢',
    'MAR1',
    '1 Jan',
    'DEZ 24',
    '3-Okt-2026',
  ])('keeps %j a text where it must be one: a formula says so, and a program reads it back', (text) => {
    const cells = cellsOf([{ text }, 'x']);
    expect(cells).toEqual([`="${text}"`, 'x']);
    expect(textOfCell(cells[0] ?? '')).toBe(text);
    expect(cellsOf([text])).toEqual([text]);
  });

  it.each(['ZG1234AB', 'B-NO 1234', 'E5', '12E', 'JAN', 'MARK1X', '', '=1+1', '-2', '1;2', '1"2'])(
    'writes %j as ever, which no spreadsheet turns into a number',
    (text) => {
      expect(csvLine([{ text }])).toBe(csvLine([text]));
    },
  );

  it('makes a formula of no text that could end it', () => {
    const piece = fc.constantFrom('1', 'E', '"', ';', ',', '=', '-', ' ', '.', '/', '\n', 'MAR');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const [cell = ''] = cellsOf([{ text: pieces.join('') }, 'x']);
        if (cell.startsWith('=')) expect(cell).toMatch(/^="[^";=\n]*"$/);
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
        fc.string({ unit: fc.anyCharacter, minLength: 1, maxLength: 1 }),
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

describe('reading CSV', () => {
  const cellsIn = (text: string) => parseCsv(text).rows.map(({ cells }) => cells);

  it.each([
    ['commas', 'a,b\r\n1,2\r\n', ','],
    ['semicolons, as Excel writes them where commas stand in numbers', 'a;b\r\n1,5;2\r\n', ';'],
    ['tabs', 'a\tb\n1\t2', '\t'],
    ['a mark of Excel', 'sep=;\r\na,x;b\r\n1;2', ';'],
    ['separators within quotes of the first row', '"a;;;;",b\n1,2', ','],
  ])('finds out what separates cells: %s', (_, text, separator) => {
    const read = parseCsv(text);
    expect(read.separator).toBe(separator);
    expect(read.rows.map(({ cells }) => cells.length)).toEqual([2, 2]);
  });

  it('takes quotes, line breaks in them, any end of line, and a byte order mark', () => {
    expect(cellsIn('\uFEFF"a","b ""c"""\r\n"1\n2",3\r4,5\n')).toEqual([
      ['a', 'b "c"'],
      ['1\n2', '3'],
      ['4', '5'],
    ]);
  });

  it('keeps quotes within a cell that does not begin with one, and empty cells at the end', () => {
    expect(cellsIn('a,5" pipe,\n1,,')).toEqual([
      ['a', '5" pipe', ''],
      ['1', '', ''],
    ]);
  });

  it('tells the line of each row in the file, and leaves out those that hold nothing', () => {
    const { rows } = parseCsv('a,b\n\n,\n"x\ny",1\nz,2\n');
    expect(rows.map(({ line, cells }) => [line, cells[0]])).toEqual([
      [1, 'a'],
      [4, 'x\ny'],
      [6, 'z'],
    ]);
  });

  it('tells where a quote begins that nothing ends', () => {
    expect(parseCsv('a,b\n1,"open\n2,3\n').openQuoteAt).toBe(2);
    expect(parseCsv('a,b\n1,"closed"\n').openQuoteAt).toBeNull();
  });

  it('reads an empty file', () => {
    expect(parseCsv('')).toEqual({ separator: ',', rows: [], openQuoteAt: null });
  });

  it('brings back what was written, without the apostrophes of formulas', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', ',', ';', '\t', '\r', '\n', '=', '-', '@', 'a', 'ž', ' '),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (cells) => {
        const { rows } = parseCsv(csvLine(cells.map((_, at) => `c${at}`)) + csvLine(cells));
        const isBlank = cells.every((cell) => cell.trim() === '' && !/^[\t\r\n]/.test(cell));
        expect(rows[1]?.cells.map(textOfCell)).toEqual(isBlank ? undefined : cells);
      }),
    );
  });

  it('reads any text to its end, whatever separates it', () => {
    const text = fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\r', '\n', 'a'), maxLength: 60 });
    fc.assert(
      fc.property(text, (given) => {
        const { separator, rows } = parseCsv(given);
        expect(CSV_SEPARATORS).toContain(separator);
        expect(rows.every(({ cells }) => cells.length > 0)).toBe(true);
      }),
    );
  });

  it('reads a megabyte with a quote that nothing ends in no time', () => {
    const { rows, openQuoteAt } = parseCsv(`a,b\n"${'x,y\n'.repeat(250_000)}`);
    expect([rows.length, openQuoteAt]).toEqual([250_001, 2]);
  });
});
