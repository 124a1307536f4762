/** How quick the operators' console is in Chromium: its first load, events on the screen, long tasks, and the heap over an hour of traffic. */
import type { CDPSession, Page } from 'playwright-core';
import { hasChromium, launchChromium } from '../browser/chromium.js';
import { openConsole } from '../browser/console-page.js';
import { firstScripts } from '../browser/first-load.js';
import type { ConsoleOrder } from './console-server.js';
import { amount, median, printFigure, quantile, startChild } from './harness.js';

const OWNER = { email: 'owner@harbour.example', password: 'long pass phrase' };
const FIRST_LOAD_KB = 90;
const USABLE_MS = 1_500;
const ON_SCREEN_MS = 100;
const LONG_TASK_MS = 50;
const HEAP_GROWTH = 1.1;
const SLOWED = 4;
const LOADS = 5;
const PER_SECOND = 50;
const LOAD_S = 20;
/** A busy hour of a lot: about so many events. */
const EVENTS_AN_HOUR = 2_400;

/** What the page notes of itself; it is put in before the page's own scripts. */
const NOTES = `(() => {
  const notes = (globalThis.notes = { came: new Map(), took: [], long: [] });
  const Plain = globalThis.WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        const { event, data: payload } = JSON.parse(data);
        if (event === 'plate_reading_create') notes.came.set('reading-' + JSON.parse(payload).id, performance.now());
      });
    }
  };
  const look = () => {
    for (const [id, at] of notes.came) {
      if (document.getElementById(id) === null) continue;
      notes.came.delete(id);
      requestAnimationFrame(() => setTimeout(() => notes.took.push(performance.now() - at)));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => notes.long.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
})()`;

export async function benchConsole(): Promise<void> {
  if (!hasChromium()) return;
  const server = await startChild<{ base: string }>('console-server.js');
  const { base } = server.started;
  const play = (order: ConsoleOrder) => server.ask<number>(order);
  const browser = await launchChromium();
  try {
    await measureFirstLoad(base);
    const shown = await openConsole(browser, base, {});
    await shown.context.addInitScript(NOTES);
    await shown.signIn(OWNER);
    const cdp = await shown.context.newCDPSession(shown.page);
    await measureUsable(shown.page, cdp, base);
    await measureEvents(shown.page, base, play);
    await measureHeap(shown.page, cdp, play);
    await shown.close();
  } finally {
    await browser.close();
    await server.end();
  }
}

/** What a first load brings of script, as it travels. */
async function measureFirstLoad(base: string): Promise<void> {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
  const page = await (await fetch(base, { headers })).text();
  const kbOf = async (paths: readonly string[]): Promise<number> => {
    let bytes = 0;
    for (const path of paths) {
      const answer = await fetch(new URL(path, base), { headers });
      await answer.arrayBuffer();
      bytes += Number(answer.headers.get('content-length'));
    }
    return bytes / 1_024;
  };
  const scripts = await kbOf(await firstScripts(base));
  const styles = await kbOf([...page.matchAll(/href="([^"]+\.css)"/g)].map(([, path = '']) => path));
  printFigure(
    'first load of the console, compressed script with one language',
    amount(scripts, `{} KB, and ${styles.toFixed(1)} KB of style`, 1),
    amount(FIRST_LOAD_KB, '{} KB'),
    1,
  );
}

/** From the beginning of a load without a cache until the car park is there with its products, on a slow processor. */
async function measureUsable(page: Page, cdp: CDPSession, base: string): Promise<void> {
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  const samples: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.goto(base, { waitUntil: 'commit' });
    await page.locator('.card.lot .products button').first().waitFor();
    samples.push(await page.evaluate<number>('performance.now()'));
  }
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: false });
  printFigure(
    `the console is usable, ${SLOWED} times slower processor`,
    amount(median(samples), `{} ms (median of ${LOADS})`),
    amount(USABLE_MS, '{} ms wanted'),
    null,
  );
}

async function measureEvents(page: Page, base: string, play: (order: ConsoleOrder) => Promise<number>): Promise<void> {
  await page.goto(`${base}/live`);
  await page.locator('.reading').first().waitFor();
  // The list is as long as it gets before anything is measured.
  await play({ perSecond: PER_SECOND, seconds: 5 });
  await page.evaluate('notes.took.length = notes.long.length = 0');
  const made = await play({ perSecond: PER_SECOND, seconds: LOAD_S });
  await page.waitForTimeout(1_000);
  const { took, long, missing } = await page.evaluate<{ took: number[]; long: number[]; missing: number }>(
    '({ took: notes.took, long: notes.long, missing: notes.came.size })',
  );
  const [share95, longest] = [Math.round(quantile(took, 0.95)), Math.max(0, ...long)];
  printFigure(
    `an event is on screen after the socket got it, ${Math.round(made / LOAD_S)} events a second`,
    amount(median(took), `{} ms (median of ${took.length}, ${missing} never; 95 %: ${share95} ms)`),
    amount(ON_SCREEN_MS, '{} ms'),
    1,
  );
  printFigure(
    'longest task of the page meanwhile',
    amount(longest, long.length === 0 ? 'below 50 ms' : `{} ms (${long.length} above 50 ms)`),
    amount(LONG_TASK_MS, '{} ms'),
    1,
  );
}

/** As many events as a busy hour has, as fast as before. */
async function measureHeap(page: Page, cdp: CDPSession, play: (order: ConsoleOrder) => Promise<number>): Promise<void> {
  const heapMb = async () => {
    await page.waitForTimeout(500);
    for (let round = 0; round < 3; round++) await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    return usedSize / 1024 / 1024;
  };
  const before = await heapMb();
  const made = await play({ perSecond: PER_SECOND, seconds: Math.ceil(EVENTS_AN_HOUR / PER_SECOND) });
  await page.waitForTimeout(1_500);
  const after = await heapMb();
  printFigure(
    `heap of the page after ${made} events, the traffic of an hour`,
    amount(after, '{} MB', 1),
    amount(before, '{} MB before', 1),
    HEAP_GROWTH,
  );
}
