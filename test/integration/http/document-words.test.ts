/** The documents say of each part what it means, and their examples are right. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectAt } from '../../../cloud/rest/document/json-schema.js';
import { keysOf, ownersOfOperation, ownersOfSchema, type PropertyPath } from '../../../cloud/rest/document/look-up.js';
import { BODY_EXAMPLES } from '../../../cloud/rest/document/body-examples.js';
import { OPERATION_WORDS } from '../../../cloud/rest/document/operation-words.js';
import { PARAMETER_WORDS, parameterKey } from '../../../cloud/rest/document/parameter-words.js';
import { PROPERTY_EXAMPLES } from '../../../cloud/rest/document/property-examples.js';
import { PROPERTY_WORDS_BY_OWNER } from '../../../cloud/rest/document/property-words-by-owner.js';
import { PROPERTY_WORDS } from '../../../cloud/rest/document/property-words.js';
import { fetchDocument, type OpenApiDocument, operationsOf } from '../../contract/openapi-document.js';
import { type CloudWorld, startCloudWorld } from './http-world.js';

interface Property {
  path: PropertyPath;
  schema: JsonObject;
}

/** Every property of a schema and of those inside it, but not of those that it refers to. */
function propertiesOf(schema: unknown, path: PropertyPath): Property[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => propertiesOf(each, path));
  if (!isObject(schema)) return [];
  const own = Object.entries(objectAt(schema, 'properties')).flatMap(([name, each]) => {
    const of = { ...path, names: [...path.names, name] };
    return [{ path: of, schema: each as JsonObject }, ...propertiesOf(each, of)];
  });
  const inner = ['items', 'anyOf', 'oneOf', 'additionalProperties', 'contentSchema'].map((key) => schema[key]);
  return [...own, ...propertiesOf(inner, path)];
}

const of = (owners: readonly string[]): PropertyPath => ({ owners, names: [] });
const nameOf = ({ owners, names }: PropertyPath) => [owners[0], ...names].join('.');

describe('the documents', () => {
  let cloud: CloudWorld;
  let openApi: OpenApiDocument;
  let properties: Property[];

  beforeAll(async () => {
    cloud = await startCloudWorld();
    openApi = await fetchDocument(cloud.base);
    const asyncApi: unknown = await (await fetch(`${cloud.base}/asyncapi.json`)).json();
    const { messages, schemas } = (asyncApi as { components: Record<'messages' | 'schemas', object> }).components;
    properties = [
      ...Object.entries(openApi.components.schemas).flatMap(([name, each]) =>
        propertiesOf(each, of(ownersOfSchema(name))),
      ),
      ...operationsOf(openApi).flatMap(({ operation }) =>
        [operation.requestBody?.content, ...Object.values(operation.responses).map(({ content }) => content)]
          .flatMap((content) => Object.values(content ?? {}))
          .flatMap(({ schema }) => propertiesOf(schema, of(ownersOfOperation(operation.operationId)))),
      ),
      ...Object.entries(schemas).flatMap(([name, each]) => propertiesOf(each, of([name]))),
      ...Object.entries(messages as Record<string, { payload: unknown }>).flatMap(([name, { payload }]) =>
        propertiesOf(payload, of([name, name.startsWith('webhook_') ? 'webhook_call' : 'frame'])),
      ),
    ];
  });
  afterAll(() => cloud.close());

  /** The keys by which a table is asked, and finds something. */
  const used = (...tables: object[]) =>
    new Set(
      properties.flatMap(({ path }) => {
        const key = tables.flatMap((table) => keysOf(path).filter((each) => each in table))[0];
        return key === undefined ? [] : [key];
      }),
    );

  it('describe every property, in whole sentences', () => {
    expect(properties.length).toBeGreaterThan(1000);
    const silent = properties.filter(({ schema }) => !/^[A-Z`].*[.!?]$/s.test(String(schema.description)));
    expect(silent.map(({ path }) => nameOf(path))).toEqual([]);
  });

  it('describe no property that is in none of them', () => {
    const known = used(PROPERTY_WORDS_BY_OWNER, PROPERTY_WORDS);
    const words = [...Object.keys(PROPERTY_WORDS_BY_OWNER), ...Object.keys(PROPERTY_WORDS)];
    expect(words.filter((key) => !known.has(key))).toEqual([]);
    expect(Object.keys(PROPERTY_EXAMPLES).filter((key) => !used(PROPERTY_EXAMPLES).has(key))).toEqual([]);
  });

  it('say what every operation does, who may ask for it, and how it is asked', () => {
    const operations = operationsOf(openApi);
    const names = new Set(operations.map(({ operation }) => operation.operationId));
    for (const { operation } of operations) {
      const [what, ...access] = operation.description.split('\n\n');
      expect([operation.operationId, operation.summary, what, access]).toEqual([
        operation.operationId,
        expect.stringMatching(/^[A-Z]/),
        expect.stringMatching(/^[A-Z].*\.$/s),
        [expect.stringMatching(/^With.*\.$/s)],
      ]);
    }
    expect(Object.keys(OPERATION_WORDS).filter((name) => !names.has(name))).toEqual([]);
    expect(Object.keys(BODY_EXAMPLES).filter((name) => !names.has(name))).toEqual([]);
  });

  it('describe every parameter and give an example of it, but of headers', () => {
    const parameters = operationsOf(openApi).flatMap(({ path, operation }) =>
      (operation.parameters ?? []).map((parameter) => ({ path, parameter })),
    );
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    for (const { path, parameter } of parameters) {
      const where = `${path} ${parameter.name}`;
      expect([where, parameter.description]).toEqual([where, expect.stringMatching(/\w/)]);
      if (parameter.in === 'header')
        expect([where, parameter]).toEqual([where, expect.not.objectContaining({ example: expect.anything() })]);
      else expect([where, ajv.validate(parameter.schema, parameter.example)]).toEqual([where, true]);
    }
    const keys = new Set(parameters.map(({ path, parameter }) => parameterKey(path, parameter.name)));
    expect(Object.keys(PARAMETER_WORDS).filter((key) => !keys.has(key))).toEqual([]);
  });

  it('give an example of every body and every answer of JSON, which its own schema allows', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(openApi, 'openapi.json');
    const wrong = operationsOf(openApi).flatMap(({ operation }) =>
      [operation.requestBody, operation.responses['200']].flatMap((part, at) => {
        const content = part?.content?.['application/json'];
        if (content === undefined) return [];
        const text = JSON.stringify(content.schema).replaceAll('"$ref":"#', '"$ref":"openapi.json#');
        if (ajv.validate(JSON.parse(text) as object, content.example)) return [];
        return [`${operation.operationId} ${at === 0 ? 'body' : 'answer'}: ${ajv.errorsText()}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('have no choice of literals that is not one enumeration, and no flag that is no whole number', () => {
    const text = JSON.stringify(openApi);
    expect(text).not.toMatch(/"type":"number","enum"/);
    expect(text).not.toMatch(/\{"type":"\w+","enum":\[[^\]]*\]\},\{"type":"\w+","enum"/);
  });

  it('let a body be absent where the service needs none', () => {
    const optional = operationsOf(openApi).filter(({ operation }) => operation.requestBody?.required === false);
    expect(optional.map(({ operation }) => operation.operationId)).toEqual(
      expect.arrayContaining(['releaseLot', 'closeSession', 'updateLot']),
    );
    for (const { operation } of optional) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      expect([operation.operationId, schema?.required ?? []]).toEqual([operation.operationId, []]);
    }
  });
});
