/** The OpenAPI document, built from the endpoints that are mounted. */
import { describedDocument } from '../document/describe-document.js';
import type { HttpApp } from './endpoint.js';
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

/** Builds `/openapi.json` as JSON text. Mount the endpoints before. */
export function openApiDocument(app: HttpApp): string {
  const { tags: _none, ...document } = app.getOpenAPI31Document(HEAD);
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods));
  const tags = documentTags(operations.flatMap((operation: { tags?: string[] }) => operation.tags ?? []));
  return JSON.stringify({ ...describedDocument(document), tags });
}
