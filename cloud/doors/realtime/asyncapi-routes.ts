import { INTERNAL } from '../../../shared/errors.js';
import { createRoute, z } from '@hono/zod-openapi';
import { asyncApiDocument } from './asyncapi-document.js';
import { type Endpoint, errorResponses, replyJson } from '../../rest/entry.js';

/** The version of the interface, as in its paths. */
const VERSION = '2';

const ROUTE = createRoute({
  method: 'get',
  path: '/asyncapi.json',
  summary: 'The realtime events and webhooks (AsyncAPI 3)',
  tags: ['Documents'],
  responses: {
    200: {
      description: 'Success',
      content: {
        'application/json': { schema: z.looseObject({ asyncapi: z.string().describe('The version of AsyncAPI.') }) },
      },
    },
    ...errorResponses([INTERNAL]),
  },
});

/** GET /asyncapi.json: the realtime interface. @param deps.baseUrl called for each document, because the port is known late */
export function asyncApiEndpoints(deps: { baseUrl: () => string }): Endpoint[] {
  let document: string | undefined;
  return [
    {
      route: ROUTE,
      async run(c) {
        document ??= JSON.stringify(asyncApiDocument({ baseUrl: deps.baseUrl(), version: VERSION }));
        return replyJson(c, document);
      },
    },
  ];
}
