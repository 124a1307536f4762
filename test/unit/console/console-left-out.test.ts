import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { sendPage } from '../../../cloud/console/console-routes.js';
import type { HttpEnv } from '../../../cloud/rest/request/http-env.js';
import { ApiError } from '../../../shared/errors.js';
import { readPageFiles } from '../../../shared/node/page-files.js';

it('leads from the first page to that of the interface where the build left the console out', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'no-console-'));
  const files = await readPageFiles(pathToFileURL(join(parent, 'console-files/')));
  await rm(parent, { recursive: true });
  expect(files).toBeNull();
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => c.text(error.message, error instanceof ApiError ? 404 : 500));
  app.get('*', (c) => {
    c.set('headers', {});
    return sendPage(c, new URL(c.req.url).pathname, files);
  });
  const first = await app.request('/');
  expect([first.status, first.headers.get('location')]).toEqual([302, '/docs']);
  expect((await app.request('/live')).status).toBe(404);
});
