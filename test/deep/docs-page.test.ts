import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchDocument, operationsOf } from '../contract/openapi-document.js';
import { API_TOKEN, seedSite } from '../integration/http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { someOf } from '../depth.js';
import { hasChromium, launchChromium } from '../browser/chromium.js';

const TITLE = 'Parking access and device operations';
/** How many operations are shown before the page is loaded anew. */
const OPERATIONS_PER_PAGE = 25;
/** The viewer's words for places of parameters, where they are others than the document's. */
const PLACES: Readonly<Record<string, string>> = { header: 'headers' };

/** Runs in the page: the viewer gives an operation and each of its parts an id that ends with its address. */
const SHOW_IN_PAGE = `async ({ address, parts, summary }) => {
  const until = async (condition) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  location.hash = address;
  const find = (end) => document.querySelector('[id$="/' + CSS.escape(address + end) + '"]');
  await until(() => find('')?.textContent.includes(summary) && parts.every((part) => find('.' + part) !== null));
  const success = [...find('').querySelectorAll('button[aria-expanded]')].find((each) => /^200/.test(each.textContent.trim()));
  if (success.getAttribute('aria-expanded') !== 'true') success.click();
  await until(() => success.getAttribute('aria-expanded') === 'true');
}`;

const PHONE = { width: 390, height: 844 };

describe.skipIf(!hasChromium())('/docs in a browser', () => {
  let cloud: CloudWorld;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** The viewer's page, in the frame. */
  let viewer: Frame;
  /** Every address that the page asked for. */
  let requests: string[];
  /** Errors and warnings of the browser's console, and errors that nobody caught. */
  let complaints: string[];

  beforeAll(async () => {
    cloud = await startCloudWorld();
    await seedSite(cloud.store);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await cloud.close();
  });

  beforeEach(async () => {
    requests = [];
    complaints = [];
    context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    context.on('request', (request) => void requests.push(request.url()));
    page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(String(error)));
  });
  afterEach(() => context.close());

  async function open() {
    await page.goto(`${cloud.base}/docs`);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('no frame');
    viewer = frame;
    await viewer.getByRole('heading', { level: 1, name: TITLE }).waitFor();
    expect(await page.title()).toBe('Reference - Parking interface');
  }

  /** Goes to an operation by its address, waits until all of it is shown, and unfolds its answer. */
  async function show({ method, path, operation }: ReturnType<typeof operationsOf>[number]): Promise<string> {
    const address = `tag/${operation.tags[0]?.toLowerCase().replaceAll(' ', '-')}/${method}${path}`;
    const parts = [
      ...Object.keys(operation.responses).map((status) => `responses.${status}`),
      ...(operation.parameters ?? []).map(({ in: place, name }) => `${PLACES[place] ?? place}.${name}`),
    ];
    await viewer.evaluate(`(${SHOW_IN_PAGE})(${JSON.stringify({ address, parts, summary: operation.summary })})`);
    return address;
  }

  const isOwn = (url: string) => url.startsWith(`${cloud.base}/`) || /^(data|blob):/.test(url);

  it('shows its operations, each with its parameters and answers, and complains of nothing', {
    timeout: 600_000,
  }, async () => {
    const operations = operationsOf(await fetchDocument(cloud.base));
    expect(operations.length).toBeGreaterThan(130);
    for (const [index, each] of someOf(operations, 12).entries()) {
      // What was shown stays in the page, which grows slow.
      if (index % OPERATIONS_PER_PAGE === 0) await open();
      await show(each);
      expect([each.method, each.path, complaints]).toEqual([each.method, each.path, []]);
    }
    expect(requests.filter((url) => !isOwn(url))).toEqual([]);
    expect(new Set(requests.map((url) => new URL(url).pathname.replace(/\w+\.js$/, '….js')))).toEqual(
      new Set(['/docs', '/docs/viewer', '/docs/viewer/….js', '/openapi.json']),
    );
  });

  it('calls the service from the page, with a token that is typed and without one', async () => {
    await open();
    const operations = operationsOf(await fetchDocument(cloud.base));
    const call = async (name: string) => {
      const called = operations.find(({ operation }) => operation.operationId === name);
      if (called === undefined) throw new Error(`no ${name}`);
      const section = viewer.locator(`[id$=${JSON.stringify(await show(called))}]`);
      await section.getByRole('button', { name: /Test Request/ }).click();
      const client = viewer.getByRole('dialog');
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.url().includes('/v2/lots')),
        client.getByRole('button', { name: /^Send get request/ }).click(),
      ]);
      // What is typed nowhere is not sent: a version or a key of another request would change what this one does.
      const sent = Object.keys(response.request().headers());
      expect(sent.filter((header) => /^(if-|idempotency)/.test(header))).toEqual([]);
      const status = response.status();
      await client.getByText(`${status} `).first().waitFor();
      await page.keyboard.press('Escape');
      await client.waitFor({ state: 'hidden' });
      return status;
    };
    expect(await call('listLots')).toBe(401);
    await viewer.evaluate('scrollTo(0, 0)');
    await viewer.getByPlaceholder('Token').first().fill(API_TOKEN);
    expect(await call('listLots')).toBe(200);
    expect(await call('getLot')).toBe(200);
    expect(requests.filter((url) => !isOwn(url))).toEqual([]);
  });

  it('is not let out of this machine', async () => {
    await open();
    const refused = await viewer.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI));
      fetch('https://registry.example/').catch(() => {});
    })`);
    expect(refused).toBe('https://registry.example/');
  });

  it('reads nothing of the console that is signed in beside it, in its frame and without one', async () => {
    await page.goto(`${cloud.base}/console`);
    await page.evaluate(`localStorage.setItem('parking.signed-in', ${JSON.stringify(JSON.stringify(API_TOKEN))})`);
    await open();
    const steal = `(async () => {
      const tries = [
        () => localStorage.getItem('parking.signed-in'),
        () => sessionStorage.getItem('parking.signed-in'),
        () => parent.localStorage.getItem('parking.signed-in'),
        () => top.document.documentElement.innerHTML,
        () => open('/console').localStorage.getItem('parking.signed-in'),
        () => { const frame = document.createElement('iframe'); document.body.append(frame); return frame.contentWindow.localStorage.getItem('parking.signed-in'); },
      ];
      return tries.map((each) => { try { return each() ?? 'nothing'; } catch (error) { return error.name; } });
    })()`;
    const nothing = ['nothing', 'nothing', 'SecurityError', 'SecurityError', 'SecurityError', 'SecurityError'];
    expect(await viewer.evaluate(steal)).toEqual(nothing);
    expect(await page.evaluate('localStorage.getItem("parking.signed-in")')).toContain(API_TOKEN);
    await page.goto(`${cloud.base}/docs/viewer`);
    expect(await page.evaluate('self.origin')).toBe('null');
    await page.goto(`${cloud.base}/docs/guides`);
    await expect(page.addScriptTag({ content: 'window.ran = true' })).rejects.toThrow();
    expect(await page.evaluate('typeof ran')).toBe('undefined');
  });

  it('fits a phone', async () => {
    await page.setViewportSize(PHONE);
    await open();
    for (const each of [page, viewer]) {
      const width = await each.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(PHONE.width);
    }
    expect(complaints).toEqual([]);
  });
});
