/** Finds the items of a site file, in the raw content to check it, or in the parsed content to apply it. */
import { groupBy, pushTo } from '../../../shared/grouping.js';
import { fileFieldsOf, type FileForm, NAME_LENGTH_MAX, type Resource, type Values } from '../../rest/entry.js';

/** A place in the file: `['accounts', 0, 'lots', 1]`. */
export type SitePath = readonly (string | number)[];

export interface SiteProblem {
  path: SitePath;
  reason: string;
}

/** A resource that site files have. */
export type FileResource = Resource & { file: FileForm };

/** One item of a list in the file. */
export interface SiteItem {
  resource: FileResource;
  path: SitePath;
  /** Its keys and values; unchecked if the content is raw. */
  value: Values;
  /** Its position in its list, from 0. */
  index: number;
  /** The items around it, the account first. */
  above: readonly SiteItem[];
}

export interface SiteItems {
  /** All items, in an order in which their things can be created. */
  all: readonly SiteItem[];
  of(table: string): readonly SiteItem[];
  /** The items directly inside an item. */
  below(item: SiteItem): readonly SiteItem[];
  /** The items of a table inside this account or lot that have this name. */
  named(table: string, where: { around: SiteItem; name: string }): readonly SiteItem[];
}

/** @param content of a file, of any shape */
export function siteItems(content: unknown, resources: readonly Resource[]): SiteItems {
  const known = resources.filter(isFileResource);
  const byTable = new Map<string, SiteItem[]>();
  const below = new Map<SiteItem, SiteItem[]>();
  const of = (table: string) => byTable.get(table) ?? [];
  // An item must be known before the items inside it.
  const outermostFirst = known.toSorted((a, b) => depthOf(a) - depthOf(b));
  for (const resource of outermostFirst) {
    const parent = parentOf(resource, known);
    const found =
      parent === undefined
        ? listAt({ path: [], value: asValues(content) }, 'accounts').map((each) => itemOf(resource, each, []))
        : of(parent.table).flatMap((item) => itemsIn(item, resource));
    byTable.set(resource.table, found);
    for (const item of found) {
      const above = item.above.at(-1);
      if (above !== undefined) pushTo(below, above, item);
    }
  }
  const standalone = known.filter((resource) => isStandalone(resource, known));
  const ofAccounts = groupBy(
    standalone.flatMap(({ table }) => of(table)),
    accountOf,
  );
  const all = of('accounts')
    .flatMap((account) => ofAccounts.get(account) ?? [])
    .flatMap((item) => withParts(item, below));
  return { all, of, below: (item) => below.get(item) ?? [], named: nameIndex(of) };
}

const isFileResource = (resource: Resource): resource is FileResource => resource.file !== null;

/** A resource that shares its items with another one comes after that one. */
const depthOf = ({ file }: FileResource): number => file.at.length + (file.isSameItem ? 0.5 : 0);

/** The resource whose items hold this one's list; for one that shares its items, the resource that it shares them with. */
export function parentOf({ file }: FileResource, known: readonly FileResource[]): FileResource | undefined {
  if (file.at.length === 0) return undefined;
  const at = (file.isSameItem ? file.at : file.at.slice(0, -1)).join('/');
  return known.find((other) => !other.file.isSameItem && other.file.at.join('/') === at);
}

/** Whether its items come in the order of the resources, and not together with the item around them. */
function isStandalone(resource: FileResource, known: readonly FileResource[]): boolean {
  const parent = parentOf(resource, known)?.file;
  return (
    parent === undefined || (!resource.file.isSameItem && (parent.at.length === 0 || parent.isRemovedLast === true))
  );
}

/** An item with the items inside it. One that it refers to (`ownerColumn`) comes before it. */
function withParts(item: SiteItem, below: ReadonlyMap<SiteItem, readonly SiteItem[]>): SiteItem[] {
  const { at, isRemovedLast } = item.resource.file;
  if (at.length === 0 || isRemovedLast) return [item];
  const parts = below.get(item) ?? [];
  const isHeld = ({ resource }: SiteItem) => resource.file.ownerColumn !== undefined;
  const rest = parts.filter((part) => !isHeld(part)).flatMap((part) => withParts(part, below));
  return [...parts.filter(isHeld), item, ...rest];
}

function itemsIn(item: SiteItem, resource: FileResource): SiteItem[] {
  const above = [...item.above, item];
  if (resource.file.isSameItem) return [{ ...item, resource, above }];
  return listAt(item, resource.file.at.at(-1) ?? '').map((each) => itemOf(resource, each, above));
}

function itemOf(
  resource: FileResource,
  { path, value }: { path: SitePath; value: unknown },
  above: readonly SiteItem[],
): SiteItem {
  const { textField } = resource.file;
  const values = textField === undefined ? asValues(value) : { [textField]: value };
  return { resource, path, value: values, index: Number(path.at(-1)), above };
}

/** Finds items by their names. The index of a table is built when it is first needed. */
function nameIndex(of: SiteItems['of']): SiteItems['named'] {
  const tables = new Map<string, Map<SiteItem, Map<string, SiteItem[]>>>();
  const indexed = (table: string) => {
    const index = tables.get(table) ?? new Map<SiteItem, Map<string, SiteItem[]>>();
    if (tables.has(table)) return index;
    tables.set(table, index);
    for (const item of of(table)) {
      const name = nameOf(item);
      if (name === undefined) continue;
      for (const around of item.above) {
        const names = index.get(around) ?? new Map<string, SiteItem[]>();
        index.set(around, names);
        pushTo(names, name, item);
      }
    }
    return index;
  };
  return (table, { around, name }) => indexed(table).get(around)?.get(name) ?? [];
}

/** Lists the items of a list; none if there is no list. */
function listAt(item: { path: SitePath; value: Values }, key: string): { path: SitePath; value: unknown }[] {
  const given = Object.hasOwn(item.value, key) ? item.value[key] : undefined;
  if (!Array.isArray(given)) return [];
  return given.map((value: unknown, index) => ({ path: [...item.path, key, index], value }));
}

function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

/** A text of the item, in the form of names: NFC, without spaces around it. */
export function textOf({ value }: Pick<SiteItem, 'value'>, field: string): string | undefined {
  const text = Object.hasOwn(value, field) ? value[field] : undefined;
  return typeof text === 'string' ? formOf(text) : undefined;
}

/** The texts of a list of the item, each with its place in it. */
export function textsOf({ value }: Pick<SiteItem, 'value'>, field: string): { text: string; index: number }[] {
  const list = Object.hasOwn(value, field) ? value[field] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((text: unknown, index) => (typeof text === 'string' ? [{ text: formOf(text), index }] : []));
}

const formOf = (text: string) => text.normalize('NFC').trim();

/** The place of a field. If the item is a plain text, its own place. */
export const pathOf = ({ path, resource }: Pick<SiteItem, 'path' | 'resource'>, field: string): SitePath =>
  resource.file.textField === field ? path : [...path, field];

/** The resource's word in messages. */
export const wordOf = ({ one, file }: Resource): string => file?.word ?? one;

/** The name of the item's thing, in the form in which names are compared. */
export function nameOf(item: SiteItem): string | undefined {
  const [name] = item.resource.unique;
  const text = name === undefined ? undefined : textOf(item, name.field);
  return text === undefined ? undefined : (name?.normalise?.(text) ?? text);
}

/** The account around an item; of an account, itself. */
export const accountOf = (item: SiteItem): SiteItem => item.above[0] ?? item;

/** The lot around an item, or the lot of the zone that it names. */
export function lotOf(items: SiteItems, item: SiteItem): SiteItem | undefined {
  const around = [...item.above, item].find(({ resource }) => resource.table === 'lots');
  if (around !== undefined || !item.resource.lot?.from.includes('zone')) return around;
  const zone = namedBy(items, item, 'zone');
  return zone === undefined ? undefined : lotOf(items, zone);
}

/** The item that a reference names; undefined: none, or several. */
export function namedBy(items: SiteItems, item: SiteItem, field: string): SiteItem | undefined {
  const name = textOf(item, field);
  const found = name === undefined ? [] : candidates(items, item, { field, name });
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The items that a name may mean. A name that is unique in its lot only may have the lot's name before it (`North/Level 0`). An item with
 * exactly this name goes before one that is named with its lot.
 */
export function candidates(
  items: SiteItems,
  item: SiteItem,
  named: { field: string; name: string },
): readonly SiteItem[] {
  const reference = fileFieldsOf(item.resource)[named.field]?.reference;
  const around = reference?.among === 'lot' ? lotOf(items, item) : accountOf(item);
  if (reference === undefined || around === undefined) return [];
  const own = items.named(reference.to, { around, name: named.name });
  if (own.length > 0 || reference.among === 'lot') return own;
  for (const { lot, name } of lotsNamedFirst(items, accountOf(item), named.name)) {
    const found = items.named(reference.to, { around: lot, name });
    if (found[0] !== undefined && nameWithLot(items, found[0]) !== undefined) return found.slice(0, 1);
  }
  return [];
}

/** The lots whose names stand before one of the slashes, with what follows it, in the order of the file. */
function lotsNamedFirst(items: SiteItems, account: SiteItem, text: string): { lot: SiteItem; name: string }[] {
  const slashes = [...text.slice(0, NAME_LENGTH_MAX + 1).matchAll(/\//g)].map(({ index }) => index);
  return slashes
    .flatMap((at) => {
      // Of lots with one name, which is a problem of the file, the first.
      const [lot] = items.named('lots', { around: account, name: text.slice(0, at) });
      return lot === undefined ? [] : [{ lot, name: text.slice(at + 1) }];
    })
    .sort((a, b) => a.lot.index - b.lot.index);
}

/** `North/Level 0`; undefined if the name is not one within a lot. */
export function nameWithLot(items: SiteItems, item: SiteItem): string | undefined {
  if (item.resource.unique[0]?.within !== 'lot') return undefined;
  const lot = lotOf(items, item);
  return lot === undefined ? undefined : `${nameOf(lot)}/${nameOf(item)}`;
}
