import type { HttpBindings } from '@hono/node-server';

/** What a request's context holds. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
  };
}
