import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createPageRoutes, readOwnPage } from '../../../agent/console/page-routes.js';

/** Of what one browser loads, compressed: the page, its script, style and symbol, and the words of one language, the longest. */
const LOAD_BYTES_MAX = 38 * 1024;
/** Of that with the words of all four languages: each is up to 13 KiB, and one browser loads one of them. */
const PAGE_BYTES_MAX = 76 * 1024;
const LANGUAGE = /^(de|en|hr|hu)-/;

it('is small, names its files by their content, and has nothing inline', async () => {
  const page = await readOwnPage();
  if (page === null) throw new Error('npm run build makes the page first');
  const { html, files } = page;
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=|https?:\/\//);
  const app = createPageRoutes();
  expect(await (await app.request('/')).text()).toBe(html);
  let bytes = gzipSync(html).length;
  const words: number[] = [];
  for (const [name, { plain, gzipped }] of files) {
    expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    bytes += gzipped.length;
    if (LANGUAGE.test(name)) words.push(gzipped.length);
    const compressed = await app.request(`/console/${name}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const asIs = await app.request(`/console/${name}`, { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect(new Uint8Array(await asIs.arrayBuffer())).toEqual(plain);
  }
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(PAGE_BYTES_MAX);
  expect(words).toHaveLength(4);
  const others = words.reduce((sum, each) => sum + each, -Math.max(...words));
  expect(bytes - others).toBeLessThanOrEqual(LOAD_BYTES_MAX);
  for (const path of ['/console/nothing.js', '/console/..%2fpage-routes.js', '/console/index.html'])
    expect((await app.request(path)).status).toBe(404);
});

it('says what to do where the build left it out', async () => {
  const answer = await createPageRoutes(() => Promise.resolve(null)).request('/');
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('npm run build')]);
});
