/** The OpenAPI document, made of the endpoints that are mounted, and the page that shows it. */
import { createRoute, z } from '@hono/zod-openapi';
import { DOCS_PAGE, DOCS_PAGE_POLICY } from './docs-page.js';
import type { Endpoint, HttpApp } from './endpoint.js';
import { errorResponses } from './route-description.js';

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Parking access and device operations',
    version: '2',
    description:
      'Every success is `{success: true, data}`, every failure `{success: false, errors: [{code, message, field?}]}`.',
  },
};

/** GET /openapi.json, GET /docs. Mount them last: the document is made when it is first asked for. */
export function documentEndpoints(app: HttpApp): Endpoint[] {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'A user token (POST /v2/auth/login) or an API token (POST /v2/api-tokens)',
  });
  let document: string | undefined;
  const route = (path: string, summary: string, type: string, schema: z.ZodType) =>
    createRoute({
      method: 'get',
      path,
      summary,
      tags: ['Documents'],
      responses: { 200: { description: 'Success', content: { [type]: { schema } } }, ...errorResponses([500]) },
    });
  return [
    {
      route: route('/openapi.json', 'This document', 'application/json', z.looseObject({ openapi: z.string() })),
      async run(c) {
        document ??= JSON.stringify(app.getOpenAPI31Document(DOCUMENT));
        return c.body(document, 200, { 'Content-Type': 'application/json' });
      },
    },
    {
      route: route('/docs', 'This document, to be read in a browser', 'text/html', z.string()),
      async run(c) {
        return c.body(DOCS_PAGE, 200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': DOCS_PAGE_POLICY,
        });
      },
    },
  ];
}
