/** The tables of `shared/contract/routes.md` and `resources.md`, built from `/openapi.json`. Pure. */
import { cell, code, type Table } from './markdown-page.js';
import { defaultWords, type Fields, fieldsOf, type JsonSchema, nameOf, resolved, wordsOf } from './schema-words.js';

/** The parts of the document that the tables need. */
interface Operation {
  summary?: string;
  tags?: string[];
  /** Left out or empty: the operation needs no bearer. */
  security?: unknown[];
  'x-roles'?: string[];
  'x-user-token-only'?: boolean;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
}
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

interface Route {
  method: string;
  path: string;
  name: string;
  operation: Operation;
}

/** Codes that every protected endpoint may answer with, and those of any endpoint with a body. */
const COMMON_OF_PROTECTED = new Set([1, 4, 6, 23, 429, 500]);
const COMMON_OF_PUBLIC = new Set([23, 500]);

export function routesOf(document: Document): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { method, path, name: `${method} ${path}`, operation };
    }),
  );
}

/** One table per tag: the operation, its callers, its input and its answers. */
export function routeTables(document: Document): Map<string, Table> {
  const header = ['Route', 'Who', 'What it does', 'Takes', 'Answers', 'Errors'];
  const tables = new Map<string, { header: string[]; rows: string[][] }>();
  for (const { name, operation } of routesOf(document)) {
    const tag = operation.tags?.[0] ?? 'Other';
    const table = tables.get(tag) ?? { header, rows: [] };
    const summary = cell(operation.summary ?? '');
    table.rows.push([
      code(name),
      whoMay(operation),
      summary,
      inputs(operation),
      answers(operation),
      ownErrors(operation),
    ]);
    tables.set(tag, table);
  }
  return tables;
}

/** What each list filters and sorts by. */
export function listTable(document: Document): Table {
  const rows = routesOf(document).flatMap(({ path, operation }) => {
    const parameters = operation.parameters ?? [];
    const filter = parameters.find(({ name }) => name === 'filter');
    if (filter === undefined) return [];
    const text = `${String(filter.schema.description ?? '')}\n${filter.description ?? ''}`;
    const fields = new Set([...text.matchAll(/^- `(\w+)`/gm)].map(([, field = '']) => field));
    const sort = parameters.find(({ name }) => name === 'sort')?.schema;
    const sorts = new Set(((sort?.enum ?? []) as string[]).map((each) => each.split(':')[0]));
    return [
      [code(path), [...fields].join(' '), [...sorts].join(' '), sort === undefined ? '' : code(String(sort.default))],
    ];
  });
  return { header: ['List', 'Filters', 'Sorts', 'Sorted by default'], rows };
}

/** One table per named schema: what REST shows, and what its bodies accept. */
export function resourceTables(document: Document): Map<string, Table> {
  const { schemas } = document.components;
  const bodies = bodiesOf(document);
  return new Map(
    Object.entries(schemas).flatMap(([name, schema]): [string, Table][] => {
      const shown = fieldsOf(schema, schemas);
      return shown === null ? [] : [[name, resourceTable(shown, bodies.get(name))]];
    }),
  );
}

interface Bodies {
  create: Fields | null;
  change: Fields | null;
}

function resourceTable(shown: Fields, bodies: Bodies | undefined): Table {
  const keys = new Set([
    ...Object.keys(shown.properties),
    ...Object.keys({ ...bodies?.create?.properties, ...bodies?.change?.properties }),
  ]);
  const rows = [...keys].map((key) => {
    const schema = shown.properties[key];
    const words =
      schema === undefined ? 'never' : `${wordsOf(schema)}${shown.required.includes(key) ? '' : ' (may be absent)'}`;
    return bodies === undefined ? [code(key), words] : [code(key), words, bodyWords(key, bodies)];
  });
  return { header: bodies === undefined ? ['Key', 'Shown as'] : ['Key', 'Shown as', 'In bodies'], rows };
}

/** `default 0; whole number, 0 to 100`; with `POST only` or `PATCH only` where the other does not accept it. */
function bodyWords(key: string, { create, change }: Bodies): string {
  const made = create?.properties[key];
  const changed = change?.properties[key];
  const schema = made ?? changed;
  if (schema === undefined) return '';
  const need = made === undefined ? null : (defaultWords(made, create?.required.includes(key) === true) ?? 'required');
  const only =
    made === undefined
      ? create === null
        ? null
        : 'PATCH only'
      : changed === undefined && change !== null
        ? 'POST only'
        : null;
  return [need, wordsOf(schema), only].filter((part) => part !== null).join('; ');
}

/** By the name of the schema that a list shows: the bodies of POST to its path, and of PATCH of one resource. */
function bodiesOf(document: Document): Map<string, Bodies> {
  const found = new Map<string, Bodies>();
  const fieldsAt = (path: string, method: string): Fields | null => {
    const body = document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema;
    return body === undefined ? null : bodyFields(body, document);
  };
  for (const { method, path, operation } of routesOf(document)) {
    const item = method === 'GET' ? itemOf(operation) : null;
    if (item === null) continue;
    const create = fieldsAt(path, 'post');
    const change = fieldsAt(`${path}/{id}`, 'patch');
    if (create !== null || change !== null) found.set(item, { create, change });
  }
  return found;
}

/** The fields of a body; of a body that is one of several, the fields of all. */
function bodyFields(schema: JsonSchema, document: Document): Fields | null {
  const { schemas } = document.components;
  const alternatives = (resolved(schema, schemas).anyOf ?? resolved(schema, schemas).oneOf) as JsonSchema[] | undefined;
  if (alternatives === undefined) return fieldsOf(schema, schemas);
  const all = alternatives.map((each) => fieldsOf(each, schemas)).filter((each) => each !== null);
  const inAll = (key: string) => all.every(({ required }) => required.includes(key));
  return {
    properties: Object.assign({}, ...all.map(({ properties }) => properties)) as Fields['properties'],
    required: [...new Set(all.flatMap(({ required }) => required))].filter(inAll),
  };
}

/** The name of a list's items. */
function itemOf(operation: Operation): string | null {
  const data = dataOf(operation);
  return data?.type === 'array' ? nameOf((data.items ?? {}) as JsonSchema) : null;
}

function dataOf(operation: Operation): JsonSchema | null {
  const schema = operation.responses['200']?.content?.['application/json']?.schema;
  const properties = schema?.properties as Record<string, JsonSchema> | undefined;
  return properties?.data ?? null;
}

const isPublic = ({ security = [] }: Operation): boolean => security.length === 0;

function whoMay(operation: Operation): string {
  if (isPublic(operation)) return 'public';
  const roles = operation['x-roles'] ?? [];
  const who = roles.length === 3 ? 'everybody' : roles.length === 2 ? 'managers' : roles.join(', ');
  return operation['x-user-token-only'] === true ? `${who} (user token)` : who;
}

function inputs(operation: Operation): string {
  const own = (operation.parameters ?? []).filter(
    ({ name, in: place }) => place === 'query' && !['page', 'size', 'filter', 'sort'].includes(name),
  );
  const query = own.map(({ name, required }) => `?${name}${required === true ? '' : '?'}`);
  const isList = operation.parameters?.some(({ name }) => name === 'page') === true;
  const body = operation.requestBody?.content['application/json']?.schema;
  return [
    ...(isList ? ['page'] : []),
    ...query.map((text) => code(text)),
    ...(body === undefined ? [] : [bodyKeys(body)]),
  ].join(' ');
}

function bodyKeys(schema: JsonSchema): string {
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  const shapes = alternatives ?? [schema];
  const keys = new Map<string, boolean>();
  for (const shape of shapes) {
    const { properties = {}, required = [] } = shape as { properties?: Record<string, unknown>; required?: string[] };
    for (const key of Object.keys(properties)) keys.set(key, (keys.get(key) ?? true) && required.includes(key));
  }
  return code(`{${[...keys].map(([key, isRequired]) => (isRequired ? key : `${key}?`)).join(', ')}}`);
}

function answers(operation: Operation): string {
  const content = operation.responses['200']?.content ?? {};
  const [type = '', { schema } = { schema: {} as JsonSchema }] = Object.entries(content)[0] ?? [];
  if (type !== 'application/json') return type;
  const data = dataOf(operation);
  return data === null ? `bare ${wordsOf(schema)}` : wordsOf(data);
}

/** The error codes that not all endpoints of its kind have. */
function ownErrors(operation: Operation): string {
  const common = isPublic(operation) ? COMMON_OF_PUBLIC : COMMON_OF_PROTECTED;
  const codes = Object.values(operation.responses).flatMap(({ description }) =>
    [...description.matchAll(/code (\d+)/g)].map(([, text]) => Number(text)),
  );
  return [...new Set(codes)]
    .filter((each) => !common.has(each))
    .toSorted((a, b) => a - b)
    .join(', ');
}
