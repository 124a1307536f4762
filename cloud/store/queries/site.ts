/** What a site file declares, as rows: read all at once, written one by one. */
import type { Db } from '../cloud-store.js';
import type { Database, Row } from '../schema.js';
import { invalidateTokensOfProduct, removeKeyLog } from './keys.js';

/** Tables of the things a site file declares. */
export type SiteTable =
  | 'accounts'
  | 'account_users'
  | 'api_tokens'
  | 'tariffs'
  | 'lots'
  | 'gateways'
  | 'zones'
  | 'products'
  | 'product_blocks'
  | 'bound_licenses'
  | 'lpr_cameras'
  | 'parking_gateways'
  | 'parking_places'
  | 'groups'
  | 'members'
  | 'terminals'
  | 'license_plate_alerts'
  | 'alert_plates'
  | 'alert_receivers'
  | 'key_logs'
  | 'operation_tokens'
  | 'rgb_displays'
  | 'rgb_display_rules'
  | 'weblinks';

/** Weblinks have texts. */
export type SiteId = number | string;

/** Tables of pairs, by the things they join; some keep the order they were given in. */
export const SITE_LINKS = {
  account_user_lots: {
    fromTable: 'account_users',
    from: 'account_user_id',
    toTable: 'lots',
    to: 'lot_id',
    ordered: false,
  },
  zone_tariffs: { fromTable: 'zones', from: 'zone_id', toTable: 'tariffs', to: 'tariff_id', ordered: true },
  group_zones: { fromTable: 'groups', from: 'group_id', toTable: 'zones', to: 'zone_id', ordered: false },
  group_tariffs: { fromTable: 'groups', from: 'group_id', toTable: 'tariffs', to: 'tariff_id', ordered: true },
  group_members: { fromTable: 'members', from: 'member_id', toTable: 'groups', to: 'group_id', ordered: false },
} as const satisfies Partial<Record<keyof Database, SiteLink>>;
interface SiteLink {
  fromTable: SiteTable;
  from: string;
  toTable: SiteTable;
  to: string;
  ordered: boolean;
}
export type SiteLinkTable = keyof typeof SITE_LINKS;

export type SiteRows = { [Table in SiteTable | SiteLinkTable | 'gateway_slots']: Row<Table>[] };

/** Everything the named accounts have, each table ascending by id. */
export async function readSiteRows(db: Db, accountNames: string[]): Promise<SiteRows> {
  const accounts = await db
    .selectFrom('accounts')
    .selectAll()
    .where('name', 'in', accountNames)
    .orderBy('id')
    .execute();
  const ids = accounts.map(({ id }) => id);
  const owned = <Table extends OwnedTable>(table: Table) => readOwned(db, table, ids);
  const products = db.selectFrom('products').select('id').where('account_id', 'in', ids);
  const users = db.selectFrom('account_users').select('id').where('account_id', 'in', ids);
  const zones = db.selectFrom('zones').select('id').where('account_id', 'in', ids);
  const groups = db.selectFrom('groups').select('id').where('account_id', 'in', ids);
  return {
    accounts,
    account_users: await owned('account_users'),
    api_tokens: await owned('api_tokens'),
    tariffs: await owned('tariffs'),
    lots: await owned('lots'),
    gateways: await owned('gateways'),
    zones: await owned('zones'),
    products: await owned('products'),
    lpr_cameras: await owned('lpr_cameras'),
    parking_gateways: await owned('parking_gateways'),
    parking_places: await owned('parking_places'),
    groups: await owned('groups'),
    members: await owned('members'),
    terminals: await owned('terminals'),
    license_plate_alerts: await owned('license_plate_alerts'),
    rgb_displays: await owned('rgb_displays'),
    ...(await readRecordRows(db, ids)),
    product_blocks: await db.selectFrom('product_blocks').selectAll().where('product_id', 'in', products).execute(),
    bound_licenses: await db
      .selectFrom('bound_licenses')
      .selectAll()
      .where('product_id', 'in', products)
      .orderBy('id')
      .execute(),
    account_user_lots: await db
      .selectFrom('account_user_lots')
      .selectAll()
      .where('account_user_id', 'in', users)
      .execute(),
    zone_tariffs: await db
      .selectFrom('zone_tariffs')
      .selectAll()
      .where('zone_id', 'in', zones)
      .orderBy('position')
      .execute(),
    group_zones: await db.selectFrom('group_zones').selectAll().where('group_id', 'in', groups).execute(),
    group_tariffs: await db
      .selectFrom('group_tariffs')
      .selectAll()
      .where('group_id', 'in', groups)
      .orderBy('position')
      .execute(),
    group_members: await db.selectFrom('group_members').selectAll().where('group_id', 'in', groups).execute(),
  };
}

/** Parts of things, keys and weblinks; and which slots the lots have given to gateways. */
async function readRecordRows(db: Db, ids: number[]) {
  const alerts = db.selectFrom('license_plate_alerts').select('id').where('account_id', 'in', ids);
  const displays = db.selectFrom('rgb_displays').select('id').where('account_id', 'in', ids);
  const lots = db.selectFrom('lots').select('id').where('account_id', 'in', ids);
  // Keys that were sent to receivers, and their weblinks, are people's own: no file declares them.
  const sent = db.selectFrom('operation_keys').select('operation_token_id').where('account_id', 'in', ids);
  const keyLogs = db
    .selectFrom('key_logs')
    .where('account_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where('operation_token_id', 'not in', sent);
  return {
    key_logs: await keyLogs.selectAll().orderBy('id').execute(),
    operation_tokens: await db
      .selectFrom('operation_tokens')
      .selectAll()
      .where('id', 'in', keyLogs.select('operation_token_id'))
      .orderBy('id')
      .execute(),
    alert_plates: await db
      .selectFrom('alert_plates')
      .selectAll()
      .where('license_plate_alert_id', 'in', alerts)
      .orderBy('id')
      .execute(),
    alert_receivers: await db
      .selectFrom('alert_receivers')
      .selectAll()
      .where('license_plate_alert_id', 'in', alerts)
      .orderBy('id')
      .execute(),
    rgb_display_rules: await db
      .selectFrom('rgb_display_rules')
      .selectAll()
      .where('rgb_display_id', 'in', displays)
      .orderBy('id')
      .execute(),
    weblinks: await db
      .selectFrom('weblinks')
      .selectAll()
      .where('account_id', 'in', ids)
      .where('revoked_at', 'is', null)
      .where('operation_token_id', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    gateway_slots: await db.selectFrom('gateway_slots').selectAll().where('lot_id', 'in', lots).execute(),
  };
}

type OwnedTable = Exclude<
  SiteTable,
  | 'accounts'
  | 'product_blocks'
  | 'bound_licenses'
  | 'alert_plates'
  | 'alert_receivers'
  | 'key_logs'
  | 'operation_tokens'
  | 'rgb_display_rules'
  | 'weblinks'
>;

async function readOwned<Table extends OwnedTable>(db: Db, table: Table, accountIds: number[]): Promise<Row<Table>[]> {
  const rows = await db
    .selectFrom(table as 'lots')
    .selectAll()
    .where('account_id', 'in', accountIds)
    .orderBy('id')
    .execute();
  // Every owned table has the two columns that stand here for `lots`; the rows are the table's own.
  return rows as unknown as Row<Table>[];
}

/** Columns whose value only one row may have, of whatever account. */
export const SITE_UNIQUE_COLUMNS: Partial<Record<SiteTable, readonly string[]>> = {
  account_users: ['email'],
  api_tokens: ['token_hash'],
  gateways: ['uuid', 'claim_code_hash'],
  products: ['device_id'],
  terminals: ['device_id'],
};

/** The row that has this value of a unique column. */
export async function findHolder(
  db: Db,
  unique: { table: SiteTable; column: string; value: string },
): Promise<{ id: SiteId; name: string; account_name: string } | undefined> {
  // All tables of SITE_UNIQUE_COLUMNS have an account and a name, as gateways have.
  return db
    .selectFrom(`${unique.table} as holder` as 'gateways as holder')
    .innerJoin('accounts', 'accounts.id', 'holder.account_id')
    .select(['holder.id', 'holder.name', 'accounts.name as account_name'])
    .where(`holder.${unique.column}` as 'holder.uuid', '=', unique.value)
    .executeTakeFirst();
}

export type SiteValue = string | number | null;

/** A row whose columns are those of its table: the types of a thing's values see to that (`site-things.ts`). */
type SiteValues = Record<string, SiteValue>;

/** @returns the new row's id */
export async function insertSiteRow(tx: Db, table: SiteTable, values: SiteValues): Promise<SiteId> {
  const { id } = await tx
    .insertInto(table)
    .values(values as never)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateSiteRow(tx: Db, row: { table: SiteTable; id: SiteId; values: SiteValues }): Promise<void> {
  await tx
    .updateTable(row.table as 'weblinks')
    .set(row.values)
    .where('id', '=', row.id as string)
    .execute();
}

/** Keys and weblinks stay, as deleted and revoked; the keys of a product that goes are invalid. */
export async function removeSiteRow(tx: Db, row: { table: SiteTable; id: SiteId; now: number }): Promise<void> {
  const { table, id, now } = row;
  if (table === 'key_logs') return removeKeyLog(tx, { id: Number(id), now });
  if (table === 'weblinks') return updateSiteRow(tx, { table, id, values: { revoked_at: now, updated_at: now } });
  if (table === 'products') await invalidateTokensOfProduct(tx, { id: Number(id), now });
  await tx
    .deleteFrom(table as 'lots')
    .where('id', '=', Number(id))
    .execute();
}

/** Joins a thing with these and no others, in this order. */
export async function replaceSiteLinks(
  tx: Db,
  link: { table: SiteLinkTable; from: SiteId; to: SiteId[] },
): Promise<void> {
  const { from, to, ordered } = SITE_LINKS[link.table];
  await tx
    .deleteFrom(link.table as 'group_members')
    .where(from as 'member_id', '=', Number(link.from))
    .execute();
  const rows = link.to.map((id, position) => ({ [from]: link.from, [to]: id, ...(ordered ? { position } : {}) }));
  for (const row of rows)
    await tx
      .insertInto(link.table)
      .values(row as never)
      .execute();
}
