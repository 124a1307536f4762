/** Holds answers against /openapi.json: the path and status must be described, the body must be of the schema that is there. */
import { z } from 'zod';

interface OpenApiOperation {
  security?: unknown[];
  'x-roles'?: string[];
  'x-user-token-only'?: boolean;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  parameters?: { name: string; in: string; required?: boolean; schema: JsonSchema }[];
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
}
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}
export type JsonSchema = Record<string, unknown>;

interface Asked {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** `application/json` when left out. */
  type?: string;
  /** Of JSON what it holds, of anything else its text. */
  body: unknown;
}
type Checker = (asked: Asked) => string | null;

const notFoundSchema = z.strictObject({
  success: z.literal(false),
  errors: z.tuple([z.strictObject({ code: z.literal(6), message: z.string() })]),
});

const checkers = new Map<string, Promise<Checker>>();
const byText = new Map<string, Checker>();

/** Of the document that the service at this address tells; worlds with the same document share it. */
export function checkerOfDocument(base: string): Promise<Checker> {
  const known = checkers.get(base) ?? fetchChecker(base);
  checkers.set(base, known);
  return known;
}

async function fetchChecker(base: string): Promise<Checker> {
  const text = await (await fetch(`${base}/openapi.json`)).text();
  const known = byText.get(text) ?? createChecker(JSON.parse(text) as OpenApiDocument);
  byText.set(text, known);
  return known;
}

export function createChecker(document: OpenApiDocument): Checker {
  const paths = Object.entries(document.paths)
    // A written-out path goes before one with a parameter.
    .toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, methods]) => ({ pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), methods }));
  const schemas = new Map<JsonSchema, z.ZodType>();
  const schemaOf = (schema: JsonSchema): z.ZodType => {
    const known = schemas.get(schema) ?? fromDocument(schema, document);
    schemas.set(schema, known);
    return known;
  };

  return ({ method, path, status, type = 'application/json', body }) => {
    const bare = path.split('?', 1)[0] ?? '';
    const operation = paths
      .filter(({ pattern }) => pattern.test(bare))
      .map(({ methods }) => methods[method.toLowerCase()])
      .find((each) => each !== undefined);
    const what = `${method} ${bare} answered ${status}`;
    if (operation === undefined) {
      return status === 404 && notFoundSchema.safeParse(body).success
        ? null
        : `${what}: no such endpoint in the document`;
    }
    const content = operation.responses[status]?.content?.[type];
    if (content === undefined) return `${what}: the document does not say so`;
    const parsed = schemaOf(content.schema).safeParse(body);
    return parsed.success ? null : `${what} with another body than the document says: ${z.prettifyError(parsed.error)}`;
  };
}

/** The schema by itself, with the components it refers to. */
function fromDocument(schema: JsonSchema, document: OpenApiDocument): z.ZodType {
  const { $defs, root } = JSON.parse(
    JSON.stringify({ $defs: document.components.schemas, root: schema }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    ),
  ) as { $defs: Record<string, JsonSchema>; root: JsonSchema };
  return z.fromJSONSchema({ ...root, $defs } as Parameters<typeof z.fromJSONSchema>[0]);
}
