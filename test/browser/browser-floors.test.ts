import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { transformSync } from 'rolldown/utils';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../agent/console/local-server.js';
import { consoleHeaders, createPageDoor } from '../../agent/console/page-door.js';
import { createPageRoutes } from '../../agent/console/page-routes.js';
import { buildLocalView } from '../../agent/console/view/build-local-view.js';
import { BROWSER_FLOORS, type FlooredPage } from '../../scripts/browser-floors.js';
import { verifierOf } from '../../shared/node/console-password.js';
import { systemClock } from '../../shared/system-clock.js';
import { type ClientWorld, startClientWorld } from '../integration/client/client-world.js';
import { IS_DEEP } from '../depth.js';
import { PASSWORD } from '../integration/http/http-site.js';
import { PRODUCT, statusOf, viewSources } from '../unit/agent-console/view-world.js';
import { hasChromium, launchChromium } from './chromium.js';
import { lackingScript } from './lacking.js';

/** Where the pictures go that people look at; left out: nowhere. */
const PICTURES = process.env.CONSOLE_PICTURES;
const html = (name: string) => ({ contentType: 'text/html', body: `<h1>${name}</h1>` });
/** Answers of what stands between a page and what it asks: a proxy, a network that wants a sign-in, an older version. */
const FOREIGN = IS_DEEP ? [200, 403, 404, 429, 500, 503] : [200];
const DEVICE_PASSWORD = '7Q4M-0ZKD-1ABC-V3WX';

const bundleOf: Readonly<Record<FlooredPage, () => Promise<string[]>>> = {
  guest: async () => {
    const page = await readFile(new URL('../../cloud/guests/guest-page/guest-page.html', import.meta.url), 'utf8');
    return [/<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? ''];
  },
  gateway: () => scriptsIn(new URL('../../agent/console/page-files/', import.meta.url)),
  console: () => scriptsIn(new URL('../../cloud/console/console-files/', import.meta.url)),
};

async function scriptsIn(folder: URL): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  return Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
}

describe.each(Object.keys(BROWSER_FLOORS) as FlooredPage[])('the bundle of the page: %s', (name) => {
  const { said, targets } = BROWSER_FLOORS[name];
  const written = (code: string, target: string[]): string => transformSync('page.js', code, { target }).code;

  it('has no syntax that is younger than its floor', async () => {
    const scripts = await bundleOf[name]();
    expect(scripts.join('').length).toBeGreaterThan(5_000);
    for (const code of scripts) {
      expect(written(code, [...targets])).toBe(written(code, ['esnext']));
      // Of regular expressions a bundler lowers nothing: a look behind is a syntax error in Safari before 16.4.
      if (name !== 'console') expect(code).not.toMatch(/\(\?<[=!]/);
    }
    expect(
      written('class A { static { a ||= b?.c; } }', [...targets]) ===
        written('class A { static { a ||= b?.c; } }', ['esnext']),
    ).toBe(name === 'console');
  });

  it('has its floor in the guides', () => {
    const guide = readFileSync(new URL('../../../cloud/guides/limits.md', import.meta.url), 'utf8');
    expect(guide).toContain(said);
  });
});

describe.skipIf(!hasChromium())('in the oldest browser that it is made for', () => {
  let browser: Browser;
  let shown: BrowserContext | undefined;
  let complaints: string[];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  afterEach(() => shown?.close());

  async function open(name: FlooredPage, more: readonly string[] = []): Promise<Page> {
    await shown?.close();
    shown = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-GB' });
    shown.setDefaultTimeout(20_000);
    await shown.addInitScript({ content: lackingScript(name, more) });
    complaints = [];
    const page = await shown.newPage();
    page.on('pageerror', (error) => void complaints.push(String(error)));
    return page;
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const textOf = (page: Page) => page.locator('body').innerText();
  /** Until the page says something else than that it loads. */
  const said = async (page: Page) => {
    await expect.poll(() => textOf(page)).not.toMatch(/^\s*$|Loading …|One moment/);
    return textOf(page);
  };

  describe('at the cloud', () => {
    let world: ClientWorld;
    let url: string;
    beforeAll(async () => {
      world = await startClientWorld({ publicPerMin: 0 });
      const link = { product_id: world.product, start_time: '2026-01-01T00:00:00Z' };
      ({ url } = await world.post<{ url: string }>('/v2/weblinks', link));
    });
    afterAll(() => world.cloud.close());

    it("the guest's page opens, and says so", async () => {
      const page = await open('guest');
      await page.goto(url);
      const before = world.cloud.commandParts.sent.length;
      await press(page, 'Open');
      await expect.poll(() => world.cloud.commandParts.sent).toHaveLength(before + 1);
      await world.answerCommand(null);
      await page.getByText('Done: it is open.').waitFor();
      expect(complaints).toEqual([]);
    });

    it("the guest's page says its own fault as its own", async () => {
      const page = await open('guest', ['AbortController']);
      await page.goto(url);
      await page.getByText('This page does not work in this browser.').waitFor();
      expect(await textOf(page)).not.toMatch(/connection|network/);
    });

    it.each(FOREIGN)(
      "the guest's page takes a strange answer with status %i for none of the service",
      async (status) => {
        const page = await open('guest');
        let asked = 0;
        await page.route(url.replace(/#.*/, ''), (route) => {
          if (route.request().method() === 'GET') return route.continue();
          asked += 1;
          return asked === 1 ? route.fulfill({ status, ...html('Sign in') }) : route.continue();
        });
        await page.goto(url);
        const what = status === 429 ? 'That was too often.' : 'The service has a problem.';
        await page.getByText(what).waitFor();
        expect(await textOf(page)).not.toMatch(/connection|link does not work/);
        await press(page, 'Try again');
        await page.getByRole('button', { name: 'Open', exact: true }).waitFor();
        expect(await textOf(page)).not.toContain(what);
      },
    );

    async function signedIn(): Promise<Page> {
      const page = await open('console');
      await page.goto(world.cloud.base);
      await page.getByLabel('E-mail').fill('owner@harbour.example');
      await page.getByLabel('Password').fill(PASSWORD);
      await press(page, 'Sign in');
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      return page;
    }

    it('the console signs in, and says what an old tab has not', async () => {
      const page = await signedIn();
      await expect.poll(() => textOf(page)).not.toContain('Loading …');
      expect(complaints).toEqual([]);
      await page.evaluate(`history.pushState(null, '', '/devices'); dispatchEvent(new PopStateEvent('popstate'))`);
      const newCode = page.getByRole('button', { name: /^New claim code/ }).first();
      await newCode.waitFor();
      // As after an upgrade: what it had not loaded yet is gone.
      await page.route('**/console/*.js', (route) => route.fulfill({ status: 404, body: '' }));
      await newCode.click();
      await page.locator('dialog button').first().click();
      await page.getByText('A part of this page is missing or has a fault.').waitFor();
      expect(await textOf(page)).toContain('parking-agent claim');
      expect(await textOf(page)).not.toContain('Loading …');
    });

    it.each(FOREIGN)('the console says so where everything is answered with a strange %i', async (status) => {
      const page = await signedIn();
      await page.route('**/v2/**', (route) =>
        route.fulfill({ status, headers: { 'retry-after': '61' }, ...html('Proxy') }),
      );
      await page.reload();
      await page.getByRole('alert').first().waitFor();
      expect(await said(page)).not.toMatch(/did not answer|Loading/);
    });
  });

  describe('at a gateway', () => {
    let server: LocalServer;
    let base: string;
    let asked: string[];
    beforeAll(async () => {
      const verifier = await verifierOf(DEVICE_PASSWORD);
      const device = { device_id: PRODUCT.device_id, name: PRODUCT.name };
      const view = buildLocalView(viewSources({ status: statusOf({ products: [PRODUCT] }) }));
      const app = new Hono();
      app.use('*', consoleHeaders);
      app.route('/', createPageRoutes());
      const deviceNames = () => ({ addresses: ['127.0.0.1'], hostName: 'gate-1' });
      const door = createPageDoor({ password: () => ({ is: 'set', verifier }), deviceNames, clock: systemClock });
      app.route('/', door.routes);
      app.get('/api/device', (context) =>
        context.json({ name: 'Entrance Pi', is_claimed: true, has_password: true, version: '1.2.3' }),
      );
      app.get('/api/view', door.signedIn, (context) => context.json(view));
      app.post('/api/products/:id/operations', door.signedIn, async (context) => {
        asked.push((await context.req.json<{ operation: string }>()).operation);
        return context.json({ is_done: true, problem: null });
      });
      app.post('/api/release', door.signedIn, (context) => {
        asked.push('release');
        return context.json([{ ...device, is_done: true, problem: null }]);
      });
      server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
      base = `http://127.0.0.1:${server.port}`;
    });
    afterAll(() => server.close());

    it('its page signs in, opens, closes after a question and opens everything', async () => {
      asked = [];
      const page = await open('gateway');
      await page.goto(base);
      await page.getByLabel('Device password').fill(DEVICE_PASSWORD);
      await press(page, 'Sign in');
      await press(page, 'Open: Entry barrier');
      await page.getByText('Open: Entry barrier: done.').waitFor();
      await press(page, 'Close: Entry barrier');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Look whether the way is clear').waitFor();
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/local-plain-dialog.png` });
      await dialog.getByRole('button', { name: 'Close', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Close: Entry barrier: done.').waitFor();
      await press(page, 'Open everything');
      await press(page, 'Open everything now');
      await page.getByText('All 1 done.').waitFor();
      expect(asked).toEqual(['open', 'close', 'release']);
      expect(complaints).toEqual([]);
    });

    it.each(FOREIGN)('its page says so where everything is answered with a strange %i', async (status) => {
      const page = await open('gateway');
      await page.route('**/api/**', (route) => route.fulfill({ status, ...html('Proxy') }));
      await page.goto(base);
      expect(await said(page)).not.toMatch(/not answered|no network/);
      await page.unroute('**/api/**');
      await page.getByLabel('Device password').waitFor();
    });

    it('its page does not wait for a gateway that is not there', async () => {
      const page = await open('gateway');
      await page.route('**/api/**', (route) => route.abort());
      await page.goto(base);
      expect(await said(page)).toContain('The gateway has not answered since');
    });

    it.runIf(IS_DEEP)('its page loads itself anew, once, where its words are gone, and then says so', async () => {
      const page = await open('gateway');
      let loads = 0;
      page.on('domcontentloaded', () => void (loads += 1));
      await page.route('**/console/en-*.js', (route) => route.fulfill({ status: 404, body: '' }));
      await page.goto(base);
      await page.getByText('This page has not begun.').waitFor();
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/local-late.png` });
      expect(loads).toBe(2);
      await page.unroute('**/console/en-*.js');
      await page.reload();
      await page.getByLabel('Device password').waitFor();
    });
  });
});
