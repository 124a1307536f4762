/** Describes how a resource is written in a site file, and how a file is applied to its rows. */
import type { Db } from '../../kernel/store/entry.js';
import type { Columns, ColumnValue, Values } from '../field/field.js';
import type { Problem } from './problem.js';

export interface FileForm {
  /** The lists that lead to it from its account: `['lots', 'zones', 'places']`. */
  at: readonly string[];
  /** Its word in the file's messages and reports. Left out: the resource's word. */
  word?: string;
  /** How reports show a thing. Left out: its word and name. */
  label?(name: string, parentName: string): string;
  /** The items of its list are plain texts: the values of this field. */
  textField?: string;
  /** It shares the items of another resource's list: one item of the file declares a row in both tables. */
  isSameItem?: true;
  /** The thing that it belongs to refers to it by this column, so that it is created first. */
  ownerColumn?: string;
  /** A field that identifies a thing even if the file gives it another name. */
  identity?: string;
  /** The names of columns in reports, if they are not those of their fields; null: reports leave the column out. */
  reportedAs?: Readonly<Record<string, string | null>>;
  /** It is a part: reports show it as a change of its thing, and it is removed, even without `--prune`, when the file leaves it out. */
  isPart?: true;
  /** It contains other things, so that it is removed last. */
  isRemovedLast?: true;
  /** Checks an item together with the items that it names. All values are unchecked. */
  check?(item: Values, named: (field: string) => Values | undefined): Problem[];
  /** Columns and secrets that do not come from its fields. */
  declare?(item: Values, made: FileContext): Declared;
  /** The columns of a row that a file must no longer change. */
  settled?(row: FileRow, parent: FileRow | undefined): string[];
  /** Reads its rows. Left out: all rows of the accounts. */
  rows?(db: Db, accountIds: readonly number[]): Promise<FileRow[]>;
  /** Runs in the transaction that wrote its row, after that. Left out: nothing follows. */
  afterWrite?(tx: Db, id: number): Promise<void>;
  /** Removes a thing. Left out: its row is deleted. */
  remove?(tx: Db, gone: { id: number | string; now: number }): Promise<void>;
}

/** A row of the database. */
export type FileRow = Readonly<Record<string, ColumnValue>> & { id: number | string };

/** The additions of `declare` to a thing's fields. */
export interface Declared {
  /** Columns that are to have these values. */
  values?: Columns;
  /** Further columns when it is created. */
  initially?: Columns;
  /** A secret that was generated for it. The report shows it once, if the thing is created. */
  made?: { what: 'claim code' | 'token' | 'link'; secret: string } | null;
  /** What a list of references means when the item leaves it out. */
  unlisted?: 'all of the account';
}

/** The arguments of `declare` besides the item. */
export interface FileContext extends GeneratedSecrets {
  /** The position of the item in its list, from 0. */
  index: number;
  /** The name of its account. */
  account: string;
}

/** Values that are not in a file, or not in the form in which they are stored. */
export interface GeneratedSecrets {
  /** By `userKey`, of users whose password the file gives. */
  passwordHashes: ReadonlyMap<string, string>;
  hashToken(token: string): string;
  generateClaimCode(): string;
  generateToken(): string;
  /** 31 bits. */
  generateCredentialId(): number;
  generateWeblink(): { id: string; generation: number; url: string };
  /** Wall milliseconds: the default of start times. */
  now: number;
}

/** A user of an account, in maps. */
export const userKey = (account: string, email: string): string => JSON.stringify([account, email]);
