import type { HttpBindings } from '@hono/node-server';

/** What a request's context holds. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The path of the endpoint that answers, as it was declared; undefined when there is none. */
    route: string | undefined;
    /** The body, once it was read. */
    bodyText: string | undefined;
  };
}
