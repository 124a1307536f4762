/** GET /docs/guides and the guides below it. They are written in cloud/guides; the build makes their HTML (scripts/render-guides.mjs). */
import { readFile } from 'node:fs/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { ApiError, NOT_FOUND } from '../../shared/errors.js';
import { documentPage } from './document-page.js';
import type { HttpApp } from './endpoint.js';
import type { Respond } from './endpoint-definition.js';
import type { HttpEnv } from './http-env.js';

/** The build puts this file beside this module. */
const GUIDES_FILE = new URL('./guides.json', import.meta.url);

const guidesSchema = z.array(z.strictObject({ path: z.string(), title: z.string(), html: z.string() }));

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
  let pages: Promise<ReadonlyMap<string, string>> | undefined;
  const serve = async (c: Context<HttpEnv>) => {
    c.set('route', '/docs/guides');
    pages ??= readPages();
    const page = (await pages).get(c.req.path);
    if (page === undefined) throw new ApiError(NOT_FOUND);
    return c.body(page, 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': GUIDE_POLICY,
    });
  };
  for (const path of ['/docs/guides', '/docs/guides/:name']) app.get(path, (c) => respond(c, () => serve(c)));
}

/** The pages by their paths. */
async function readPages(): Promise<ReadonlyMap<string, string>> {
  const guides = guidesSchema.parse(JSON.parse(await readFile(GUIDES_FILE, 'utf8')));
  return new Map(
    guides.map(({ path, title, html }) => [
      path,
      documentPage({ path, title, content: `<main class="guide">\n${html}</main>` }),
    ]),
  );
}
