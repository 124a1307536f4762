/**
 * GET /docs: a reference viewer (Scalar) that shows /openapi.json. Page, viewer and document come from this service, and the page's
 * policy forbids requests to anybody else: no fonts, no proxy, no measurements.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { documentPage } from './document-page.js';

/** The build puts this file beside this module (scripts/bundle-reference-viewer.mjs). */
const VIEWER_FILE = new URL('./reference-viewer.js.gz', import.meta.url);

/** The script of the viewer, under a path that changes with its content. */
export interface ReferenceViewer {
  path: string;
  gzipped: Uint8Array<ArrayBuffer>;
  /** Unpacks the script, for clients that accept no compression. */
  plain(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Throws when the build left the viewer out. */
export async function readReferenceViewer(): Promise<ReferenceViewer> {
  const gzipped = new Uint8Array(await readFile(VIEWER_FILE));
  const hash = createHash('sha256').update(gzipped).digest('hex').slice(0, 16);
  return {
    path: `/docs/viewer/${hash}.js`,
    gzipped,
    plain: async () => new Uint8Array(await promisify(gunzip)(gzipped)),
  };
}

const VIEWER_SETTINGS = {
  hideClientButton: true,
  showDeveloperTools: 'never',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  authentication: { preferredSecurityScheme: 'bearer' },
};

/** The viewer itself writes styles into the page, and shows pictures that it builds. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const inAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** @param viewerPath where the viewer's script is served */
export const docsPage = (viewerPath: string): string =>
  documentPage({
    path: '/docs',
    title: 'Reference',
    content: `<script id="api-reference" data-url="/openapi.json" data-configuration="${inAttribute(JSON.stringify(VIEWER_SETTINGS))}"></script>
<script src="${viewerPath}"></script>`,
  });
