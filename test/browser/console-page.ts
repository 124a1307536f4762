/** A browser that looks at the console of a running cloud, for the tests of its stories. */
import axe from 'axe-core';
import { expect } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };
export const WALL = { width: 3840, height: 2160 };

/** Where the pictures go that people look at; left out: nowhere. */
const PICTURES = process.env.CONSOLE_PICTURES;

export interface ConsoleUser {
  email: string;
  password: string;
}

/** A page of the console, and what the browser had to say about it. */
export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the browser's console, refusals of the policy, and errors that nobody caught. */
  complaints: string[];
  /** Addresses of others than the service that were asked for. */
  strangers: string[];
  signIn(user: ConsoleUser): Promise<void>;
  /** Goes to a view by its address, as a reload does. */
  goTo(path: string): Promise<void>;
  /**
   * Fails on what axe finds, on a page that is wider than its window, and on complaints.
   * @param look.isSunlit text needs 7:1 on its ground
   */
  check(name: string, look?: { isSunlit: boolean }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waits until an expression is true in a page. `page.waitForFunction` cannot be used here: the policy of the pages
 * forbids the evaluation of text inside the page, which it does whenever the expression is not true at once.
 */
export const until = (page: Page, expression: string, timeout = 30_000) =>
  expect.poll(() => page.evaluate<boolean>(expression), { timeout, message: expression }).toBe(true);

/** Waits until exactly `count` of the pictures that a selector names are loaded. */
export const picturesLoaded = (page: Page, selector: string, count: number) =>
  until(
    page,
    `[...document.querySelectorAll('${selector}')].filter((each) => each.naturalWidth > 0).length === ${count}`,
  );

export async function openConsole(
  browser: Browser,
  base: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on('console', (message) => {
    // The browser writes a line for every answer that is no success: those are what the stories are about.
    if (
      ['error', 'warning'].includes(message.type()) &&
      !/^(Failed to load resource|WebSocket connection)/.test(message.text())
    )
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`a script asked: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(`${base}/`) && !/^(data|blob):/.test(request.url())) strangers.push(request.url());
  });
  const shown: ConsolePage = {
    page,
    context,
    complaints,
    strangers,
    async signIn({ email, password }) {
      // In whichever language the browser is.
      await page.locator('form input[type=email]').fill(email);
      await page.locator('form input[type=password]').fill(password);
      await page.locator('form button[type=submit]').first().click();
      await page.getByRole('navigation', { name: /^(Views|Ansichten|Prikazi|Nézetek)$/ }).waitFor();
    },
    goTo: async (path) => void (await page.goto(base + path)),
    async check(name, { isSunlit } = { isSunlit: false }) {
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` });
      expect(await findingsOf(page, isSunlit), name).toEqual([]);
      expect(await page.evaluate<string[]>(TOO_WIDE), name).toEqual([]);
      expect(complaints, name).toEqual([]);
      expect(strangers, name).toEqual([]);
    },
    close: () => context.close(),
  };
  await page.goto(base);
  return shown;
}

/**
 * The words that do not fit: of elements that hide what is too wide for them, and of buttons and links whose word reaches beyond their edge.
 * What scrolls by itself, what only screen readers have, and the cells of lists, which an open row has whole, are left out.
 */
export const CUT_OFF = `(() => {
  const hasWords = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const isCut = (element) => {
    const { overflowX, display, visibility } = getComputedStyle(element);
    if (display === 'inline' || visibility === 'hidden' || element.clientWidth <= 1) return false;
    const isKept = overflowX === 'auto' || overflowX === 'scroll';
    return !isKept && element.scrollWidth > element.clientWidth + 1;
  };
  return [...document.body.querySelectorAll('*:not(svg *)')]
    .filter((each) => each.closest('.rows-table td') === null && hasWords(each) && isCut(each))
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
})()`;

/** What makes the page scroll sideways, if it does: the innermost elements that reach beyond its right edge. */
const TOO_WIDE = `(() => {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const isWide = (element) => element.getBoundingClientRect().right > innerWidth;
  const wide = [...document.body.querySelectorAll('*')].filter((each) => isWide(each) && ![...each.children].some(isWide));
  return [document.documentElement.scrollWidth + ' px', ...wide.map(({ outerHTML }) => outerHTML.slice(0, 200))];
})()`;

async function findingsOf(page: Page, isSunlit: boolean): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  // The page's policy forbids scripts of others: this one comes in by the debugger.
  await session.send('Runtime.evaluate', { expression: axe.source });
  const options = { rules: { 'color-contrast-enhanced': { enabled: isSunlit } } };
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as string[];
}
