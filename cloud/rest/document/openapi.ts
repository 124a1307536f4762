/** GET of the OpenAPI document, of the page that shows it, and of the page's viewer. */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  DOCS_PAGE_POLICY,
  docsPage,
  readReferenceViewer,
  type ReferenceViewer,
  VIEWER_PAGE,
  VIEWER_PAGE_POLICY,
  viewerPage,
} from './docs-page.js';
import type { Endpoint, HttpApp } from '../request/endpoint.js';
import type { Respond } from '../request/endpoint-definition.js';
import { serveGuides } from './guide-pages.js';
import type { HttpEnv } from '../request/http-env.js';
import { acceptsGzip } from '../../../shared/accepts-gzip.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { openApiDocument } from './openapi-document.js';
import { RESPONSE_HEADERS } from '../request/response-headers.js';
import { createSharedText, reply, replyShared, type SharedText } from '../request/reply.js';
import { documentRoute } from '../request/route-description.js';

const DOCUMENT_ROUTE = documentRoute(
  '/openapi.json',
  'This document',
  'application/json',
  z.looseObject({ openapi: z.string().describe('The version of OpenAPI.') }),
);
const PAGE_ROUTE = documentRoute('/docs', 'This document, to be read in a browser', 'text/html', z.string());

/** GET /openapi.json, GET /docs. The document is built at the first request for it, when all endpoints are mounted. */
export function documentEndpoints(app: HttpApp, respond: Respond): Endpoint[] {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'A user token (POST /v2/auth/login) or an API token (POST /v2/api-tokens)',
  });
  for (const [name, header] of Object.entries(RESPONSE_HEADERS)) {
    app.openAPIRegistry.registerComponent('headers', name, header);
  }
  let reference: SharedText | undefined;
  serveViewer(app, respond);
  serveGuides(app, respond);
  for (const page of ['/docs', '/docs/guides']) {
    app.get(`${page}/`, (c) => {
      c.set('route', page);
      return respond(c, () => reply(c, { status: 301, headers: { Location: page }, body: null }));
    });
  }
  return [
    {
      route: DOCUMENT_ROUTE,
      async run(c) {
        return replyShared(c, openApiDocument(app), { 'Content-Type': 'application/json' });
      },
    },
    {
      route: PAGE_ROUTE,
      async run(c) {
        return replyPage(c, (reference ??= createSharedText(docsPage())), DOCS_PAGE_POLICY);
      },
    },
  ];
}

const replyPage = (c: Context<HttpEnv>, page: SharedText, policy: string) =>
  replyShared(c, page, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });

/** Serves the viewer's page and script, which are not part of the interface or the document. */
function serveViewer(app: HttpApp, respond: Respond): void {
  let viewer: Promise<ReferenceViewer> | undefined;
  const read = () => (viewer ??= readReferenceViewer());
  const serve = async (c: Context<HttpEnv>) => {
    c.set('route', '/docs/viewer/{file}');
    const { path, gzipped, plain } = await read();
    if (c.req.path !== path) throw new ApiError(NOT_FOUND);
    const isGzipAccepted = acceptsGzip(c.req.header('accept-encoding'));
    return reply(c, {
      headers: {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        ...(isGzipAccepted ? { 'Content-Encoding': 'gzip' } : {}),
      },
      body: isGzipAccepted ? gzipped : await plain(),
    });
  };
  let page: SharedText | undefined;
  const servePage = async (c: Context<HttpEnv>) => {
    c.set('route', VIEWER_PAGE);
    page ??= createSharedText(viewerPage((await read()).path));
    return replyPage(c, page, VIEWER_PAGE_POLICY);
  };
  app.get(VIEWER_PAGE, (c) => respond(c, () => servePage(c)));
  app.get(`${VIEWER_PAGE}/:file`, (c) => respond(c, () => serve(c)));
}
