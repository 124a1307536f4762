/** What things are called in files that people open. */
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { timezonesOfLots } from '../lot/lot-queries.js';

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
  return {
    lots: await namesIn(db, account_id, 'deleted_lots', 'lots'),
    zones: await namesIn(db, account_id, 'deleted_zones', 'zones'),
    timezones: await timezonesOfLots(db, [...lot_ids]),
  };
}

type Kept = 'lots' | 'zones' | 'lpr_cameras';

/** Reads the names of things of an account by their ids. Of equal ids the later table counts. */
export async function namesIn(
  db: Db,
  account_id: number,
  ...tables: readonly (Kept | `deleted_${Kept}` | 'products' | 'gateways' | 'account_users' | 'terminals')[]
): Promise<Map<number, string>> {
  const rows = await Promise.all(
    tables.map((table) => db.selectFrom(table).select(['id', 'name']).where('account_id', '=', account_id).execute()),
  );
  return new Map(rows.flat().map(({ id, name }) => [id, name]));
}
