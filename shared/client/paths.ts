/**
 * The operations of the service by path and method, as openapi-typescript writes them. In the package this file is the one that it
 * generates of the served document; in the repository, where the document is made of the code, any path and any key will do.
 */
export type paths = Record<string, Record<'get' | 'post' | 'put' | 'patch' | 'delete', AnyOperation>>;

/** The named schemas of the document: `components['schemas']['Session']`. */
export interface components {
  schemas: Record<string, unknown>;
}

interface AnyOperation {
  parameters: { path?: Record<string, string>; query?: Record<string, unknown> };
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { content: { 'application/json': { data: unknown } } } };
}
