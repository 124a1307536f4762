/**
 * GET of each view's address: the console's page, the same for all. To programs, which do not ask for a page, these addresses are unknown.
 * Where there is no console, the first of them leads to the interface's own page. An address that nothing has is a page, too, with 404: the
 * person who typed it finds the menu there.
 * GET /console/{file}: its script, style and symbol. They are public: what they show comes over REST, with the token of who signed in.
 */
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ApiError, NOT_FOUND } from '../../shared/errors.js';
import { answerFile, PAGE_POLICY, type PageFiles, readPageFiles } from '../../shared/node/page-files.js';
import { addHeader, type Endpoint, type HttpEnv, reply, replyText } from '../rest/entry.js';
import { VIEW_PATHS } from './console-paths.js';

/** The build puts this folder beside this module (scripts/bundle-console.mjs). */
const FOLDER = new URL('./console-files/', import.meta.url);

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-cache',
};

/** The page of the interface, for a browser. */
const DOCS_PATH = '/docs';

export interface ConsolePages {
  endpoints: Endpoint[];
  /** What a browser gets at an address that nothing has; null: programs get the answer of the interface. */
  unknownPage(c: Context<HttpEnv>): Promise<Response | null>;
}

export function createConsolePages(): ConsolePages {
  let kept: Promise<PageFiles | null> | undefined;
  const read = () => (kept ??= readPageFiles(FOLDER));
  const page = (path: string): Endpoint => ({
    route: routeOf(path),
    isInternal: true,
    async run(c) {
      addHeader(c, 'Vary', 'Accept');
      if (!wantsPage(c)) throw new ApiError(NOT_FOUND);
      return sendPage(c, path, await read());
    },
  });
  return {
    endpoints: [
      ...Object.values(VIEW_PATHS).map(page),
      { route: routeOf('/console/{file}'), isInternal: true, run: async (c) => sendFile(c, await read()) },
    ],
    async unknownPage(c) {
      if (c.req.method !== 'GET' || OF_PROGRAMS.test(c.req.path) || !wantsPage(c)) return null;
      addHeader(c, 'Vary', 'Accept');
      const files = await read();
      return files === null ? null : replyText(c, files.html, { status: 404, headers: PAGE_HEADERS });
    },
  };
}

/** Addresses that no page has. */
const OF_PROGRAMS = /^\/(v2|console)(\/|$)/;

const routeOf = (path: string) => createRoute({ method: 'get', path, responses: { 200: { description: 'Success' } } });

/** Browsers name HTML when an address is typed or a link is followed; programs ask for JSON or for anything. */
const wantsPage = (c: Context<HttpEnv>): boolean => /\btext\/html\b/i.test(c.req.header('accept') ?? '');

/** @param files null: there is no console. @throws ApiError for a view of a console that is not there */
export function sendPage(c: Context<HttpEnv>, path: string, files: PageFiles | null): Response | Promise<Response> {
  if (files !== null) return replyText(c, files.html, { headers: PAGE_HEADERS });
  if (path !== VIEW_PATHS.overview) throw new ApiError(NOT_FOUND);
  return reply(c, { status: 302, headers: { Location: DOCS_PATH, 'Cache-Control': 'no-cache' }, body: null });
}

function sendFile(c: Context<HttpEnv>, files: PageFiles | null): Response {
  const file = answerFile(files, { name: c.req.param('file'), acceptEncoding: c.req.header('accept-encoding') });
  if (file === null) throw new ApiError(NOT_FOUND);
  return reply(c, file);
}
