/** The console moves nothing by accident: an emergency stands above every view, old rows open nothing, and a press acts at once or not at all. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, GUARD, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

const HOUR_MS = 3_600_000;

describe.skipIf(!hasChromium())('the console moves nothing by accident', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({ alterSite: (yaml) => yaml.replace('tariffs: [Public]', 'tariffs: []') });
    ({ world } = started);
  });
  afterEach(async () => {
    await Promise.all(
      started.browser
        .contexts()
        .flatMap((each) => each.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' }))),
    );
    await started.closePages();
    await world.call('POST', '/v2/lots/1/release/clear', { body: {} });
    await expect.poll(pendingCount).toBe(0);
  });
  afterAll(() => started?.close());

  const eventIds: string[] = [];
  const pendingCount = async () => {
    const all = await Promise.all(
      eventIds.map((id) => world.call<{ data: { status: string } }>('GET', `/v2/commands/${id}`)),
    );
    return all.filter(({ body }) => body.data.status === 'pending').length;
  };
  const release = async () => {
    const { body } = await world.call<{ data: { event_ids: string[] } }>('POST', '/v2/lots/1/release', {
      body: { hold: 1 },
    });
    eventIds.push(...body.data.event_ids);
    await expect.poll(pendingCount).toBe(0);
  };
  const product = (device: string) => world.sim<{ state: string; moves: number }>('GET', `/products/${device}`);
  const isPassable = async (device: string) => (await product(device)).state === 'opened';
  const band = (page: Page) => page.getByRole('region', { name: 'Held open in an emergency' });
  const dialog = (page: Page) => page.getByRole('dialog');

  it.each([
    ['owner', OWNER, DESKTOP, 'light'],
    ['guard', GUARD, PHONE, 'dark'],
    ['guard', GUARD, DESKTOP, 'dark'],
  ] as const)(
    'tells the %s of an emergency on every view, asks before it closes, and ends it',
    async (who, user, viewport, colorScheme) => {
      const { page, goTo, check } = await started.open({ viewport, colorScheme }, user);
      const name = (what: string) => `emergency-${what}-${who}-${viewport.width}-${colorScheme}`;
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(await page.getByRole('button', { name: /^Back to normal/ }).count()).toBe(0);
      await release();
      // It comes by itself.
      await band(page)
        .getByText(/^Emergency in North\. .+ opened everything: held open since \d+:\d+/)
        .waitFor();
      await page.getByRole('button', { name: 'Close: Entry barrier' }).waitFor();
      await check(name('overview'));
      for (const path of ['/live', '/devices', '/profile', '/lots/1']) {
        await goTo(path);
        await band(page).getByRole('alert').waitFor();
      }
      const gate = page.getByRole('article', { name: 'Exit gate' });
      const close = gate.getByRole('button', { name: 'Close', exact: true });
      await close.click();
      await dialog(page).getByText('Everything in North is held open in an emergency.').waitFor();
      await check(name('close'));
      // The key that led here moves nothing.
      await page.keyboard.press('Enter');
      await dialog(page).waitFor({ state: 'hidden' });
      expect(await isPassable(TEST_SITE.gate)).toBe(true);
      await close.click();
      await dialog(page).getByRole('button', { name: 'Close: Exit gate' }).click();
      await dialog(page)
        .getByRole('status')
        .getByText(/^Close: done/)
        .waitFor();
      expect(await isPassable(TEST_SITE.gate)).toBe(false);
      await page.keyboard.press('Escape');
      await band(page).getByRole('button', { name: 'Back to normal: North' }).click();
      await check(name('end'));
      await dialog(page).getByRole('button', { name: 'Back to normal', exact: true }).click();
      await band(page).getByRole('alert').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: /^Back to normal/ }).count()).toBe(0);
    },
  );

  it('asks for a close of which the page did not know that an emergency had begun', async () => {
    const { page } = await started.open();
    let isHidden = true;
    await page.route(
      ({ pathname }) => pathname === '/v2/lots',
      async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { data: object[] };
        const data = body.data.map((lot) => (isHidden ? { ...lot, released_at: null, released_by: null } : lot));
        await route.fulfill({ response, json: { ...body, data } });
      },
    );
    await page.reload();
    await release();
    const close = page.getByRole('button', { name: 'Close: Exit gate' });
    await close.waitFor();
    isHidden = false;
    await close.click();
    await Promise.race([page.getByText(/say true to close nevertheless/).waitFor(), dialog(page).waitFor()]);
    expect(await isPassable(TEST_SITE.gate)).toBe(true);
    await band(page).getByRole('alert').waitFor();
  });

  it('lets nobody in by a row of more than ten minutes ago, whatever the clock of the browser says', async () => {
    const { page, context, goTo, check } = await started.open();
    await context.addInitScript(`{ const now = Date.now; Date.now = () => now() + 24 * ${HOUR_MS}; }`);
    let agoMs = 0;
    await page.route(
      ({ pathname }) => ['/v2/plate-readings', '/v2/sightings'].includes(pathname),
      async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { data: { created_at: string }[] };
        const earlier = (iso: string) => new Date(Date.parse(iso) - agoMs).toISOString();
        const data = body.data.map((each) => ({ ...each, created_at: earlier(each.created_at) }));
        await route.fulfill({ response, json: { ...body, data } });
      },
    );
    await world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG777XX' });
    await goTo('/live');
    const letIn = page.getByRole('button', { name: 'Let in once: ZG777XX' });
    await letIn.click();
    const asked = page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/state'));
    await dialog(page).getByRole('button', { name: 'Let in once' }).click();
    expect(await (await asked).postDataJSON()).toMatchObject({
      operation: 'open',
      plate_reading_id: expect.any(Number),
    });
    await dialog(page).waitFor({ state: 'hidden' });
    // The row stays, and nothing opens from it any more, neither by a press nor by its key.
    agoMs = 601_000;
    await page.reload();
    const row = page.locator('.reading', { hasText: 'ZG777XX' });
    await row.waitFor();
    expect(await letIn.count()).toBe(0);
    await row.locator('.row-open').focus();
    await page.keyboard.press('o');
    expect(await dialog(page).count()).toBe(0);
    await check('live-old-row');
  });

  it('asks at the palette before something moves, and tells the end, failures too', async () => {
    const { page, check } = await started.open();
    // The palette finds what was read: the heading stands there before.
    await page
      .getByRole('button', { name: /: Entry barrier$/ })
      .first()
      .waitFor();
    const before = (await product(TEST_SITE.barrier)).moves;
    const find = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find or do' }).fill('open entry');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Open: Entry barrier?' }).waitFor();
    };
    await find();
    await check('palette-asks');
    // A second Enter, or one that is held, moves nothing.
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'hidden' });
    expect((await product(TEST_SITE.barrier)).moves).toBe(before);
    await find();
    await world.sim('PATCH', `/products/${TEST_SITE.barrier}`, { jammed: true });
    const yes = dialog(page).getByRole('button', { name: 'Open: Entry barrier' });
    await yes.click();
    await dialog(page).getByRole('status').getByText('Open: it is jammed. Look whether something blocks it.').waitFor();
    await check('palette-failed');
    await world.sim('PATCH', `/products/${TEST_SITE.barrier}`, { jammed: false });
    await yes.click();
    await dialog(page)
      .getByRole('status')
      .getByText(/^Open: done/)
      .waitFor();
    expect(await yes.count()).toBe(0);
    await check('palette-done');
  });

  it('moves nothing later that was pressed while there was no network', async () => {
    const { page, context, check } = await started.open();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const button = page.getByRole('button', { name: /^(Open|Close): Exit gate$/ });
    await button.waitFor();
    const { moves } = await product(TEST_SITE.gate);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    /** What closes is asked first. */
    const press = async () => {
      const closes = (await button.getAttribute('aria-label'))?.startsWith('Close') === true;
      await button.click();
      if (closes) await dialog(page).getByRole('button', { name: 'Close: Exit gate' }).click();
    };
    const noAnswer = page
      .getByRole('alert')
      .getByText(/^No answer\. It will not be sent later/)
      .first();
    await context.setOffline(true);
    await press();
    await noAnswer.waitFor();
    if (await dialog(page).isVisible()) await dialog(page).getByRole('button', { name: 'Done' }).click();
    await check('pressed-offline');
    await context.setOffline(false);
    await page.getByText(/^Connection lost since/).waitFor({ state: 'detached' });
    // A service that accepts the connection and says nothing for longer than a person waits.
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/state', async (route) => {
      await held;
      await route.abort();
    });
    await press();
    await page.getByText('sending …').first().waitFor();
    await noAnswer.waitFor();
    letGo();
    expect(sent.filter((url) => url.endsWith('/state'))).toHaveLength(1);
    expect((await product(TEST_SITE.gate)).moves).toBe(moves);
  });
});
