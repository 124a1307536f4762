/** Turns the items of a checked site file into things to create or compare, in the order in which they can be created. Pure. */
import {
  type Field,
  fileFieldsOf,
  type GeneratedSecrets,
  plainColumns,
  type Reference,
  secretsOf,
} from '../../rest/entry.js';
import {
  accountOf,
  candidates,
  lotOf,
  nameOf,
  namedBy,
  type SiteItem,
  type SiteItems,
  textOf,
  textsOf,
} from './site-items.js';
import { type DeclaredThing, type ThingKey, type ThingLink, type ThingName, thingName } from './site-things.js';

export function declareThings(items: SiteItems, secrets: GeneratedSecrets): DeclaredThing[] {
  return items.all.map((item) => declareThing(items, item, secrets));
}

/** The name of the item's thing. */
export function itemName(items: SiteItems, item: SiteItem): ThingName {
  const above = item.above.at(-1);
  return thingName(item.resource, nameOf(item), {
    account: nameOf(accountOf(item)) ?? '',
    lot: nameOfLot(items, item),
    parent: above === undefined ? undefined : itemName(items, above),
  });
}

function nameOfLot(items: SiteItems, item: SiteItem): string {
  const lot = lotOf(items, item);
  return lot === undefined ? '' : (nameOf(lot) ?? '');
}

function declareThing(items: SiteItems, item: SiteItem, secrets: GeneratedSecrets): DeclaredThing {
  const { resource, value, path, index } = item;
  const fields = fileFieldsOf(resource);
  const declared = resource.file.declare?.(value, { ...secrets, index, account: nameOf(accountOf(item)) ?? '' }) ?? {};
  const sealed = secretsOf(fields, value).map(({ column: { column, ...how }, secret }) => [column, { ...how, secret }]);
  const parent = item.above.at(-1);
  return {
    resource,
    ...itemName(items, item),
    path,
    values: { ...plainColumns(fields, value), ...declared.values },
    initially: { ...resource.initially(value), ...declared.initially },
    sealed: Object.fromEntries(sealed),
    references: referencesOf(items, item),
    onlyOfLot: onlyOfLot(items, item),
    links: Object.entries(fields).flatMap(([name, field]) => linkOf(items, item, { name, field, ...declared })),
    partOf: resource.file.isPart && parent !== undefined ? itemName(items, parent).key : null,
    made: declared.made ?? null,
  };
}

/** Finds the columns with ids: of the things around it, and of the things that it names. */
function referencesOf(items: SiteItems, item: SiteItem): DeclaredThing['references'] {
  const { resource, above } = item;
  const keyOf = (other: SiteItem | undefined) => (other === undefined ? null : itemName(items, other).key);
  const references: Record<string, ThingKey | null> = {};
  if (resource.parentColumn !== null) references[resource.parentColumn] = keyOf(above.at(-1));
  else if (above.length > 0) references.account_id = keyOf(accountOf(item));
  const named = fileFieldsOf(resource);
  for (const [name, { reference }] of Object.entries({ ...resource.restFields, ...named })) {
    if (reference === undefined || reference.pairs !== null || reference.id in references) continue;
    const other = name in named ? namedOrOnly(items, item, { name, reference }) : around(items, item, reference);
    references[reference.id] = keyOf(other);
  }
  for (const part of items.below(item)) {
    // This thing refers to the part.
    const { ownerColumn } = part.resource.file;
    if (ownerColumn !== undefined) references[ownerColumn] = keyOf(part);
  }
  return references;
}

/** Finds the named item. If none is named and the reference allows it, finds the only one of the lot. */
function namedOrOnly(
  items: SiteItems,
  item: SiteItem,
  { name, reference }: { name: string; reference: Reference },
): SiteItem | undefined {
  if (textOf(item, name) !== undefined || !reference.isOnlyOneOfLot) return namedBy(items, item, name);
  const lot = lotOf(items, item);
  const ofLot = lot === undefined ? [] : items.below(lot).filter(({ resource }) => resource.table === reference.to);
  return ofLot.length === 1 ? ofLot[0] : undefined;
}

/** The references that mean the only one of the lot, and find none or several in the file. */
function onlyOfLot(items: SiteItems, item: SiteItem): DeclaredThing['onlyOfLot'] {
  const lot = lotOf(items, item);
  if (lot === undefined) return [];
  return Object.entries(fileFieldsOf(item.resource)).flatMap(([name, { reference }]) => {
    if (reference === undefined || !reference.isOnlyOneOfLot || textOf(item, name) !== undefined) return [];
    if (namedOrOnly(items, item, { name, reference }) !== undefined) return [];
    return [{ column: reference.id, table: reference.to, lot: itemName(items, lot).key }];
  });
}

/** Finds the item around it of the table that the reference names. */
function around(items: SiteItems, item: SiteItem, { to }: Reference): SiteItem | undefined {
  return item.above.find(({ resource }) => resource.table === to) ?? (to === 'lots' ? lotOf(items, item) : undefined);
}

function linkOf(
  items: SiteItems,
  item: SiteItem,
  { name, field: { reference }, unlisted }: { name: string; field: Field; unlisted?: 'all of the account' },
): ThingLink[] {
  if (reference === undefined || reference.pairs === null) return [];
  const { pairs, to: toTable } = reference;
  if (item.value[name] === undefined && unlisted !== undefined) return [{ field: name, pairs, to: unlisted, toTable }];
  const named = textsOf(item, name).flatMap(
    ({ text }) => candidates(items, item, { field: name, name: text })[0] ?? [],
  );
  return [{ field: name, pairs, to: named.map((other) => itemName(items, other).key), toTable }];
}
