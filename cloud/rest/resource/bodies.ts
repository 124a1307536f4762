/** The schemas of a resource: the bodies of REST and the items of a site file. */
import { z } from '@hono/zod-openapi';
import { oncePer } from '../../../shared/once-per.js';
import type { Field, Fields, ValueOf, Values } from '../field/field.js';
import type { Problem } from './problem.js';
import { type Resource, restFieldsOf, type Rule } from './resource.js';
import { hasSecretsForGateway } from './secret-destination.js';
import { idsValue, idValue, keepSecretsValue, LIST_MAX } from '../field/values.js';

/** The name of a field in REST. */
export const restName = (name: string, field: Pick<Field, 'reference'> | undefined): string =>
  field?.reference?.id ?? name;

/** The body of POST: one for each resource. Its keys are the fields' names in REST. */
export const newBody = oncePer((resource: Pick<Resource, 'fields' | 'restFields' | 'rules'>): z.ZodType<Values> => {
  const shape = restShape(restFieldsOf(resource), orDefault);
  const names = restNames(resource);
  return resource.rules.reduce<z.ZodObject>((body, each) => withRule(body, each, names), z.strictObject(shape));
});

/** The body of PATCH: one for each resource. It checks no rules, because they also need the fields that the body leaves out. */
export const changeBody = oncePer((resource: Pick<Resource, 'fields' | 'restFields'>): z.ZodType<Values> => {
  const fields = restFieldsOf(resource);
  const changeable = Object.entries(fields).filter(([, { isFixed }]) => !isFixed);
  return z
    .strictObject({
      ...restShape(Object.fromEntries(changeable), ({ reference }, value) => (reference?.staysNamed ? idValue : value)),
      ...(hasSecretsForGateway(fields) ? { keep_secrets: keepSecretsValue } : {}),
    })
    .partial();
});

/** The values of a body by the fields' own names. */
export function valuesOfBody(resource: Pick<Resource, 'fields' | 'restFields'>, body: Values): Values {
  const named = Object.entries(restFieldsOf(resource)).map(
    ([name, each]) => [name, body[restName(name, each)]] as const,
  );
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

function restShape(fields: Fields, shaped: (field: Field, value: z.ZodType) => z.ZodType): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [restName(name, each), shaped(each, restValue(each))]),
  );
}

/** The fields' names in REST, by their own names. */
const restNames = (resource: Pick<Resource, 'fields' | 'restFields'>): ReadonlyMap<string, string> =>
  new Map(Object.entries(restFieldsOf(resource)).map(([name, each]) => [name, restName(name, each)]));

function restValue({ value, reference }: Field): z.ZodType {
  if (reference === undefined) return value;
  if (reference.pairs !== null) return idsValue;
  return reference.isNullable ? idValue.nullable() : idValue;
}

function orDefault(field: Field, value: z.ZodType): z.ZodType {
  if (field.default !== undefined) return value.default(field.default);
  return field.isOptional ? value.optional() : value;
}

/** The items of a resource's list in a site file. @param nested the lists within an item */
export function fileItem<Shared extends Fields, InFile extends Fields, Nested extends z.ZodRawShape>(
  resource: Pick<Resource<Shared, InFile>, 'fields' | 'fileFields' | 'rules' | 'complete'>,
  nested: Nested,
) {
  const { fields, fileFields, rules, complete } = resource;
  const item = mapping({ ...fileShape(fields), ...fileShape(fileFields), ...nested });
  const ruled = rules.reduce((judged, each) => withRule(judged, each), item);
  // `complete` fills fields in with values of their own types.
  return ruled.transform((values) => complete(values as Values) as typeof values);
}

/** The keys of an item. */
type FileShape<Each extends Fields> = { [Name in keyof Each]: z.ZodType<ValueOf<Each[Name]>> };

export function fileShape<Each extends Fields>(fields: Each): FileShape<Each> {
  const shape = Object.entries(fields).map(([name, field]) => {
    const each = field.inFile === undefined ? field : { ...field, value: field.inFile };
    // In a file, null and a missing key both mean the lot's only one, or none.
    if (each.isOptional && each.reference?.isNullable) return [name, each.value.default(null)];
    if (!each.isRequiredInFile) return [name, orDefault(each, each.value)];
    return [name, each.value instanceof z.ZodNullable ? each.value.unwrap() : each.value];
  });
  return Object.fromEntries(shape) as FileShape<Each>;
}

/** A mapping that refuses unknown keys; the message lists the allowed ones. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `unknown key; allowed: ${allowed}` : undefined),
  });
}

/** A list in a site file; empty when it is left out. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(LIST_MAX).default([]);

/** Adds a rule. It runs when the fields that it names are valid, so that its problems are reported beside those of other fields. */
function withRule<Body extends z.ZodObject>(
  body: Body,
  { fields, problems }: Rule,
  names?: ReadonlyMap<string, string>,
): Body {
  const nameOf = (field: string) => names?.get(field) ?? field;
  const judged = new Set(fields.map(nameOf));
  return body.superRefine(
    (given, context) => {
      const values = Object.fromEntries(fields.map((field) => [field, (given as Values)[nameOf(field)]]));
      for (const problem of problems(values)) context.addIssue(issueOf(problem, nameOf));
    },
    {
      // A body that is not an object has no fields.
      when: ({ value, issues }) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        !issues.some(({ path }) => judged.has(String(path?.[0]))),
    },
  );
}

function issueOf({ field, reason }: Problem, nameOf: (field: string) => string) {
  const [first = '', ...rest] = field.split('.');
  const path = [nameOf(first), ...rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
  return { code: 'custom' as const, message: reason, path };
}
