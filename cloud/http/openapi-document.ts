/** The OpenAPI document, built from the endpoints that are mounted. */
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
  return JSON.stringify({ ...document, tags }, (_key, value: unknown) => portable(value));
}

/** Descriptions in words for regular expressions that validators read differently, by the pattern in the document. */
const PATTERN_DESCRIPTIONS: Readonly<Record<string, string>> = {
  '^\\P{Cc}*$/u': 'without control characters',
  '[\\p{L}\\p{Nd}]/u': 'with a letter or digit',
};

/**
 * Replaces by words a `pattern` that validators read differently: JSON Schema has no flags, and some validators do not know the classes
 * of Unicode. The service still checks it.
 */
function portable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('pattern' in value)) return value;
  const { pattern, ...others } = value;
  if (typeof pattern !== 'string' || !/\/[dgimsuvy]+$|\\p\{/i.test(pattern)) return value;
  return { description: PATTERN_DESCRIPTIONS[pattern], ...others };
}
