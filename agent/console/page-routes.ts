/** `GET /`: the gateway's own page. `GET /console/{file}`: its script, style and symbol. They say nothing of this gateway, and need no sign-in. */
import { type Context, Hono } from 'hono';
import { answerFile, type PageFiles, readPageFiles } from '../../shared/node/page-files.js';

/** `scripts/bundle-console.mjs` fills it; the bundled agent stands a folder higher. */
const FOLDERS = [new URL('./page-files/', import.meta.url), new URL('./console/page-files/', import.meta.url)];

export async function readOwnPage(folders: readonly URL[] = FOLDERS): Promise<PageFiles | null> {
  for (const folder of folders) {
    const files = await readPageFiles(folder);
    if (files !== null) return files;
  }
  return null;
}

/** @param files read at the first request, and kept */
export function createPageRoutes(files: () => Promise<PageFiles | null> = readOwnPage): Hono {
  let kept: Promise<PageFiles | null> | undefined;
  const read = () => (kept ??= files());
  const app = new Hono();
  app.get('/', async (context) => {
    const page = await read();
    if (page === null) return context.text('This agent was built without its page: npm run build makes it.\n', 404);
    return context.body(page.html, 200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' });
  });
  app.get('/console/:file', async (context) => sendFile(context, await read()));
  return app;
}

function sendFile(context: Context, page: PageFiles | null): Response {
  const { req } = context;
  const file = answerFile(page, { name: req.param('file'), acceptEncoding: req.header('accept-encoding') });
  return file === null ? context.body(null, 404) : context.body(file.body, 200, file.headers);
}
