/** The fields that name other things. */
import { z } from 'zod';
import type { Pairs } from '../../kernel/store/entry.js';
import { id, named } from './answer-schemas.js';
import type { Field, Reference, Shown, Typed } from './field.js';
import { decided, type Form, shownAs } from './form.js';
import { LIST_MAX, nameForm, nameValue } from './values.js';

interface ReferenceOptions<Id extends string, Nullable extends true | undefined>
  extends Pick<Shown, 'says' | 'filter'> {
  /** Its column, which is also its name in REST: `zone_id`. */
  id: Id;
  isNullable?: Nullable;
  default?: null;
  isOptional?: true;
  isRequiredInFile?: true;
  isFixed?: true;
  isOnlyOneOfLot?: true;
  staysNamed?: true;
  among?: Reference['among'];
  where?: string;
  form?: Form;
}

type OrNull<Nullable> = Nullable extends true ? number | null : number;
type ReferenceField<Id extends string, Nullable> = Field<string | null> &
  Typed<OrNull<Nullable>, OrNull<Nullable>, object, Id>;

/** A reference to one thing. */
export function referenceTo<const Id extends string, Nullable extends true | undefined = undefined>(
  to: Reference['to'],
  facts: ReferenceOptions<Id, Nullable>,
): ReferenceField<Id, Nullable> {
  const {
    id: restName,
    isNullable = false,
    among = 'account',
    where = among === 'lot' ? ' of this lot' : '',
    ...others
  } = facts;
  const { isOnlyOneOfLot = false, staysNamed = false, ...rules } = others;
  const name = nameForm(z.string());
  return {
    form: shownAs(isNullable ? id.nullable() : id),
    ...rules,
    value: isNullable ? name.nullable() : name,
    reference: { to, id: restName, isNullable, staysNamed, among, where, isOnlyOneOfLot, isMutual: false, pairs: null },
  } as ReferenceField<Id, Nullable>;
}

/** A reference to one thing or none, which answers show with its name, under the field's own name: `zone` of `zone_id`. */
export function namedReferenceTo<const Id extends string>(
  to: Reference['to'],
  facts: Omit<ReferenceOptions<Id, true>, 'form'>,
) {
  const field: Field<string | null> = referenceTo(to, {
    ...facts,
    isNullable: true,
    form: shownAs(named.nullable()),
  });
  return field as typeof field & Typed<never, z.output<typeof named> | null, { [Cell in Id]: number | null }>;
}

/** A reference to one thing, which answers show whole, under the field's own name, as the resource decides. */
export function wholeReferenceTo<const Id extends string, Answer>(
  to: Reference['to'],
  schema: z.ZodType<Answer>,
  facts: Omit<ReferenceOptions<Id, undefined>, 'form'>,
) {
  const field: Field<string | null> = referenceTo(to, { ...facts, form: decided(schema) });
  return field as typeof field & Typed<never, Answer, { [Cell in Id]: number }, null, true>;
}

/**
 * A reference to the gateway that handles a thing of its lot; null: none does. When it is left out and the lot has only one gateway, it
 * names that.
 * @param facts.where ends the message for an unknown name
 */
export const gatewayOfLot = (facts: Pick<ReferenceOptions<'gateway_id', true>, 'where' | 'filter' | 'says'> = {}) =>
  referenceTo('gateways', {
    id: 'gateway_id',
    isNullable: true,
    isOptional: true,
    isOnlyOneOfLot: true,
    among: 'lot',
    ...facts,
  });

interface ReferencesOptions<Id extends string> extends Pick<Shown, 'says'> {
  /** The list of ids in bodies: `tariff_ids`. */
  id: Id;
  pairs: Pairs;
  /** When they are left out, the resource's file form says which things are meant (`unlisted`). */
  isOptional?: true;
  isMutual?: boolean;
}

const fieldOfPairs = <Answer>(
  to: Reference['to'],
  { id: restName, pairs, isOptional, isMutual = false, ...facts }: ReferencesOptions<string>,
  form: Form<Answer>,
) => ({
  value: z.array(nameValue).max(LIST_MAX),
  form,
  ...facts,
  ...(isOptional ? { isOptional } : { default: [] }),
  reference: {
    to,
    id: restName,
    pairs,
    isNullable: false,
    staysNamed: false,
    among: 'account',
    where: '',
    isOnlyOneOfLot: false,
    isMutual,
  },
});

/** References to any number of things, none when they are left out. Answers show the ids, under the name that bodies have. */
export const referencesTo = <const Id extends string>(to: Reference['to'], facts: ReferencesOptions<Id>) =>
  fieldOfPairs(to, facts, shownAs(z.array(id))) as Field<string[]> & Typed<never, number[], object, Id>;

/**
 * The same, but answers show each thing with its name, under the field's own name: `groups` of `group_ids`.
 * @param facts.item left out: id and name
 */
export const namedReferencesTo = <const Id extends string, Item extends z.ZodObject = typeof named>(
  to: Reference['to'],
  { item, ...facts }: ReferencesOptions<Id> & { item?: Item },
) => fieldOfPairs(to, facts, shownAs(z.array(item ?? named))) as Field<string[]> & Typed<never, z.output<Item>[]>;
