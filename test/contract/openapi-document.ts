/** The served OpenAPI document as the tests read it. */

export type JsonSchema = Record<string, unknown>;

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  /** Empty: without a bearer. */
  security: unknown[];
  tags: string[];
  'x-roles'?: string[];
  'x-user-token-only'?: boolean;
  requestBody?: { required?: boolean; content: Record<string, OpenApiContent> };
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    schema: JsonSchema;
    description?: string;
    example?: unknown;
  }[];
  responses: Record<string, { description: string; content?: Record<string, OpenApiContent> }>;
}

export interface OpenApiContent {
  schema: JsonSchema;
  example?: unknown;
}

export interface OpenApiDocument {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** The path that ends the token which a test asks with. */
export const LOGOUT_PATH = '/v2/auth/logout';

/** Whether an operation may end the token that a test asks with. */
export const endsSignIn = (path: string): boolean => path === LOGOUT_PATH || path === '/v2/auth/sign-ins/{id}';

/** Whether the operation is answered without a bearer. */
export const isPublic = (operation: OpenApiOperation | undefined): boolean => (operation?.security.length ?? 0) === 0;

/** Fetches the document of the service at this address. */
export async function fetchDocument(base: string): Promise<OpenApiDocument> {
  return (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
}

/** Every operation of the document, with its method in upper case. */
export function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
