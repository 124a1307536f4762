/** Files that the console gives people: members, and what came of an import. */
import { BYTE_ORDER_MARK, type CsvCell, csvLine } from '../../../shared/csv-codec.js';
import type { KnownMember } from './decide-member-lines.js';
import { MEMBER_COLUMNS } from './member-file-parser.js';

/** A file as spreadsheets open it: with the mark by which Excel knows UTF-8. */
export const csvFile = (header: readonly string[], lines: readonly (readonly CsvCell[])[]): string =>
  BYTE_ORDER_MARK + [header, ...lines].map(csvLine).join('');

/** All that an import reads again; no spreadsheet makes a number or a date of a plate meanwhile. */
export const membersCsv = (members: readonly KnownMember[]): string =>
  csvFile(
    MEMBER_COLUMNS,
    members.map(({ id, name, plates, email, description, valid_from, valid_until, groups }) => [
      id,
      name,
      { text: plates.join(' | ') },
      email,
      description,
      valid_from ?? '',
      valid_until ?? '',
      groups.map((each) => each.name).join(' | '),
    ]),
  );
