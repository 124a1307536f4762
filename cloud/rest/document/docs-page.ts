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

/** Where the viewer's page is, inside the page for people. */
export const VIEWER_PAGE = '/docs/viewer';

/** Popups and downloads are links of the document, and the document itself. */
const SANDBOX = 'allow-scripts allow-forms allow-popups allow-downloads';

/** Runs before the viewer: it keeps what it is told to keep in memory, and asks the page around it to make its requests. */
const BEFORE_VIEWER = `(() => {
const { origin } = new URL(location.href);
for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map();
  Object.defineProperty(window, name, { value: {
    get length() { return kept.size; },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
  } });
}
const asked = new Map();
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !asked.has(data.id)) return;
  const { resolve, reject } = asked.get(data.id);
  asked.delete(data.id);
  if (data.error !== undefined) return reject(new TypeError(data.error));
  resolve(new Response([204, 205, 304].includes(data.status) ? null : data.body, data));
});
const { fetch } = window;
let count = 0;
window.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (new URL(request.url).origin !== origin) return fetch(request);
  const { url, method, headers } = request;
  const body = ['GET', 'HEAD'].includes(method) ? undefined : await request.arrayBuffer();
  const id = (count += 1);
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    parent.postMessage({ id, url, method, headers: [...headers], body }, origin);
  });
};
const reference = document.getElementById('api-reference');
reference.dataset.url = origin + '/openapi.json';
reference.dataset.configuration = JSON.stringify({ ...JSON.parse(reference.dataset.configuration), baseServerURL: origin });
addEventListener('hashchange', () => parent.postMessage({ hash: location.hash }, origin));
})();`;

/** Runs in the page for people: makes the viewer's requests to this service, with what the viewer gives them and nothing else. */
const AROUND_VIEWER = `(() => {
const viewer = document.querySelector('iframe');
viewer.src = '${VIEWER_PAGE}' + location.hash;
addEventListener('message', async ({ source, data }) => {
  if (source !== viewer.contentWindow) return;
  const { id, url, method, headers, body, hash } = data;
  if (hash !== undefined) return history.replaceState(null, '', hash);
  const answer = (what, moved) => source.postMessage({ id, ...what }, '*', moved);
  try {
    if (new URL(url).origin !== location.origin) throw new Error('Only this service is asked');
    const response = await fetch(url, { method, headers, body, credentials: 'omit' });
    const { status, statusText } = response;
    const bytes = await response.arrayBuffer();
    answer({ status, statusText, headers: [...response.headers], body: bytes }, [bytes]);
  } catch (error) {
    answer({ error: String(error) });
  }
});
})();`;

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

const NOTHING_ELSE = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"];

/** Of the page for people. */
export const DOCS_PAGE_POLICY = [
  ...NOTHING_ELSE,
  `script-src ${hashOf(AROUND_VIEWER)}`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "frame-ancestors 'none'",
].join('; ');

/**
 * The viewer is a script of others, as large as a browser's page may be. In a sandbox it has an origin of its own, so that it reads neither
 * the console's token in `localStorage` nor any page of this service, also when it is opened outside its frame. CORS is not opened for it,
 * because every sandboxed page has the origin `null`. It writes styles into its page, and shows pictures that it builds.
 */
export const VIEWER_PAGE_POLICY = [
  ...NOTHING_ELSE,
  `sandbox ${SANDBOX}`,
  `script-src 'self' ${hashOf(BEFORE_VIEWER)}`,
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  "frame-ancestors 'self'",
].join('; ');

const inAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

export const docsPage = (): string =>
  documentPage({
    path: '/docs',
    title: 'Reference',
    content: `<iframe class="viewer" title="Reference" sandbox="${SANDBOX}"></iframe>
<script>${AROUND_VIEWER}</script>`,
  });

/** @param viewerPath where the viewer's script is served */
export const viewerPage = (viewerPath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference</title>
<style>:root { color-scheme: light dark } body { margin: 0 }</style>
</head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration="${inAttribute(JSON.stringify(VIEWER_SETTINGS))}"></script>
<script>${BEFORE_VIEWER}</script>
<script src="${viewerPath}"></script>
</body>
</html>
`;
