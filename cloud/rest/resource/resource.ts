/**
 * A resource is a kind of thing that an operator declares, over REST or in a site file. Its room's `*-resource.ts` defines it once, for the
 * REST bodies and endpoints (`rest/endpoints`), its list and the site file (`site`).
 * `cloud/rest/README.md` shows how to add one.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../../shared/errors.js';
import type { ConfigSection } from '../../../shared/gateway-config.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Database, Db, Tx } from '../../kernel/store/entry.js';
import type { ListTable } from '../list/list-table.js';
import type { CutOff, Deletion } from './deletion.js';
import type { Columns, Definition, Field, Fields, Values, ValuesOf } from '../field/field.js';
import type { Problem } from './problem.js';
import type { FileForm } from './site-file-form.js';
import type { Warning } from './warning.js';

export interface Resource<Shared extends Fields = Fields, InFile extends Fields = Fields> {
  table: keyof Database;
  /** `display`: the word for one of them. */
  one: string;
  many: string;
  /** All fields, those of answers alone too (`field.ts`). The others are the ones of these that bodies and site files have. */
  definition: Definition;
  /** The fields that REST and the site file share. */
  fields: Shared;
  /** The fields of REST only. In a file, the place of a thing often says the same. */
  restFields: Fields;
  /** The fields of the site file only. */
  fileFields: InFile;
  /** Checks that involve several fields. */
  rules: readonly Rule[];
  /** Fills in optional fields whose values follow from other fields. */
  complete(values: Values): Values;
  /** Columns of a new row that no field sets. They change by what happens later. */
  initially(values: Values): Columns;
  /** Fields that must be unique. The site file identifies a thing by the first of them. */
  unique: readonly Unique[];
  /** The column with the id of the thing that it belongs to; null: its row has an `account_id`. */
  parentColumn: string | null;
  /** The word before its own in the audit log: `product` in `product.bound_license.create`. */
  auditParent: string | null;
  /** How its lot is decided; null: it has none, or the hooks of `rest` decide. */
  lot: LotRule | null;
  /** What its deletion means besides its row; null: nothing. */
  deletion: Deletion | null;
  /** null: REST does not manage it as a resource. */
  rest: RestForm | null;
  /** null: site files do not have it. */
  file: FileForm | null;
}

/** A check that involves several fields. It runs when each of them is valid by itself. */
export interface Rule {
  fields: readonly string[];
  problems(values: Values): Problem[];
}

export interface Unique {
  field: string;
  within: 'everywhere' | 'account' | 'lot' | 'parent';
  /** In a message: `another display has Sign already`. The resource's own word when left out. */
  word?: string;
  /** The column that the database keeps unique. */
  column?: string;
  /** A second field: only things that have the same value in both are duplicates. */
  together?: string;
  /** REST too refuses a duplicate in the lot. Over REST, which identifies things by ids, other names may be shared. */
  isRefusedOverRest?: true;
  /** Messages do not show the value. */
  isSecret?: true;
  /** Values are compared in this form, and shown in it unless `isShownAsGiven`. */
  normalise?(text: string): string;
  isShownAsGiven?: true;
}

/** The rule for a thing's lot. */
export interface LotRule {
  /** The references that decide it; the first given one counts. */
  from: readonly ('zone' | 'lot')[];
  /** Whether its row has a `lot_id`. */
  isColumn: boolean;
  /** Whether PATCH may move the thing to another lot. */
  mayMove: boolean;
}

/** The arguments of a change's hooks. */
export interface RestChange {
  caller: Caller;
  /** Wall milliseconds. */
  now: number;
  /** The values of the body; in POST with the defaults. References are ids. */
  given: Values;
  services: RestServices;
}

/** Effects of a change outside the database. Call them in `tx.onCommit`. */
export interface RestServices {
  /** Call it when users may see other lots than before. */
  lotsChanged(): Promise<void>;
  /** Call it when there may be deliveries to send. */
  webhooksChanged(): void;
  /** Ends the connection of a gateway that was deleted, and what it was doing. */
  cutOffGateway: CutOff;
}

/** The arguments of `items` besides the rows. */
export interface Shown {
  db: Db;
  /** Wall milliseconds. */
  now: number;
  caller: Caller;
}

/** The management of a resource by REST. The hooks run in the transaction of the change. */
export interface RestForm<Row extends { id: number } = { id: number }, Item = unknown> {
  /** The path of the list: `/v2/rgb-displays`. */
  path: string;
  /** Its tag in the OpenAPI document. */
  tag: string;
  /** The room's `*-routes.ts` has the endpoint for POST. */
  isMadeElsewhere?: true;
  list: ListTable<Row>;
  /** The schema of its representation. */
  item: z.ZodType<Item>;
  items(rows: Row[], shown: Shown): Item[] | Promise<Item[]>;
  /** The lots whose gateways must get a new configuration when the row changes; null stands for gateways in no lot. */
  gatewaysOf(row: Row, db: Db): readonly (number | null)[] | Promise<readonly (number | null)[]>;
  /** The sections of that configuration; all when left out. */
  sections?: readonly ConfigSection[];
  /** Codes of PATCH beyond the usual ones. */
  changeErrors?: readonly ErrorCode[];
  /** Codes of DELETE beyond the usual ones. */
  deleteErrors?: readonly ErrorCode[];
  /** @returns further columns */
  beforeInsert?(tx: Tx, change: RestChange): Promise<Columns>;
  afterInsert?(tx: Tx, change: RestChange & { id: number }): Promise<void>;
  /** @returns further columns */
  beforeUpdate?(tx: Tx, change: RestChange & { row: Row }): Promise<Columns>;
  afterUpdate?(tx: Tx, change: RestChange & { row: Row }): Promise<void>;
  beforeDelete?(tx: Tx, change: Omit<RestChange, 'given'> & { row: Row }): Promise<void>;
  /** The warnings of a change that was made. @param changed.body as it came, in POST with the defaults */
  warnings?(db: Db, changed: { id: number; body: Values }): Promise<Warning[]>;
  /** Whether its deletion takes along what may not go by a slip: it then has to be named, by its version or its name. */
  isDeletedByName?(db: Db, id: number): Promise<boolean>;
}

/** The members that a definition may leave out. */
type Defaulted =
  | 'rules'
  | 'complete'
  | 'initially'
  | 'parentColumn'
  | 'auditParent'
  | 'lot'
  | 'deletion'
  | 'rest'
  | 'file';

interface ResourceDefinition<All extends Definition, Row extends { id: number }, Item>
  extends Omit<Resource, Defaulted | 'definition' | 'fields' | 'restFields' | 'fileFields'>,
    Partial<Pick<Resource, Exclude<Defaulted, 'rest'>>> {
  /** All fields, those of answers alone too (`field.ts`). */
  fields: All;
  rest?: RestForm<Row, Item>;
}

/** The fields that bodies and site files share. */
type SharedOf<All> = {
  [Name in keyof All as All[Name] extends Field
    ? All[Name] extends { only: 'rest' | 'file' }
      ? never
      : Name
    : never]: All[Name] extends Field ? All[Name] : never;
};
type InFileOf<All> = {
  [Name in keyof All as All[Name] extends Field & { only: 'file' } ? Name : never]: All[Name] extends Field
    ? All[Name]
    : never;
};

/** Defines a resource, with defaults for the parts that it leaves out. */
export function defineResource<const All extends Definition, Row extends { id: number }, Item>(
  definition: ResourceDefinition<All, Row, Item>,
): Resource<SharedOf<All>, InFileOf<All>> {
  const { fields, rest, ...others } = definition;
  const among = (only?: Field['only']) =>
    Object.fromEntries(Object.entries(fields).filter(([, field]) => 'value' in field && field.only === only)) as Record<
      string,
      Field
    >;
  return {
    rules: [],
    complete: (values) => values,
    initially: () => ({}),
    parentColumn: null,
    auditParent: null,
    lot: null,
    deletion: null,
    file: null,
    ...others,
    definition: fields,
    fields: among() as SharedOf<All>,
    restFields: among('rest'),
    fileFields: among('file') as InFileOf<All>,
    rest: rest ?? null,
  };
}

/** Defines a rule. @param names the fields that it involves */
export function rule<Shared extends Definition, Name extends keyof ValuesOf<Shared> & string>(
  _fields: Shared,
  names: readonly Name[],
  problems: (values: Pick<ValuesOf<Shared>, Name>) => Problem[],
): Rule {
  // A rule runs only on values that passed the fields' own schemas.
  return { fields: names, problems: problems as (values: Values) => Problem[] };
}

/** A span of time: its end must be after its start. Without a start or an end it is open on that side. */
export const endsAfter = (start: string, end: string): Rule => ({
  fields: [start, end],
  problems({ [start]: from, [end]: until }) {
    const isWrong = typeof from === 'number' && typeof until === 'number' && until <= from;
    return isWrong ? [{ field: end, reason: `must be after ${start}` }] : [];
  },
});

export const endsAfterStart = endsAfter('start_time', 'end_time');

/** The fields that REST knows, by their names. */
export const restFieldsOf = ({ fields, restFields }: Pick<Resource, 'fields' | 'restFields'>): Fields => ({
  ...fields,
  ...restFields,
});

/** The fields that site files know, by their names. */
export const fileFieldsOf = ({ fields, fileFields }: Pick<Resource, 'fields' | 'fileFields'>): Fields => ({
  ...fields,
  ...fileFields,
});
