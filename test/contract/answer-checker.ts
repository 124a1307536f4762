/**
 * Validates answers against the OpenAPI document with Ajv: the path and the status must be described, and the body must be valid by
 * the schema that stands there. OpenAPI 3.1 schemas are JSON Schema 2020-12, so that Ajv reads the document as it is served.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from './openapi-document.js';

/** One answer of the service. */
export interface ReceivedAnswer {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** The media type; `application/json` when left out, empty when the answer has no body. */
  type?: string;
  /** Of JSON its value, of anything else its text. */
  body: unknown;
}

/** @returns the operation that answered, or what is wrong with the answer */
export type AnswerChecker = (answer: ReceivedAnswer) => { operation: string } | { problem: string };

const DOCUMENT_ID = 'openapi.json';

/** The document's own keys; any other keyword that JSON Schema does not know is a fault of the document. */
const DOCUMENT_KEYWORDS = ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'webhooks', 'components'];

/** What a path that the document does not have is answered. */
const NOT_FOUND_SCHEMA = {
  type: 'object',
  required: ['success', 'errors'],
  additionalProperties: false,
  properties: {
    success: { const: false },
    errors: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['code', 'message'],
        additionalProperties: false,
        properties: { code: { const: 6 }, message: { type: 'string' } },
      },
    },
  },
};

/** The pointer to a place in the document, as a URI fragment. */
const pointer = (...steps: string[]) =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Throws where a schema of the document is none. */
export function createAnswerChecker(document: OpenApiDocument): AnswerChecker {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  // Its types say that the default export is an object that holds the function.
  addFormats.default(ajv);
  ajv.addVocabulary(DOCUMENT_KEYWORDS);
  ajv.addSchema(document, DOCUMENT_ID, false, false);
  const isNotFound = ajv.compile(NOT_FOUND_SCHEMA);
  const paths = Object.entries(document.paths)
    // A path without parameters goes before one with them.
    .toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, methods]) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods,
    }));

  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (reference: string): ValidateFunction => {
    const known = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, known);
    return known;
  };

  return ({ method, path: asked, status, type = 'application/json', body }) => {
    const bare = asked.split('?', 1)[0] ?? '';
    const key = method.toLowerCase();
    const found = paths.find(({ pattern, methods }) => pattern.test(bare) && methods[key] !== undefined);
    const what = `${method} ${bare} answered ${status}`;
    if (found === undefined) {
      if (status === 404 && isNotFound(body)) return { operation: 'an unknown path' };
      return { problem: `${what}: no such endpoint in the document` };
    }
    const response = found.methods[key]?.responses[status];
    const isDescribed =
      type === '' ? response !== undefined && response.content === undefined : response?.content?.[type];
    if (!isDescribed) return { problem: `${what} (${type}): the document does not say so` };
    const operation = `${method} ${found.path} ${status}`;
    if (type === '') return { operation };
    const validate = validatorOf(
      `${DOCUMENT_ID}#${pointer('paths', found.path, key, 'responses', String(status), 'content', type, 'schema')}`,
    );
    if (validate(body)) return { operation };
    return { problem: `${what} with another body than the document says: ${ajv.errorsText(validate.errors)}` };
  };
}
