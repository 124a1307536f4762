/** A file of members: what its columns are, and what stands in its lines. */
import { type CsvSeparator, isTextCell, parseCsv, textOfCell } from '../../../shared/csv-codec.js';

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

/** How people call the columns in the three languages, in small letters without accents, spaces and signs. */
const CALLED: Readonly<Record<MemberColumn, readonly string[]>> = {
  id: ['id', 'nummer', 'broj'],
  name: ['name', 'membername', 'fullname', 'mitglied', 'ime', 'imeiprezime', 'clan'],
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
  ],
  email: ['email', 'emailaddress', 'mail', 'emailadresse', 'mailadresse', 'eposta', 'adresaeposte'],
  description: ['description', 'note', 'notes', 'beschreibung', 'notiz', 'bemerkung', 'opis', 'napomena'],
  valid_from: ['validfrom', 'from', 'gultigab', 'ab', 'von', 'vrijediod', 'od'],
  valid_until: ['validuntil', 'until', 'gultigbis', 'bis', 'vrijedido', 'do'],
  groups: ['groups', 'group', 'gruppe', 'gruppen', 'grupa', 'grupe', 'skupina', 'skupine'],
};

/** One request after the other takes a tenth of a second: more than this is work for a program. */
export const LINES_MAX = 10_000;

export type FileFault =
  | { kind: 'empty' | 'noName' }
  | { kind: 'columnTwice'; column: MemberColumn }
  | { kind: 'openQuote'; line: number }
  | { kind: 'tooManyLines'; count: number };

export interface MemberRow {
  /** Of the file, from 1. */
  line: number;
  /** Of the columns that the file has. */
  values: Partial<Record<MemberColumn, string>>;
  /** Its plate is written so that a spreadsheet cannot have changed it. */
  hasSafePlate: boolean;
  /** It has more cells than the first line names. */
  hasTooMany: boolean;
}

export interface MemberFile {
  separator: CsvSeparator;
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
    columns: known,
    otherColumns: names.filter((each, at) => columns[at] === null && each !== ''),
    rows: others.map(({ line, cells }) => ({
      line,
      values: Object.fromEntries(
        columns.flatMap((column, at) =>
          column === null
            ? []
            : [
                [
                  column,
                  textOfCell(cells[at] ?? '')
                    .normalize('NFC')
                    .trim(),
                ],
              ],
        ),
      ),
      hasSafePlate: isTextCell(cells[columns.indexOf('license_plate')] ?? ''),
      hasTooMany: cells.slice(names.length).some((cell) => cell.trim() !== ''),
    })),
  };
  return { ...file, fault: faultOf(file, openQuoteAt) };
}

function columnCalled(name: string): MemberColumn | null {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return MEMBER_COLUMNS.find((column) => CALLED[column].includes(plain)) ?? null;
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
