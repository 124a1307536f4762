/** Adds to the OpenAPI document what no schema says: what each part means, and examples. Pure. */
import { describedSchema, type FieldWords, wordsOfFields } from './describe-schema.js';
import { exampleOf, exampleOfBody } from './example-of.js';
import { isObject, type JsonObject, mapValues, objectAt } from './json-schema.js';
import { ownersOfOperation, ownersOfSchema } from './look-up.js';
import { BODY_EXAMPLES } from './body-examples.js';
import { wordsOfOperation } from './operation-words.js';
import { describedParameter } from './parameter-words.js';

/** The document, with a description of every schema's properties, every parameter and every operation, and with examples. */
export function describedDocument(document: JsonObject): JsonObject {
  const components = objectAt(document, 'components');
  const fields = wordsOfFields(objectAt(components, 'schemas'));
  const schemas = mapValues(objectAt(components, 'schemas'), (schema, name) =>
    describedSchema(schema, { owners: ownersOfSchema(name), names: [] }, fields),
  );
  const paths = mapValues(objectAt(document, 'paths'), (methods, path) =>
    isObject(methods)
      ? mapValues(methods, (operation) => describedOperation(operation, { path, schemas, fields }))
      : methods,
  );
  return { ...document, paths, components: { ...components, schemas } };
}

function describedOperation(
  operation: unknown,
  { path, schemas, fields }: { path: string; schemas: JsonObject; fields: FieldWords },
): unknown {
  if (!isObject(operation)) return operation;
  const id = String(operation.operationId);
  const owners = ownersOfOperation(id);
  const { parameters, requestBody, responses, description } = operation;
  return {
    ...operation,
    description: [wordsOfOperation(id), description].filter((each) => each !== undefined).join('\n\n'),
    ...(Array.isArray(parameters) ? { parameters: parameters.map((each) => describedParameter(each, { path })) } : {}),
    ...(isObject(requestBody)
      ? {
          requestBody: describedContents(requestBody, (schema) => ({
            schema: describedSchema(schema, { owners, names: [] }, fields),
            example: BODY_EXAMPLES[id] ?? exampleOfBody(schema, { owners, names: [] }, schemas),
          })),
        }
      : {}),
    responses: mapValues(isObject(responses) ? responses : {}, (response, status) =>
      describedContents(response, (schema) => ({
        schema: describedSchema(schema, { owners, names: [] }, fields),
        ...(status === '200' ? { example: exampleOf(schema, { owners, names: [] }, schemas) } : {}),
      })),
    ),
  };
}

/** Only JSON has examples: the rest are files and pages. */
function describedContents(part: unknown, describe: (schema: unknown) => JsonObject): unknown {
  if (!isObject(part) || !isObject(part.content)) return part;
  return {
    ...part,
    content: mapValues(part.content, (content, type) =>
      isObject(content) && type === 'application/json' ? { ...content, ...describe(content.schema) } : content,
    ),
  };
}
