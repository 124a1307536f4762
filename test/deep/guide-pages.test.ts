import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SIGNS } from '../../agent/health/sysfs-lamp.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { hasChromium, launchChromium } from '../browser/chromium.js';

const CONTENTS = '/docs/guides';

describe.skipIf(!hasChromium())('the guides in a browser', () => {
  let cloud: CloudWorld;
  let browser: Browser;
  let page: Page;
  /** Errors and warnings of the browser's console. */
  let complaints: string[];

  beforeAll(async () => {
    cloud = await startCloudWorld();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await cloud.close();
  });

  beforeEach(async () => {
    complaints = [];
    page = await browser.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  /** What holds of each element on the page that is open. */
  const ofAll = <T>(selector: string, expression: string): Promise<T[]> =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].map((each) => ${expression})`);

  /** The addresses of links on the page that is open, without those of other services. */
  async function ownLinks(within = 'body'): Promise<string[]> {
    const links = await ofAll<string>(`${within} a`, 'each.href');
    return links.filter((link) => link.startsWith(`${cloud.base}/`)).map((link) => link.slice(cloud.base.length));
  }

  /** The contents and the guides that they name, in their order. */
  async function guidePaths(): Promise<string[]> {
    await page.goto(cloud.base + CONTENTS);
    return [CONTENTS, ...(await ownLinks('table'))];
  }

  it.each([1200, 390])('fit a screen of %i pixels, and complain of nothing', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    const paths = await guidePaths();
    expect(paths.length).toBeGreaterThan(12);
    for (const path of paths) {
      await page.goto(cloud.base + path);
      const wide = await ofAll<number>('html, pre', 'each.scrollWidth - each.clientWidth');
      expect([path, wide.filter((pixels) => pixels > 0), complaints]).toEqual([path, [], []]);
    }
  });

  it('link to pages and headings that are there', async () => {
    const links = new Set<string>();
    const parts = new Set<string>();
    for (const path of await guidePaths()) {
      await page.goto(cloud.base + path);
      for (const link of await ownLinks()) links.add(link);
      const ids = await ofAll<string>('[id]', 'each.id');
      for (const id of ids) parts.add(`${path}#${id}`);
    }
    const isPart = (link: string) => link.includes('#');
    expect([...links].filter((link) => isPart(link) && !parts.has(link))).toEqual([]);
    for (const link of links) expect([link, (await fetch(cloud.base + link)).status]).toEqual([link, 200]);
  });

  it('have two sheets of A4 for an installer, whose light is the one that devices show', async () => {
    await page.goto(`${cloud.base}/docs/guides/installing`);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(2);
    const loaded = await ofAll<boolean>('.guide img', 'each.complete && each.naturalWidth > 0');
    expect(loaded).toEqual([true, true, true, true]);
    const table = (await ofAll<string>('.guide td:first-child', 'each.textContent')).join('\n');
    const seconds = (ms: number) => String(ms / 1_000);
    for (const [sign, [onMs, offMs]] of Object.entries(SIGNS))
      if (sign !== 'online') expect(table).toContain(`${seconds(onMs)} s on, ${seconds(offMs)} s off`);
  });

  it('lead from one to the next in the order of the contents, and are marked in the bar', async () => {
    const paths = await guidePaths();
    for (const [at, path] of paths.entries()) {
      expect(new URL(page.url()).pathname).toBe(path);
      expect(await page.title()).toMatch(/^.+ - Parking interface$/);
      const marked = await page.locator('.bar [aria-current]').allTextContents();
      expect([path, marked]).toEqual([path, expect.arrayContaining(['Guides'])]);
      expect([path, await ownLinks('.neighbours')]).toEqual([
        path,
        [paths[at - 1], paths[at + 1]].filter((each) => each !== undefined),
      ]);
      if (at + 1 < paths.length) await page.locator('.neighbours [rel=next]').click();
    }
  });
});
