/** The fields of a resource: their limits, defaults and columns. */
import { z } from 'zod';
import type { Database, Pairs } from '../../kernel/store/entry.js';
import type { SealPurpose } from '../../kernel/secrets/entry.js';
import { LIST_MAX, nameForm, nameValue } from './values.js';

export type ColumnValue = string | number | null;
export type Columns = Readonly<Record<string, ColumnValue>>;

/** The values of one thing's fields, by the fields' names. A field that was left out is undefined. */
export type Values = Readonly<Record<string, unknown>>;

export interface Field<Value = unknown> {
  /** Its limits. For a reference this is the name that a site file gives; REST has an id instead. */
  value: z.ZodType<Value>;
  /** Its value when it is left out. A field with neither `default` nor `isOptional` is required. */
  default?: ColumnValue | readonly unknown[];
  /** It may be left out. `complete` fills it in, or its column is not written. */
  isOptional?: true;
  /** It is required in a site file, even if it is not in REST. */
  isRequiredInFile?: true;
  /** It never changes: PATCH refuses it. */
  isFixed?: true;
  /** The columns that keep it. Left out: one column, with the field's name and value. */
  columns?: Readonly<Record<string, StoredColumn<Value>>>;
  /** Other fields that its columns depend on: when one of them changes, the columns are written again. */
  dependsOn?: readonly string[];
  /** Reads its value from a row. Left out: the column with the field's name. */
  read?(row: Readonly<Record<string, unknown>>): unknown;
  /** The column that keeps it sealed. It is never shown. */
  secret?: SealedColumn;
  /** Whether its value, which is stored as it is, holds a secret: the password in an address. */
  holdsSecret?(value: unknown, values: Values): boolean;
  /** It names one or more other things. */
  reference?: Reference;
}

export interface StoredColumn<Value> {
  from(value: Value, values: Values): ColumnValue;
}

export interface SealedColumn {
  column: string;
  purpose: SealPurpose;
  encoding: 'hex' | 'utf8';
  /**
   * The field with the address that it is sent to: whoever changes the host or port there has to give the secret again, or it would go to
   * whoever may write the address. null: it goes to no address of the thing.
   */
  sentTo: string | null;
}

export interface Reference {
  /** The table of the named things. */
  to: keyof Database;
  /** Its name in REST: `zone_id`, which is also its column, or `tariff_ids`. */
  id: string;
  /** Whether null (it names nothing) is allowed. */
  isNullable: boolean;
  /** Whether PATCH refuses null. */
  staysNamed: boolean;
  /** Whether a site file may name only things of the lot. `where` ends the message for an unknown name. */
  among: 'lot' | 'account';
  where: string;
  /** When it is left out and the lot has only one such thing, it names that. */
  isOnlyOneOfLot: boolean;
  /** Whether the named things are written, too, because they show who names them: a member and its groups. */
  isMutual: boolean;
  /** The table that joins several named things with this one; null: it names one thing. */
  pairs: Pairs | null;
}

export type Fields = Readonly<Record<string, Field>>;

/** The type of a field's value. */
export type ValueOf<Each extends Field> = z.output<Each['value']>;
export type ValuesOf<Each extends Fields> = { [Name in keyof Each]: ValueOf<Each[Name]> };

type FieldOptions<Value> = Omit<Field<Value>, 'value' | 'default' | 'reference'>;

/** A required field. */
export const required = <Value>(value: z.ZodType<Value>, options: FieldOptions<Value> = {}): Field<Value> => ({
  value,
  ...options,
});

/** A field with a default. */
export const withDefault = <Value>(
  value: z.ZodType<Value>,
  usual: NonNullable<Field['default']> | null,
  options: FieldOptions<Value> = {},
): Field<Value> => ({ value, default: usual, ...options });

/** A field that may be left out. */
export const optional = <Value>(
  value: z.ZodType<Value>,
  options: FieldOptions<Value> = {},
): Field<Value | undefined> => ({
  value,
  isOptional: true,
  ...options,
});

interface ReferenceOptions {
  /** Its column, which is also its name in REST: `zone_id`. */
  id: string;
  isNullable?: true;
  default?: null;
  isOptional?: true;
  isRequiredInFile?: true;
  isFixed?: true;
  isOnlyOneOfLot?: true;
  staysNamed?: true;
  among?: Reference['among'];
  where?: string;
}

/** A reference to one thing. */
export function referenceTo(to: Reference['to'], options: ReferenceOptions): Field<string | null> {
  const {
    id,
    isNullable = false,
    among = 'account',
    where = among === 'lot' ? ' of this lot' : '',
    ...others
  } = options;
  const { isOnlyOneOfLot = false, staysNamed = false, ...rules } = others;
  const name = nameForm(z.string());
  return {
    ...rules,
    value: isNullable ? name.nullable() : name,
    reference: { to, id, isNullable, staysNamed, among, where, isOnlyOneOfLot, isMutual: false, pairs: null },
  };
}

/**
 * A reference to the gateway that handles a thing of its lot; null: none does. When it is left out and the lot has only one gateway, it
 * names that.
 * @param options.where ends the message for an unknown name
 */
export const gatewayOfLot = (options: Pick<ReferenceOptions, 'where'> = {}): Field<string | null> =>
  referenceTo('gateways', {
    id: 'gateway_id',
    isNullable: true,
    isOptional: true,
    isOnlyOneOfLot: true,
    among: 'lot',
    ...options,
  });

/**
 * References to any number of things; none when they are left out.
 * @param options.id the list of ids in REST: `tariff_ids`
 * @param options.isOptional when they are left out, the resource's file form says which things are meant (`unlisted`)
 */
export function referencesTo(
  to: Reference['to'],
  { isOptional, isMutual = false, ...options }: { id: string; pairs: Pairs; isOptional?: true; isMutual?: boolean },
): Field<string[]> {
  return {
    value: z.array(nameValue).max(LIST_MAX),
    ...(isOptional ? { isOptional } : { default: [] }),
    reference: {
      to,
      ...options,
      isNullable: false,
      staysNamed: false,
      among: 'account',
      where: '',
      isOnlyOneOfLot: false,
      isMutual,
    },
  };
}
