/** What things are called in files that people open. */
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { timezonesOfLots } from '../../site/entry.js';

/** By their ids, of deleted things, too. */
export interface ExportNames {
  lots: ReadonlyMap<number, string>;
  zones: ReadonlyMap<number, string>;
  /** Of the lots. */
  timezones: ReadonlyMap<number, string>;
}

export async function readExportNames(
  db: Db,
  { account_id, lot_ids }: Pick<Caller, 'account_id' | 'lot_ids'>,
): Promise<ExportNames> {
  const namesIn = async (...tables: readonly ('lots' | 'deleted_lots' | 'zones' | 'deleted_zones')[]) => {
    const rows = await Promise.all(
      tables.map((table) => db.selectFrom(table).select(['id', 'name']).where('account_id', '=', account_id).execute()),
    );
    return new Map(rows.flat().map(({ id, name }) => [id, name]));
  };
  return {
    lots: await namesIn('deleted_lots', 'lots'),
    zones: await namesIn('deleted_zones', 'zones'),
    timezones: await timezonesOfLots(db, [...lot_ids]),
  };
}
