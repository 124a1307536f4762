/** A file of members: what its columns are, and what stands in its lines. */
import { type CsvSeparator, isTextCell, parseCsv, textOfCell } from '../../../shared/csv-codec.js';
import { platesIn } from '../../../shared/plate/typed-plate.js';

export const MEMBER_COLUMNS = [
  'id',
  'name',
  'license_plate',
  'email',
  'description',
  'valid_from',
  'valid_until',
  'groups',
] as const;
export type MemberColumn = (typeof MEMBER_COLUMNS)[number];

/** How people call the columns in the four languages, in small letters without accents, spaces and signs. */
const CALLED: Readonly<Record<MemberColumn, readonly string[]>> = {
  id: ['id', 'nummer', 'broj', 'szam', 'azonosito'],
  name: ['name', 'membername', 'fullname', 'mitglied', 'ime', 'imeiprezime', 'clan', 'nev', 'teljesnev', 'tag'],
  license_plate: [
    'licenseplate',
    'licenceplate',
    'plate',
    'registration',
    'kennzeichen',
    'nummernschild',
    'tablica',
    'registracija',
    'registarskaoznaka',
    'registarskatablica',
    'plates',
    'licenseplates',
    'licenceplates',
    'registrations',
    'secondplate',
    'nummernschilder',
    'zweiteskennzeichen',
    'weiterekennzeichen',
    'tablice',
    'registracije',
    'registarskeoznake',
    'drugaregistracija',
    'rendszam',
    'rendszamok',
    'masodikrendszam',
    'tovabbirendszam',
    'tovabbirendszamok',
  ],
  email: ['email', 'emailaddress', 'mail', 'emailadresse', 'mailadresse', 'eposta', 'adresaeposte', 'emailcim'],
  description: [
    'description',
    'note',
    'notes',
    'beschreibung',
    'notiz',
    'bemerkung',
    'opis',
    'napomena',
    'leiras',
    'megjegyzes',
  ],
  valid_from: ['validfrom', 'from', 'gultigab', 'ab', 'von', 'vrijediod', 'od', 'ettol', 'kezdet', 'ervenyesettol'],
  valid_until: ['validuntil', 'until', 'gultigbis', 'bis', 'vrijedido', 'do', 'eddig', 'veg', 'ervenyeseddig'],
  groups: ['groups', 'group', 'gruppe', 'gruppen', 'grupa', 'grupe', 'skupina', 'skupine', 'csoport', 'csoportok'],
};

/** As many as the service accepts at once. */
export const LINES_MAX = 10_000;

export type FileFault =
  | { kind: 'empty' | 'noName' }
  | { kind: 'columnTwice'; column: MemberColumn }
  | { kind: 'openQuote'; line: number }
  | { kind: 'tooManyLines'; count: number };

export interface PlateCell {
  plate: string;
  /** It is written so that a spreadsheet cannot have changed it. */
  isSafe: boolean;
}

export interface MemberRow {
  /** Of the file, from 1. */
  line: number;
  /** Of the columns that the file has, without its plates. */
  values: Partial<Record<Exclude<MemberColumn, 'license_plate'>, string>>;
  /** Of all columns of plates, and all plates of a cell; left out: the file has no such column. */
  plates?: readonly PlateCell[];
  /** It has more cells than the first line names. */
  hasTooMany: boolean;
}

export interface MemberFile {
  separator: CsvSeparator;
  /** Each once. */
  columns: readonly MemberColumn[];
  /** The columns that are not read, as they are called. */
  otherColumns: readonly string[];
  rows: readonly MemberRow[];
  /** Why nothing of it can be taken; null: it can. */
  fault: FileFault | null;
}

export function parseMemberFile(text: string): MemberFile {
  const { separator, rows, openQuoteAt } = parseCsv(text);
  const [header, ...others] = rows;
  const names = (header?.cells ?? []).map((each) => each.trim());
  const columns = names.map(columnCalled);
  const known = columns.filter((each) => each !== null);
  const file = {
    separator,
    columns: known.filter((each, at) => each !== 'license_plate' || known.indexOf(each) === at),
    otherColumns: names.filter((each, at) => columns[at] === null && each !== ''),
    rows: others.map(({ line, cells }) => ({
      line,
      ...rowOf(columns.map((column, at) => ({ column, cell: cells[at] ?? '' }))),
      hasTooMany: cells.slice(names.length).some((cell) => cell.trim() !== ''),
    })),
  };
  return { ...file, fault: faultOf(file, openQuoteAt) };
}

function rowOf(cells: readonly { column: MemberColumn | null; cell: string }[]): Pick<MemberRow, 'values' | 'plates'> {
  const plateCells = cells.filter(({ column }) => column === 'license_plate');
  const others = cells.flatMap(({ column, cell }) =>
    column === null || column === 'license_plate' ? [] : [[column, writtenIn(cell)] as const],
  );
  return {
    values: Object.fromEntries(others),
    ...(plateCells.length === 0 ? {} : { plates: plateCells.flatMap(({ cell }) => platesOfCell(cell)) }),
  };
}

const writtenIn = (cell: string): string => textOfCell(cell).normalize('NFC').trim();

/** No plate has one of these: what stands between them may be shorter than plates usually are. */
const BETWEEN_PLATES = /[;|\r\n]/;

function platesOfCell(cell: string): PlateCell[] {
  const plates = writtenIn(cell).split(BETWEEN_PLATES).flatMap(platesIn);
  // What a spreadsheet makes of a text holds no second plate.
  const isSafe = isTextCell(cell) || plates.length > 1;
  return plates.map((plate) => ({ plate, isSafe }));
}

/** Columns of further plates may be numbered. */
function columnCalled(name: string): MemberColumn | null {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  const called = MEMBER_COLUMNS.find((column) => CALLED[column].includes(plain));
  if (called !== undefined) return called;
  return CALLED.license_plate.includes(plain.replace(/\d+$/, '')) ? 'license_plate' : null;
}

function faultOf({ columns, rows }: Omit<MemberFile, 'fault'>, openQuoteAt: number | null): FileFault | null {
  const twice = columns.find((each, at) => columns.indexOf(each) !== at);
  if (columns.length === 0 && rows.length === 0) return { kind: 'empty' };
  if (openQuoteAt !== null) return { kind: 'openQuote', line: openQuoteAt };
  if (!columns.includes('name') && !columns.includes('id')) return { kind: 'noName' };
  if (twice !== undefined) return { kind: 'columnTwice', column: twice };
  if (rows.length === 0) return { kind: 'empty' };
  return rows.length > LINES_MAX ? { kind: 'tooManyLines', count: rows.length } : null;
}
