/** Rows of the accounts that the site files of the tests declare, as the database has them. */
import { FILE_RESOURCES } from '../../../cloud/doors/site-file/apply-site.js';
import { readSiteRows } from '../../../cloud/doors/site-file/site-queries.js';
import type { Db } from '../../../cloud/kernel/store/cloud-store.js';
import type { Row } from '../../../cloud/kernel/store/schema.js';

const TABLES = [
  'accounts',
  'account_users',
  'account_user_lots',
  'api_tokens',
  'tariffs',
  'lots',
  'gateways',
  'gateway_slots',
  'zones',
  'zone_tariffs',
  'products',
  'product_blocks',
  'bound_licenses',
  'lpr_cameras',
  'parking_gateways',
  'parking_places',
  'groups',
  'group_zones',
  'group_tariffs',
  'members',
  'group_members',
  'terminals',
  'license_plate_alerts',
  'alert_plates',
  'alert_receivers',
  'key_logs',
  'operation_tokens',
  'rgb_displays',
  'rgb_display_rules',
  'weblinks',
] as const;

export type RowsOfTables = { [Table in (typeof TABLES)[number]]: Row<Table>[] };

export async function rowsOfAccounts(db: Db, accountNames: readonly string[]): Promise<RowsOfTables> {
  const rows = await readSiteRows(db, FILE_RESOURCES, accountNames);
  // Each table's rows are its own.
  return Object.fromEntries(TABLES.map((table) => [table, rows.of(table)])) as RowsOfTables;
}
