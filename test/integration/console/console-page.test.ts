import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../shared/languages.js';
import { firstScripts } from '../../browser/first-load.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';

/** Of all scripts that the page asks for before it shows something, with one language, whichever it is, compressed. */
const SCRIPT_BYTES_MAX = 103 * 1024;
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe("the console's page", () => {
  let cloud: CloudWorld;
  beforeAll(async () => {
    cloud = await startCloudWorld();
  });
  afterAll(() => cloud.close());

  const ask = (path: string, headers: Record<string, string> = BROWSER) => fetch(cloud.base + path, { headers });

  it.each([
    '/',
    '/lots/1',
    '/live',
    '/inside',
    '/sessions?plate=AB',
    '/analytics?with=week',
    '/ask',
    '/keys',
    '/tariffs',
    '/members',
    '/alerts',
    '/displays',
    '/releases',
    '/kiosk?lot=1',
    '/devices?show=signal',
    '/profile',
    '/reset',
    '/users',
    '/tokens',
    '/webhooks',
    '/mails',
    '/audit',
  ])('is at %s for browsers, and unknown to programs', async (path) => {
    const page = await ask(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(await page.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=|https?:\/\//);
    for (const accept of ['application/json', '*/*']) {
      const refused = await ask(path, { accept });
      expect([refused.status, await refused.json()]).toMatchObject([404, { success: false, errors: [{ code: 6 }] }]);
    }
  });

  it('is also at an address that nothing has, as not found; programs are answered as ever', async () => {
    const page = await ask('/nonsense/at?all=1');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toBe(await (await ask('/')).text());
    for (const [path, headers] of [
      ['/nonsense', { accept: '*/*' }],
      ['/v2/nonsense', BROWSER],
      ['/console/none.js', BROWSER],
    ] as const) {
      const refused = await ask(path, headers);
      expect([refused.status, await refused.json()]).toMatchObject([404, { success: false, errors: [{ code: 6 }] }]);
    }
    expect((await fetch(`${cloud.base}/nonsense`, { method: 'POST', headers: BROWSER })).status).toBe(404);
  });

  it.each(LANGUAGES)('is small, and its files are kept for good (%s)', async (language) => {
    const html = await (await ask('/')).text();
    const files = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThanOrEqual(3);
    let scriptBytes = 0;
    for (const path of new Set([...files, ...(await firstScripts(cloud.base, language))])) {
      const file = await ask(path);
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(file.headers.get('content-encoding')).toBe('gzip');
      const plain = new Uint8Array(await file.arrayBuffer());
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      if (path.endsWith('.js')) scriptBytes += gzipSync(plain).length;
      const asIs = await ask(path, { 'accept-encoding': 'identity' });
      expect(asIs.headers.get('content-encoding')).toBeNull();
      expect(Buffer.from(await asIs.arrayBuffer()).equals(Buffer.from(plain))).toBe(true);
    }
    expect(scriptBytes).toBeGreaterThan(10_000);
    expect(scriptBytes).toBeLessThan(SCRIPT_BYTES_MAX);
  });

  it.each(['/console/nothing.js', '/console/..%2f..%2fmain.js', '/console/index.html', '/lots'])(
    'has no %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );
});
