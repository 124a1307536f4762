import { createRoute, z } from '@hono/zod-openapi';
import { asyncApiDocument } from '../../realtime/asyncapi-document.js';
import type { Endpoint } from '../endpoint.js';
import { errorResponses } from '../route-description.js';

/** The version of the interface, as in its paths. */
const VERSION = '2';

/** GET /asyncapi.json: the realtime interface. @param deps.baseUrl asked when the document is: the listener's port may come late */
export function asyncApiEndpoints(deps: { baseUrl: () => string }): Endpoint[] {
  let document: string | undefined;
  return [
    {
      route: createRoute({
        method: 'get',
        path: '/asyncapi.json',
        summary: 'The realtime events and webhooks (AsyncAPI 3)',
        tags: ['Documents'],
        responses: {
          200: {
            description: 'Success',
            content: { 'application/json': { schema: z.looseObject({ asyncapi: z.string() }) } },
          },
          ...errorResponses([500]),
        },
      }),
      async run(c) {
        document ??= JSON.stringify(asyncApiDocument({ baseUrl: deps.baseUrl(), version: VERSION }));
        return c.body(document, 200, { 'Content-Type': 'application/json' });
      },
    },
  ];
}
