/** Reads the rows of accounts that a site file names, and removes single rows. */
import { fileFieldsOf, type FileRow, findHolder as holderOfGateway } from '../../rest/entry.js';
import { type Database, type Db, deleteRow, type Pairs, type Row, type Tx } from '../../kernel/store/entry.js';
import { type FileResource, parentOf } from './site-items.js';
import type { SiteId } from './site-things.js';

/** Rows by their tables. */
export interface SiteRows {
  /** Empty for a table that was not read. */
  of<Table extends keyof Database>(table: Table): Row<Table>[];
}

/** Reads all rows of the named accounts: of the resources and of the tables of pairs, each table ascending by id. */
export async function readSiteRows(
  db: Db,
  resources: readonly FileResource[],
  accountNames: readonly string[],
): Promise<SiteRows> {
  const accounts = await db
    .selectFrom('accounts')
    .selectAll()
    .where('name', 'in', accountNames)
    .orderBy('id')
    .execute();
  const accountIds = accounts.map(({ id }) => id);
  const tables = new Map<string, readonly object[]>([['accounts', accounts]]);
  for (const resource of resources) {
    const { table, file } = resource;
    if (table === 'accounts') continue;
    const rows = await (file.rows?.(db, accountIds) ?? readOwned(db, { resource, resources, accountIds }));
    tables.set(table, rows);
    for (const { reference } of Object.values(fileFieldsOf(resource))) {
      const pairs = reference?.pairs ?? null;
      if (pairs !== null) tables.set(pairs.table, await readPairs(db, pairs, { table, accountIds }));
    }
  }
  tables.set('gateway_slots', await readGatewaySlots(db, accountIds));
  // Each key of the map has the rows of its own table.
  return { of: <Table extends keyof Database>(table: Table) => (tables.get(table) ?? []) as Row<Table>[] };
}

/** The rows of the accounts. Rows without an account belong to things of the accounts. */
async function readOwned(
  db: Db,
  owned: { resource: FileResource; resources: readonly FileResource[]; accountIds: readonly number[] },
): Promise<FileRow[]> {
  const { resource, resources, accountIds } = owned;
  const { table, parentColumn } = resource;
  const parent = parentOf(resource, resources);
  if (parentColumn !== null && parent !== undefined) {
    // The type of `bound_licenses` serves for all tables without an account column.
    const rows = await db
      .selectFrom(table as 'bound_licenses')
      .selectAll()
      .where(parentColumn as 'product_id', 'in', idsOfAccounts(db, parent.table, accountIds))
      .orderBy('id')
      .execute();
    return rows as unknown as FileRow[];
  }
  // The type of `lots` serves for all tables with an account column.
  const rows = await db
    .selectFrom(table as 'lots')
    .selectAll()
    .where('account_id', 'in', accountIds)
    .orderBy('id')
    .execute();
  return rows as unknown as FileRow[];
}

const idsOfAccounts = (db: Db, table: keyof Database, accountIds: readonly number[]) =>
  db
    .selectFrom(table as 'products')
    .select('id')
    .where('account_id', 'in', accountIds);

async function readPairs(
  db: Db,
  { table, from, isOrdered }: Pairs,
  of: { table: keyof Database; accountIds: readonly number[] },
): Promise<object[]> {
  // The type of `zone_tariffs` serves for all tables of pairs.
  const pairs = db
    .selectFrom(table as 'zone_tariffs')
    .selectAll()
    .where(from as 'zone_id', 'in', idsOfAccounts(db, of.table, of.accountIds));
  return (isOrdered ? pairs.orderBy('position') : pairs).execute();
}

function readGatewaySlots(db: Db, accountIds: readonly number[]): Promise<Row<'gateway_slots'>[]> {
  return db
    .selectFrom('gateway_slots')
    .selectAll()
    .where('lot_id', 'in', idsOfAccounts(db, 'lots', accountIds))
    .execute();
}

/** null: there is no such account. */
export async function findAccountId(db: Db, name: string): Promise<number | null> {
  const account = await db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
  return account?.id ?? null;
}

/** The row that has this value of a unique column, in one account or, when none is named, in any. */
export async function findHolder(
  db: Db,
  unique: { table: keyof Database; column: string; value: string; account: string | undefined },
): Promise<{ id: SiteId; name: string; account_name: string } | undefined> {
  // All tables with a column that is unique everywhere have an account and a name, as gateways have.
  const holders = db
    .selectFrom(`${unique.table} as holder` as 'gateways as holder')
    .innerJoin('accounts', 'accounts.id', 'holder.account_id')
    .select(['holder.id', 'holder.name', 'accounts.name as account_name'])
    .where(`holder.${unique.column}` as 'holder.uuid', '=', unique.value);
  const { account } = unique;
  return (account === undefined ? holders : holders.where('accounts.name', '=', account)).executeTakeFirst();
}

/** Finds for whom secrets are that a thing is given: the device of its gateway. null: it has none. */
export async function holderOfThing(tx: Tx, table: keyof Database, id: number): Promise<string | null> {
  const thing = await tx
    .selectFrom(table as 'rgb_displays')
    .select('gateway_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return holderOfGateway(tx, thing?.gateway_id);
}

/** Removes a thing as its resource says. */
export async function removeSiteRow(
  tx: Tx,
  { table, file, deletion }: FileResource,
  gone: { id: SiteId; now: number },
): Promise<void> {
  await deletion?.before?.(tx, { id: Number(gone.id), now: gone.now });
  if (file.remove === undefined) await deleteRow(tx, table, Number(gone.id));
  else await file.remove(tx, gone);
}
