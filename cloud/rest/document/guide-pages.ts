/**
 * GET /docs/guides and the guides below it. They are written in cloud/guides and in the READMEs of the packages for integrators; the
 * build makes their HTML (scripts/render-guides.mjs).
 */
import { readFile } from 'node:fs/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { documentPage, inText } from './document-page.js';
import type { HttpApp } from '../request/endpoint.js';
import type { Respond } from '../request/endpoint-definition.js';
import type { HttpEnv } from '../request/http-env.js';
import { createSharedText, replyShared, type SharedText } from '../request/reply.js';

/** The build puts this file beside this module. */
const GUIDES_FILE = new URL('./guides.json', import.meta.url);

const guideSchema = z.strictObject({ path: z.string(), title: z.string(), html: z.string() });
type Guide = z.infer<typeof guideSchema>;

/** A guide is text: it runs no script, and asks nobody for anything. */
const GUIDE_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the guides, which are no part of the interface or of its document. */
export function serveGuides(app: HttpApp, respond: Respond): void {
  let pages: Promise<ReadonlyMap<string, SharedText>> | undefined;
  const serve = async (c: Context<HttpEnv>) => {
    c.set('route', '/docs/guides');
    pages ??= readPages();
    const page = (await pages).get(c.req.path);
    if (page === undefined) throw new ApiError(NOT_FOUND);
    return replyShared(c, page, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': GUIDE_POLICY,
    });
  };
  for (const path of ['/docs/guides', '/docs/guides/:name']) app.get(path, (c) => respond(c, () => serve(c)));
}

/** The pages by their paths. */
async function readPages(): Promise<ReadonlyMap<string, SharedText>> {
  const guides = z.array(guideSchema).parse(JSON.parse(await readFile(GUIDES_FILE, 'utf8')));
  return new Map(
    guides.map(({ path, title, html }, at) => {
      const neighbours = linkTo(guides[at - 1], 'prev') + linkTo(guides[at + 1], 'next');
      const content = `<main class="guide">\n${html}<nav class="neighbours">${neighbours}</nav>\n</main>`;
      return [path, createSharedText(documentPage({ path, title, content }))];
    }),
  );
}

/** The guides are read in the order of their contents. */
function linkTo(guide: Guide | undefined, rel: 'prev' | 'next'): string {
  if (guide === undefined) return '';
  const title = inText(guide.title);
  return `<a rel="${rel}" href="${guide.path}">${rel === 'prev' ? `← ${title}` : `${title} →`}</a>`;
}
