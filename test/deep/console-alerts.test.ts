/** The browser tells of what begins while nobody looks: by notices and sounds, once, in one tab, and not of what is in front. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

/** Notes what the page shows and plays: a browser without a screen does neither. */
const RECORDER = `(() => {
  const real = window.Notification;
  window.shownNotices = [];
  window.playedTones = [];
  window.Notification = class {
    static get permission() { return window.refuses ? 'denied' : real.permission; }
    static requestPermission() { window.asked = (window.asked ?? 0) + 1; return window.refuses ? Promise.resolve('denied') : real.requestPermission(); }
    constructor(title, { body }) { window.shownNotices.push(title + ' | ' + body); }
    addEventListener() {}
    close() {}
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...at) { window.playedTones.push(this.frequency.value); return start.apply(this, at); };
})()`;

describe.skipIf(!hasChromium())("the console's alerts in the browser", () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld({ alterSite: (yaml) => yaml.replace('tariffs: [Public]', 'tariffs: []') });
    await started.world.settled();
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const notices = (page: Page) => page.evaluate<string[]>('window.shownNotices');
  const tones = (page: Page) => page.evaluate<number[]>('window.playedTones.length');
  const open = async (options: Parameters<ConsoleWorld['open']>[0] = {}) => {
    const console = await started.open(options, undefined);
    await console.context.addInitScript(RECORDER);
    await console.goTo('/profile');
    return console;
  };
  const card = (page: Page) => page.getByRole('region', { name: 'Alerts of this browser' });

  it('asks the browser only by a click, says when it refuses, and can be tried', async () => {
    const console = await open();
    const { page, context, check } = console;
    await card(page).waitFor();
    expect(await page.evaluate('window.asked')).toBeUndefined();
    await page.evaluate('window.refuses = true');
    await page.reload();
    await page.evaluate('window.refuses = true');
    await card(page).getByLabel('Show notices').check();
    await card(page).getByText('The browser refuses notices of this page').waitFor();
    await check('browser-alerts-refused');
    await card(page).getByLabel('Show notices').uncheck();
    await context.grantPermissions(['notifications']);
    await page.reload();
    await card(page).getByLabel('Show notices').check();
    await card(page).getByLabel('Make a sound').check();
    await card(page).getByRole('button', { name: 'Try it' }).click();
    await card(page).getByText('That is how it looks and sounds.').waitFor();
    expect(await notices(page)).toEqual(['This is a try | Entry camera: AB 123 CD waits']);
    await expect.poll(() => tones(page)).toBeGreaterThan(0);
    await card(page).scrollIntoViewIfNeeded();
    await check('browser-alerts');
  });

  it('tells of a vehicle that waits once, in one of two tabs, and not of what is in front', async () => {
    const console = await open();
    const { page, context } = console;
    await context.grantPermissions(['notifications']);
    await page.reload();
    await card(page).getByLabel('Show notices').check();
    await card(page).getByLabel('Make a sound').check();
    const second = await context.newPage();
    await second.goto(`${started.world.cloudUrl}/devices`);
    await second.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    const all = async () => [...(await notices(page)), ...(await notices(second))];
    // What was there before is no news: it has looked once.
    await page.waitForTimeout(2_500);
    const before = (await all()).length;
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG900XX' });
    await expect.poll(async () => (await all()).filter((each) => each.includes('ZG900XX')).length).toBe(1);
    expect((await all()).find((each) => each.includes('ZG900XX'))).toMatch(
      /^A vehicle waits: North \| .*ZG900XX.* waits at Entry camera$/,
    );
    // Read again it is the same vehicle.
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG900XX' });
    await started.world.call('POST', '/v2/lots/1/release', { body: { hold: 1 } });
    await page.waitForTimeout(3_000);
    // The band of an emergency stands above the view that is in front.
    expect((await all()).filter((each) => /ZG900XX/.test(each)).length).toBe(1);
    expect((await all()).filter((each) => /opened everything/.test(each)).length).toBe(0);
    await started.world.call('POST', '/v2/lots/1/release/clear', { body: {} });
    expect((await all()).length).toBeGreaterThan(before);
    // What is in front needs no notice.
    await second.close();
    await page.getByRole('link', { name: 'Vehicles' }).click();
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    await page.waitForTimeout(1_500);
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG901XX' });
    await page.getByText('ZG901XX').first().waitFor();
    await page.waitForTimeout(2_500);
    expect((await notices(page)).filter((each) => each.includes('ZG901XX'))).toEqual([]);
  });

  it('leaves out a kind of a lot', async () => {
    const { page, context, check } = await open({ viewport: PHONE, colorScheme: 'dark' });
    await context.grantPermissions(['notifications']);
    await page.reload();
    await card(page).getByLabel('Show notices').check();
    await card(page).getByRole('group', { name: 'North' }).getByLabel('A vehicle waits').uncheck();
    await card(page).scrollIntoViewIfNeeded();
    await check('browser-alerts-phone');
    await page.waitForTimeout(2_500);
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG902XX' });
    await started.world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: true });
    await started.world.call('POST', '/v2/products/2/state', { body: { operation: 'open' } });
    await expect
      .poll(async () => (await notices(page)).filter((each) => each.startsWith('A trouble began: North')).length, {
        timeout: 30_000,
      })
      .toBeGreaterThan(0);
    expect((await notices(page)).filter((each) => each.includes('ZG902XX'))).toEqual([]);
    await started.world.sim('PATCH', `/products/${TEST_SITE.gate}`, { jammed: false });
  });
});
