import { z } from '@hono/zod-openapi';
import { asyncApiDocument } from './asyncapi-document.js';
import { createSharedText, documentRoute, type Endpoint, replyShared, type SharedText } from '../../rest/entry.js';

/** The version of the interface, as in its paths. */
const VERSION = '2';

const ROUTE = documentRoute(
  '/asyncapi.json',
  'The realtime events and webhooks (AsyncAPI 3)',
  'application/json',
  z.looseObject({ asyncapi: z.string().describe('The version of AsyncAPI.') }),
);

/** GET /asyncapi.json: the realtime interface. @param deps.baseUrl called for each document, because the port is known late */
export function asyncApiEndpoints(deps: { baseUrl: () => string }): Endpoint[] {
  let document: SharedText | undefined;
  return [
    {
      route: ROUTE,
      async run(c) {
        document ??= createSharedText(JSON.stringify(asyncApiDocument({ baseUrl: deps.baseUrl(), version: VERSION })));
        return replyShared(c, document, { 'Content-Type': 'application/json' });
      },
    },
  ];
}
