/** What columns of exports are made with: a time is told by the clocks of its lot, too. */
import type { CsvCell } from '../../../shared/csv-codec.js';
import { localTimeText, utcOffsetText } from '../../../shared/local-time-text.js';
import type { LineOf } from '../../rest/entry.js';
import type { ExportNames } from './export-names-queries.js';

/** Columns by their names, in their order. New ones come last: programs read some by their place. */
export type ExportColumns<Row> = Readonly<Record<string, (row: Row, names: ExportNames) => CsvCell>>;

/** Writes rows as lines of a file, each with the cells of its columns. */
export function linesOf<Row>(
  columns: ExportColumns<Row>,
  { names, line }: { names: ExportNames; line: LineOf },
): (rows: readonly Row[]) => string {
  const named = Object.entries(columns);
  const lineFor = (row: Row) => line(named.map(([name, cell]) => [name, cell(row, names)]));
  return (rows) => rows.map(lineFor).join('');
}

type Placed = { lot_id: number | null };

export const timezoneOfRow = ({ lot_id }: Placed, { timezones }: ExportNames): string =>
  timezones.get(lot_id ?? 0) ?? 'UTC';

/** A time by the clocks of the lot. */
export const localTimeOf = (iso: string | null, ...of: Parameters<typeof timezoneOfRow>): string | null =>
  iso === null ? null : localTimeText(Date.parse(iso), timezoneOfRow(...of));

/** How far these clocks are from UTC. */
export const utcOffsetOf = (iso: string | null, ...of: Parameters<typeof timezoneOfRow>): string | null =>
  iso === null ? null : utcOffsetText(Date.parse(iso), timezoneOfRow(...of));
