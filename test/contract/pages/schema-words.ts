/** A JSON schema in the words of the contract's tables. Pure. */
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { cell, code } from './markdown-page.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
/** Patterns that words say better. */
const PATTERN_WORDS = new Map([
  ['[\\p{L}\\p{Nd}]', 'with 1 to 15 letters and digits'],
  ['^([01]\\d|2[0-3]):[0-5]\\d$', 'of the form HH:MM'],
]);
/** The same rules in the document, which describes what not every validator would read alike. */
const DESCRIBED = [...PATTERN_WORDS.values()];
/** Longer rules are in `/openapi.json`. */
const PATTERN_LENGTH_MAX = 44;

export interface Fields {
  properties: Record<string, JsonSchema>;
  required: readonly string[];
}

/** The fields of an object; of `allOf` the fields of all parts. Null for a schema of anything else. */
export function fieldsOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): Fields | null {
  const known = resolved(schema, schemas);
  const parts = (known.allOf ?? []) as JsonSchema[];
  const properties = known.properties as Fields['properties'] | undefined;
  if (parts.length === 0) return properties === undefined ? null : { properties, required: textsOf(known.required) };
  const all = [...parts, ...(properties === undefined ? [] : [{ ...known, allOf: undefined }])].map((part) =>
    fieldsOf(part, schemas),
  );
  return {
    properties: Object.assign({}, ...all.map((each) => each?.properties ?? {})) as Fields['properties'],
    required: all.flatMap((each) => each?.required ?? []),
  };
}

export function resolved(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const name = nameOf(schema);
  return name === null ? schema : (schemas[name] ?? schema);
}

/** The name of a schema that is referred to. */
export function nameOf(schema: JsonSchema): string | null {
  return typeof schema.$ref === 'string' ? (schema.$ref.split('/').pop() ?? null) : null;
}

/** What the value may be: `text of 1 to 200 characters`, `whole number from 1 or null`. */
export function wordsOf(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== null) return code(name);
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives !== undefined) return wordsOfAlternatives(alternatives);
  if (Array.isArray(schema.allOf)) return (schema.allOf as JsonSchema[]).map(wordsOf).join(' with ');
  if (Array.isArray(schema.type)) {
    return wordsOfAlternatives(textsOf(schema.type).map((type) => ({ ...schema, type })));
  }
  if ('const' in schema) return valueWords(schema.const);
  if (Array.isArray(schema.enum)) return wordsOfChoice(schema.enum.filter((value) => value !== null));
  return wordsOfType(schema);
}

const EVENT_NAMES = Object.keys(EVENT_SCHEMAS).join();

function wordsOfChoice(values: readonly unknown[]): string {
  if (values.join() === '0,1') return '0 or 1';
  return values.join() === EVENT_NAMES ? 'name of an event' : values.map(valueWords).join(', ');
}

function wordsOfAlternatives(alternatives: readonly JsonSchema[]): string {
  const isNull = (each: JsonSchema) => each.type === 'null' || (each.enum !== undefined && String(each.enum) === '');
  const rest = alternatives.filter((each) => !isNull(each));
  const words = [...new Set(rest.flatMap((each) => (isFlag(rest) ? [] : [wordsOf(each)])))];
  const allowed = isFlag(rest) ? '0, 1, true or false' : words.join(' or ');
  return rest.length === alternatives.length ? allowed : `${allowed === '' ? '' : `${allowed} or `}null`;
}

/** Whether the alternatives are 0 and 1, which may also be given as a boolean. */
function isFlag(alternatives: readonly JsonSchema[]): boolean {
  const words = alternatives.map((each) => (each.type === 'boolean' ? 'boolean' : wordsOf(each)));
  return (
    words.includes('boolean') && words.length > 1 && words.every((each) => /^(boolean|0|1|0, 1|0 or 1)$/.test(each))
  );
}

function wordsOfType(schema: JsonSchema): string {
  const { type, items } = schema;
  switch (type) {
    case 'string':
      return wordsOfText(schema);
    case 'integer':
      return `whole number${rangeWords(schema)}`;
    case 'number':
      return `number${rangeWords(schema)}`;
    case 'boolean':
      return 'true, false';
    case 'array':
      return `list of ${wordsOf((items ?? {}) as JsonSchema).replace(/^((?:whole )?number|text|name|uuid)\b/, '$1s')}`;
    case 'object':
      return wordsOfObject(schema);
    default:
      return 'any value';
  }
}

function wordsOfObject(schema: JsonSchema): string {
  const { properties } = schema as { properties?: Record<string, JsonSchema> };
  if (properties === undefined) return 'object';
  const required = textsOf(schema.required);
  return code(
    `{${Object.keys(properties)
      .map((key) => (required.includes(key) ? key : `${key}?`))
      .join(', ')}}`,
  );
}

function wordsOfText({ format, pattern, description, minLength, maxLength }: JsonSchema): string {
  if (format === 'date-time') return 'datetime';
  if (format === 'email') return 'e-mail address';
  if (format === 'binary') return 'bytes';
  if (pattern === UUID) return 'uuid';
  const rule = DESCRIBED.find((words) => String(description).toLowerCase().includes(words));
  const described = rule === undefined ? '' : ` ${rule}`;
  const shape = typeof pattern === 'string' ? patternWords(pattern) : described;
  const min = typeof minLength === 'number' ? minLength : 0;
  if (typeof maxLength !== 'number') return `text${min > 0 ? ' that is not empty' : ''}${shape}`;
  return `text of ${min > 0 ? `${min} to` : 'at most'} ${maxLength} characters${shape}`;
}

function patternWords(pattern: string): string {
  const words = PATTERN_WORDS.get(pattern);
  if (words !== undefined) return ` ${words}`;
  return pattern.length <= PATTERN_LENGTH_MAX ? ` matching ${code(pattern)}` : '';
}

function rangeWords({ minimum, maximum, exclusiveMinimum, type }: JsonSchema): string {
  const isBound = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(exclusiveMinimum) && type === 'number') {
    return ` above ${exclusiveMinimum}${isBound(maximum) ? `, at most ${maximum}` : ''}`;
  }
  const from = isBound(exclusiveMinimum) ? exclusiveMinimum + 1 : isBound(minimum) ? minimum : null;
  const to = isBound(maximum) ? maximum : null;
  if (from === null) return to === null ? '' : ` of at most ${to}`;
  return to === null ? ` from ${from}` : ` ${from} to ${to}`;
}

/** What counts when the field is left out; null: it must be given. */
export function defaultWords(schema: JsonSchema, isRequired: boolean): string | null {
  if (isRequired) return null;
  const value = schema.default;
  if (value === undefined) return 'optional';
  if (value === '') return 'default empty';
  if (Array.isArray(value) && value.length === 0) return 'default none';
  if (Array.isArray(value)) return `default ${value.map(valueWords).join(', ')}`;
  return `default ${value === null ? 'null' : valueWords(value)}`;
}

const valueWords = (value: unknown): string =>
  typeof value === 'string' ? code(value === '' ? '""' : value) : cell(JSON.stringify(value));

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
