/** The OpenAPI document, built from the endpoints that are mounted. */
import { describedDocument } from './describe-document.js';
import type { HttpApp } from '../request/endpoint.js';
import { createSharedText, type SharedText } from '../request/reply.js';
import { documentTags } from './document-tags.js';

const HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Parking access and device operations',
    version: '2',
    description:
      'Every success is `{success: true, data}`, every failure `{success: false, errors: [{code, message, field?}]}`.',
    contact: { name: 'The operator of this service' },
    license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
  },
  // The URL is relative to the address from which the document was fetched.
  servers: [{ url: '/', description: 'The service that serves this document' }],
};

/** Of the last app that was asked: building it takes some hundred milliseconds. */
let last: { routes: readonly unknown[]; document: SharedText } | undefined;

/** Returns `/openapi.json` as JSON text. Mount the endpoints before. Apps of the same routes have the same text. */
export function openApiDocument(app: HttpApp): SharedText {
  const routes = app.openAPIRegistry.definitions.flatMap((each) => (each.type === 'route' ? [each.route] : []));
  const isLast = last?.routes.length === routes.length && last.routes.every((route, at) => route === routes[at]);
  if (last === undefined || !isLast) last = { routes, document: createSharedText(build(app)) };
  return last.document;
}

function build(app: HttpApp): string {
  const { tags: _none, ...document } = app.getOpenAPI31Document(HEAD);
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods));
  const tags = documentTags(operations.flatMap((operation: { tags?: string[] }) => operation.tags ?? []));
  return JSON.stringify({ ...describedDocument(document), tags });
}
