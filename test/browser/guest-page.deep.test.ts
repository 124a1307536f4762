import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClientWorld, startClientWorld } from '../integration/client/client-world.js';
import { hasChromium, launchChromium } from './chromium.js';

const BYTES_MAX = 30 * 1024;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
/** Where the pictures go that people look at; left out: nowhere. */
const PICTURES = process.env.GUEST_PAGE_PICTURES;
const PRODUCT = 'Entry barrier';

describe.skipIf(!hasChromium())("the guest's page", () => {
  let world: ClientWorld;
  let browser: Browser;
  let context: BrowserContext | undefined;
  /** What the page asked for. */
  let requests: { method: string; url: string; body: string | null }[];
  let complaints: string[];

  beforeAll(async () => {
    world = await startClientWorld({ publicPerMin: 0 });
    await world.patch(`/v2/products/${world.product}`, { name: PRODUCT });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await world.cloud.close();
  });
  afterEach(() => context?.close());

  const makeLink = (body: object = {}) =>
    world.post<{ id: string; url: string; token: string }>('/v2/weblinks', {
      product_id: world.product,
      start_time: '2026-01-01T00:00:00Z',
      ...body,
    });
  const iso = (fromNowMs: number) => new Date(world.cloud.clock.now() + fromNowMs).toISOString();

  async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    await context?.close();
    context = await browser.newContext({ viewport: PHONE, locale: 'en-GB', ...options });
    context.setDefaultTimeout(20_000);
    requests = [];
    complaints = [];
    context.on('request', (request) =>
      requests.push({ method: request.method(), url: request.url(), body: request.postData() }),
    );
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(String(error)));
    await page.goto(url);
    return page;
  }

  const text = (page: Page, id: string) => page.locator(`#${id}`).innerText();
  const until = (page: Page, id: string, words: string) =>
    page.locator(`#${id}`, { hasText: words }).waitFor({ state: 'visible' });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  async function picture(page: Page, name: string): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` });
  }
  async function findings(page: Page): Promise<string[]> {
    const session = await page.context().newCDPSession(page);
    // The page's policy forbids scripts of others: this one comes in by the debugger.
    await session.send('Runtime.evaluate', { expression: axe.source });
    const run = `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
    const { result } = await session.send('Runtime.evaluate', {
      expression: run,
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value as string[];
  }
  /** The gateway answers the command that is under way. */
  async function answer(failure: 6 | null, sentBefore: number): Promise<void> {
    await expect.poll(() => world.cloud.commandParts.sent).toHaveLength(sentBefore + 1);
    await world.answerCommand(failure);
  }
  const sentCount = () => world.cloud.commandParts.sent.length;

  it('opens with one press, and says what is happening', async () => {
    const { url, token } = await makeLink({ end_time: iso(86_400_000) });
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    expect(await page.title()).toBe(PRODUCT);
    expect(await text(page, 'validity')).toMatch(/^Valid until .*16 January 2026/);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Open', 'Close']);
    expect(sentCount()).toBe(0);
    const before = sentCount();
    await press(page, 'Open');
    await until(page, 'what', 'Opening …');
    await picture(page, 'phone-light-opening');
    // Meanwhile nothing else can be asked for, and what is pressed again is not asked again.
    for (const button of await page.getByRole('button').all()) await button.dispatchEvent('click');
    await answer(null, before);
    await until(page, 'what', 'Done: it is open.');
    await until(page, 'state', 'Open');
    expect(sentCount()).toBe(before + 1);
    expect(complaints).toEqual([]);
    const { origin } = new URL(url);
    expect(requests.filter((each) => !each.url.startsWith(`${origin}/`) && !each.url.startsWith('data:'))).toEqual([]);
    expect(requests.filter((each) => each.url.includes(token))).toEqual([]);
    expect(requests.filter(({ method, body }) => method === 'GET' && body !== null)).toEqual([]);
  });

  it('says why not, and what to do', async () => {
    const { url } = await makeLink();
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    const before = sentCount();
    await press(page, 'Close');
    await answer(6, before);
    await until(page, 'what', 'A vehicle is in the way.');
    expect(await text(page, 'todo')).toBe('Wait until it has driven on, then try again.');
    expect(await findings(page)).toEqual([]);
    await picture(page, 'phone-light-why-not');
  });

  it('asks for patience with what takes long', async () => {
    const { url } = await makeLink();
    const page = await open('about:blank', { colorScheme: 'dark' });
    await page.clock.install();
    await page.goto(url);
    await until(page, 'name', PRODUCT);
    const before = sentCount();
    await press(page, 'Open');
    await until(page, 'what', 'Opening …');
    expect(await text(page, 'todo')).toBe('');
    await page.clock.fastForward(5_000);
    await until(page, 'todo', 'This may take half a minute. Stay on this page.');
    expect(await findings(page)).toEqual([]);
    await picture(page, 'phone-dark-slow');
    await answer(null, before);
    await page.clock.fastForward(1_000);
    await until(page, 'what', 'Done: it is open.');
    expect(await text(page, 'todo')).toBe('');
  });

  it('says when nobody hears the product', async () => {
    const { url } = await makeLink();
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    await page.route('**/operation', (route) =>
      route.fulfill({ status: 403, json: { success: false, errors: [{ code: 704, message: '' }] } }),
    );
    await press(page, 'Open');
    await until(page, 'what', 'It could not be reached.');
  });

  it('presses again for the guest what the network lost, so that the product moves once', async () => {
    const { url } = await makeLink();
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    const keys: (string | undefined)[] = [];
    await page.route('**/operation', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      // The service heard it; its answer is lost.
      await route.fetch();
      return route.abort();
    });
    const before = sentCount();
    await press(page, 'Open');
    await answer(null, before);
    await until(page, 'what', 'Done: it is open.');
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(sentCount()).toBe(before + 1);
  });

  it('says how the own press ended, also when its answer was lost and its repeat found the product busy', async () => {
    const { url } = await makeLink();
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    let tries = 0;
    await page.route('**/operation', async (route) => {
      tries += 1;
      if (tries > 1) {
        const refused = { success: false, errors: [{ code: 214, message: '' }] };
        return route.fulfill({ status: 403, json: refused });
      }
      await route.fetch();
      return route.abort();
    });
    const before = sentCount();
    await press(page, 'Open');
    await until(page, 'what', 'Opening …');
    await answer(null, before);
    await until(page, 'what', 'Done: it is open.');
    expect(tries).toBe(2);
  });

  it('says so without a network, and goes on when it is back', async () => {
    const { url } = await makeLink();
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    await page.route('**/weblinks/**', (route) => route.abort());
    await press(page, 'Open');
    await until(page, 'what', 'There is no connection to the service.');
    await page.unroute('**/weblinks/**');
    const before = sentCount();
    await press(page, 'Open');
    await answer(null, before);
    await until(page, 'what', 'Done: it is open.');
  });

  it('answers the same for a link that is wrong, revoked, or not there', async () => {
    const { url, id } = await makeLink();
    const revoked = await makeLink();
    await world.remove(`/v2/weblinks/${revoked.id}`);
    const { origin } = new URL(url);
    for (const address of [
      `${origin}/weblinks/${id}#wrong`,
      `${origin}/weblinks/${id}`,
      revoked.url,
      `${origin}/weblinks/no-such-link-0#x`,
    ]) {
      const page = await open(address);
      await until(page, 'what', 'This link does not work, or works no longer.');
      expect(await text(page, 'name')).toBe('Access');
      expect(await page.getByRole('button').count()).toBe(0);
    }
    const last = context?.pages()[0] as Page;
    expect(await findings(last)).toEqual([]);
    await picture(last, 'phone-light-no-link');
  });

  it("says when the window begins or ended, in the lot's time zone", async () => {
    const early = await makeLink({ start_time: '2026-02-01T09:00:00Z' });
    const page = await open(early.url, { timezoneId: 'America/New_York' });
    await until(page, 'what', 'This link works from Sunday');
    expect(await text(page, 'what')).toMatch(/1 February 2026 at 10:00 CET\.$/);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await picture(page, 'phone-light-not-yet');
    const over = await makeLink({ start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T11:00:00Z' });
    const late = await open(over.url);
    await until(late, 'what', 'This link worked until Friday');
    expect(await findings(late)).toEqual([]);
    await picture(late, 'phone-light-over');
    expect(await text(late, 'what')).toMatch(/2 January 2026 at 12:00 CET\.$/);
  });

  it.each([
    ['de-AT', 'Öffnen', 'de'],
    ['hu-HU', 'Nyitás', 'hu'],
    ['fr-FR', 'Open', 'en'],
  ])('speaks the language of a browser in %s', async (locale, label, language) => {
    const { url } = await makeLink({ operations: ['open'] });
    const page = await open(url, { locale });
    await page.getByRole('button', { name: label, exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
  });

  it.each([
    ['light', PHONE, 'phone'],
    ['dark', PHONE, 'phone'],
    ['light', DESKTOP, 'desktop'],
    ['dark', DESKTOP, 'desktop'],
  ] as const)('is for everybody: %s, %j', async (colorScheme, viewport, device) => {
    const operations = ['open', 'close', 'force_close', 'stay_open', 'clear_stay_open'];
    const { url } = await makeLink({ operations, end_time: iso(3_600_000) });
    const page = await open(url, { colorScheme, viewport });
    await until(page, 'name', PRODUCT);
    expect(await findings(page)).toEqual([]);
    await picture(page, `${device}-${colorScheme}`);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    // With the keyboard alone.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open');
    const main = await page.getByRole('button', { name: 'Open', exact: true }).boundingBox();
    expect(main?.height).toBeGreaterThan(100);
    const before = sentCount();
    await page.keyboard.press('Enter');
    await answer(null, before);
    await until(page, 'what', 'Done: it is open.');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open');
    expect(await findings(page)).toEqual([]);
    await picture(page, `${device}-${colorScheme}-done`);
    expect(complaints).toEqual([]);
  });

  it('is small, kept by nobody, framed by nobody, and lets nothing out', async () => {
    const { url } = await makeLink();
    const response = await fetch(url);
    const html = await response.text();
    expect(gzipSync(html).length).toBeLessThan(BYTES_MAX);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; connect-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await open(url);
    await until(page, 'name', PRODUCT);
    const refused = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI));
      fetch('https://registry.example/').catch(() => {});
    })`);
    expect(refused).toBe('https://registry.example/');
  });
});
