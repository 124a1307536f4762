/**
 * The things of a site file and those of the database, in forms that can be compared: keys stand for ids. A key is made of the names by
 * which the file refers to a thing, or of its device_id or e-mail address.
 */
import type { Columns, Declared, FileRow, SealedColumn } from '../../rest/entry.js';
import type { Pairs } from '../../kernel/store/entry.js';
import { type FileResource, type SitePath, wordOf } from './site-items.js';

/** The parts of a thing's name as one text. Unlike an id it is known before the thing is created. */
export type ThingKey = string;

/** Weblinks have texts as ids. */
export type SiteId = number | string;

/** The names of a thing. */
export interface ThingName {
  key: ThingKey;
  /** `zone North/Level 0` */
  label: string;
  /** `Level 0` */
  name: string;
}

/** A secret that a column holds sealed. */
export type SealedSecret = Pick<SealedColumn, 'purpose' | 'encoding'> & { secret: string };

/** The things that a thing is joined with. */
export interface ThingLink {
  /** The file's field. */
  field: string;
  pairs: Pairs;
  to: ThingKey[] | 'all of the account';
  toTable: string;
}

/** A thing that a file declares. */
export interface DeclaredThing extends ThingName {
  resource: FileResource;
  path: SitePath;
  /** Columns that must have these values. */
  values: Columns;
  /** Further columns when it is created. They change by what happens later. */
  initially: Columns;
  /** Columns that must hold these secrets. */
  sealed: Readonly<Record<string, SealedSecret>>;
  /** Columns that hold the ids of other things. */
  references: Readonly<Record<string, ThingKey | null>>;
  links: readonly ThingLink[];
  /** The thing that it is a part of. */
  partOf: ThingKey | null;
  /** A secret that was generated for it. The report shows it once, if the thing is created. */
  made: NonNullable<Declared['made']> | null;
  /** Columns that mean the only one of a lot, where the file has none to mean: whether there is one is seen in the database. */
  onlyOfLot: readonly { column: string; table: string; lot: ThingKey }[];
  /** Nobody serves it: its lot has no gateway or several, and the file names none. Known when it is planned. */
  isUnserved?: boolean;
}

/** A thing in the database. */
export interface PresentThing extends ThingName {
  resource: FileResource;
  id: SiteId;
  row: FileRow;
  references: Readonly<Record<string, ThingKey | null>>;
  /** By the tables of pairs. */
  links: ReadonlyMap<string, ThingKey[]>;
  /** Columns that the file must no longer change: a product has reported its settings, a gateway was claimed. */
  settled: ReadonlySet<string>;
  partOf: ThingKey | null;
}

/** Where a thing's name is unique. */
export interface ThingPlace {
  account: string;
  lot: string;
  parent: ThingName | undefined;
}

/** @param name undefined: its parent has only one of these parts */
export function thingName(resource: FileResource, name: string | undefined, place: ThingPlace): ThingName {
  const { table, file, unique } = resource;
  const { account, lot, parent } = place;
  const word = wordOf(resource);
  if (name === undefined) {
    return { key: keyOf(table, [parent?.key ?? '']), label: `${word} of ${parent?.label}`, name: parent?.name ?? '' };
  }
  const within = unique[0]?.within ?? 'parent';
  const around = { everywhere: [], account: [account], lot: [account, lot], parent: [parent?.key ?? ''] };
  const label = file.label?.(name, parent?.name ?? '') ?? `${word} ${within === 'lot' ? `${lot}/` : ''}${name}`;
  return { key: keyOf(table, [...around[within], name]), label, name };
}

const keyOf = (table: string, parts: string[]): ThingKey => JSON.stringify([table, ...parts]);
