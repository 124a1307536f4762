/** Turns the rows of the accounts that a file names into things. Pure. */
import { pushTo } from '../../../shared/grouping.js';
import type { Database } from '../../kernel/store/entry.js';
import { fileFieldsOf, type FileRow, type Resource, restFieldsOf } from '../../rest/entry.js';
import { type FileResource, parentOf } from './site-items.js';
import type { SiteRows } from './site-queries.js';
import { type PresentThing, type SiteId, type ThingKey, type ThingName, thingName } from './site-things.js';

type Things = ReadonlyMap<string, Omit<PresentThing, 'references' | 'links'>>;

/**
 * @param identified the file's names of things with an identity (`identity` of a file form), by `identityKey`: a gateway with the same
 *   uuid is the same gateway, even if the file gives it another name
 */
export function presentThings(
  rows: SiteRows,
  resources: readonly FileResource[],
  identified: ReadonlyMap<string, ThingName>,
): PresentThing[] {
  const things = new Map<string, Omit<PresentThing, 'references' | 'links'>>();
  const keys = new Set<ThingKey>();

  /** Over REST things may share a name; the file then means the oldest. */
  function nameOnce(name: ThingName, id: SiteId): ThingName {
    const own = keys.has(name.key) ? { ...name, key: `${name.key}#${id}`, label: `${name.label} (id ${id})` } : name;
    keys.add(own.key);
    return own;
  }

  for (const resource of ownersFirst(resources)) {
    const identityOf = (row: FileRow) =>
      identified.get(identityKey(resource, row, things.get(thingId('accounts', row.account_id))?.name));
    const ofTable = rowsOf(rows, resource.table);
    // Identified things come first, so that no other one gets the name that the file gives them.
    for (const row of ofTable.toSorted((a, b) => Number(!identityOf(a)) - Number(!identityOf(b)))) {
      const parent = parentThing(resource, row, { things, rows, resources });
      const name = identityOf(row) ?? nameOfRow(resource, row, { things, parent });
      things.set(thingId(resource.table, row.id), {
        resource,
        ...nameOnce(name, row.id),
        id: row.id,
        row,
        settled: new Set(resource.file.settled?.(row, parent?.row)),
        partOf: resource.file.isPart ? (parent?.key ?? '') : null,
      });
    }
  }
  const linkedIds = groupLinks(rows, resources);
  const tables = tablesOfColumns(resources);
  return [...things.values()].map((thing) => ({
    ...thing,
    references: referencesOf(thing.row, { things, tables }),
    links: linksOf(thing, { things, linkedIds }),
  }));
}

/** Builds the identity of a thing, in the same way for the file and the database. */
export const identityKey = (
  { table, file }: FileResource,
  values: Readonly<Record<string, unknown>>,
  account: string | undefined,
): string =>
  JSON.stringify([table, account ?? '', file.identity === undefined ? null : (values[file.identity] ?? null)]);

const thingId = (table: string, id: unknown): string => `${table} ${String(id)}`;

/** Rows with all their columns, of any table. */
const rowsOf = (rows: SiteRows, table: keyof Database): readonly FileRow[] => rows.of(table) as unknown as FileRow[];

/** Sorts things before their parts. */
function ownersFirst(resources: readonly FileResource[]): FileResource[] {
  return resources.toSorted((a, b) => Number(a.file.isSameItem ?? false) - Number(b.file.isSameItem ?? false));
}

function parentThing(
  resource: FileResource,
  row: FileRow,
  { things, rows, resources }: { things: Things; rows: SiteRows; resources: readonly FileResource[] },
) {
  const parent = parentOf(resource, resources);
  if (parent === undefined) return undefined;
  const { parentColumn, file } = resource;
  if (parentColumn !== null) return things.get(thingId(parent.table, row[parentColumn]));
  const { ownerColumn } = file;
  if (ownerColumn === undefined) return undefined;
  const owner = rowsOf(rows, parent.table).find((each) => each[ownerColumn] === row.id);
  return owner === undefined ? undefined : things.get(thingId(parent.table, owner.id));
}

function nameOfRow(
  resource: FileResource,
  row: FileRow,
  { things, parent }: { things: Things; parent: ThingName | undefined },
): ThingName {
  const [unique] = resource.unique;
  // Names that were stored before they were all kept as NFC are the same names.
  const text = unique === undefined ? undefined : String(row[unique.field] ?? '').normalize('NFC');
  const name = text === undefined ? undefined : (unique?.normalise?.(text) ?? text);
  const nameIn = (table: string, id: unknown) => things.get(thingId(table, id))?.name ?? '';
  return thingName(resource, name, {
    account: nameIn('accounts', row.account_id),
    lot: nameIn('lots', row.lot_id),
    parent,
  });
}

/** The tables that columns with ids refer to. */
function tablesOfColumns(resources: readonly FileResource[]): ReadonlyMap<string, string> {
  const tables = new Map<string, string>([['account_id', 'accounts']]);
  for (const resource of resources) {
    const parent = parentOf(resource, resources);
    if (resource.parentColumn !== null && parent !== undefined) tables.set(resource.parentColumn, parent.table);
    if (resource.file.ownerColumn !== undefined) tables.set(resource.file.ownerColumn, resource.table);
    for (const { reference } of Object.values({ ...restFieldsOf(resource), ...fileFieldsOf(resource) })) {
      if (reference !== undefined && reference.pairs === null) tables.set(reference.id, reference.to);
    }
  }
  return tables;
}

function referencesOf(
  row: FileRow,
  { things, tables }: { things: Things; tables: ReadonlyMap<string, string> },
): PresentThing['references'] {
  const columns = [...tables].filter(([column]) => column in row);
  return Object.fromEntries(
    columns.map(([column, table]) => [column, things.get(thingId(table, row[column]))?.key ?? null]),
  );
}

/** By the table of pairs: the ids that things are joined with. */
type LinkedIds = ReadonlyMap<string, { toTable: string; ids: ReadonlyMap<string, unknown[]> }>;

function groupLinks(rows: SiteRows, resources: readonly Resource[]): LinkedIds {
  const grouped = new Map<string, { toTable: string; ids: Map<string, unknown[]> }>();
  for (const resource of resources) {
    for (const { reference } of Object.values(fileFieldsOf(resource))) {
      if (reference === undefined || reference.pairs === null) continue;
      const { table, from, to } = reference.pairs;
      const ids = new Map<string, unknown[]>();
      for (const pair of rowsOf(rows, table)) {
        pushTo(ids, thingId(resource.table, pair[from]), pair[to]);
      }
      grouped.set(table, { toTable: reference.to, ids });
    }
  }
  return grouped;
}

function linksOf(
  { resource, id }: Pick<PresentThing, 'resource' | 'id'>,
  { things, linkedIds }: { things: Things; linkedIds: LinkedIds },
): PresentThing['links'] {
  const links = [...linkedIds].flatMap(([table, { toTable, ids }]) => {
    const linked = ids.get(thingId(resource.table, id));
    if (linked === undefined) return [];
    return [[table, linked.flatMap((other) => things.get(thingId(toTable, other))?.key ?? [])] as const];
  });
  return new Map(links);
}
