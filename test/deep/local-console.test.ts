/** The gateway's own page, in a browser against the real gateway and car park: with its cloud, and without. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, DESKTOP, PHONE, picturesLoaded } from '../browser/console-page.js';
import { ATTACK, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

const SUNLIT = { isSunlit: true };
const LOOKS = [
  ['phone', PHONE, 'light'],
  ['phone', PHONE, 'dark'],
  ['desktop', DESKTOP, 'light'],
  ['desktop', DESKTOP, 'dark'],
] as const;
const GATE_NAME = `Exit gate ${ATTACK}`;

describe.skipIf(!hasChromium())("the gateway's own page", () => {
  let started: ConsoleWorld;
  let world: World;
  let password: string;

  beforeAll(async () => {
    started = await startConsoleWorld({
      // A name that would be a script, were it taken for HTML.
      alterSite: (yaml) => yaml.replace('name: Exit gate,', () => `name: '${GATE_NAME}',`),
    });
    ({ world } = started);
    const { body } = await world.call<{ data: { password: string } }>('GET', '/v2/gateways/1/console-password');
    ({ password } = body.data);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const open = (options: Parameters<ConsoleWorld['open']>[0] = {}) => started.open(options, null, world.agentUrl);
  async function enter(options: Parameters<ConsoleWorld['open']>[0] = {}): Promise<ConsolePage> {
    const shown = await open(options);
    await shown.page.locator('input[type=password]').fill(password);
    await shown.page.keyboard.press('Enter');
    await shown.page.locator('nav').waitFor();
    return shown;
  }
  const stateOf = async (device: string) => (await world.sim<{ state: string }>('GET', `/products/${device}`)).state;
  const becomes = (device: string, state: string) => expect.poll(() => stateOf(device)).toBe(state);
  const card = (page: Page, name: string) => page.getByRole('article', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  it('lets nobody in without the password of the device, and says so', async () => {
    const { page, check } = await open({ viewport: PHONE });
    await page.getByRole('heading', { name: 'Sign in: Entrance Pi' }).waitFor();
    await page.getByLabel('Device password').fill('not the password');
    await page.getByLabel('Show what I type').check();
    await page.locator('input[type=text]').waitFor();
    await press(page, 'Sign in');
    await page.getByText('This is not the password of the device.').first().waitFor();
    await check('local-sign-in', SUNLIT);
    const asked = ['/api/view', '/api/logs', '/api/support-file', '/api/quarantine'].map((path) =>
      page.evaluate<number>(`fetch('${path}').then(({ status }) => status)`),
    );
    expect(await Promise.all(asked)).toEqual([401, 401, 401, 401]);
  });

  it.each(LOOKS)('opens, and closes after a question: %s %s', async (look, viewport, colorScheme) => {
    const { page, check } = await enter({ viewport, colorScheme });
    const barrier = card(page, 'Entry barrier');
    await press(page, 'Open: Entry barrier');
    await barrier.getByRole('status').getByText('Open: Entry barrier: done.').waitFor();
    await becomes(TEST_SITE.barrier, 'opened');
    await barrier.getByText('Open', { exact: true }).first().waitFor();
    await check(`local-gates-${look}-${colorScheme}`, SUNLIT);
    // The key that led to the question does nothing more.
    await press(page, 'Close: Entry barrier');
    await dialog(page).getByText('Look whether the way is clear').waitFor();
    await check(`local-close-${look}-${colorScheme}`, SUNLIT);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'hidden' });
    expect(await stateOf(TEST_SITE.barrier)).toBe('opened');
    await press(page, 'Close: Entry barrier');
    await dialog(page).getByRole('button', { name: 'Close', exact: true }).click();
    await barrier.getByRole('status').getByText('Close: Entry barrier: done.').waitFor();
    await becomes(TEST_SITE.barrier, 'closed');
    for (const [name, heading] of [
      ['Places', 'Guidance'],
      ['Health', 'Doctor'],
      ['Service', 'Log'],
    ] as const) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      await check(`local-${name.toLowerCase()}-${look}-${colorScheme}`, SUNLIT);
    }
  });

  it('shows what cameras read and why it was decided so, and lets in whom they could not read', async () => {
    const { page, check } = await enter({ viewport: PHONE });
    const hostile = '<SCRIPT>';
    await world.arrive(TEST_SITE.memberPlate);
    const camera = card(page, 'Entry camera');
    await camera.getByText(TEST_SITE.memberPlate, { exact: true }).waitFor();
    await camera.getByText('Let in: the plate is a member’s or bound to the gate.').waitFor();
    await picturesLoaded(page, '.last-read img', 1);
    await becomes(TEST_SITE.barrier, 'opened');
    await world.call('POST', '/v2/products/1/state', { body: { operation: 'close' } });
    await becomes(TEST_SITE.barrier, 'closed');
    await world.arrive('unknown');
    const waiting = page.locator('article.sighting').first();
    await waiting.getByText(/^A vehicle at Entry camera/).waitFor();
    await waiting.scrollIntoViewIfNeeded();
    await picturesLoaded(page, 'article.sighting img', 1);
    await check('local-sighting', SUNLIT);
    await waiting.getByRole('button', { name: /^Let in: Entry camera/ }).click();
    await waiting.getByRole('status').getByText('Let in: Entry barrier opens.').waitFor();
    // Whoever looks sees that it is done, in another tab and in the cloud, too.
    await waiting.getByText(/^Let in by Entrance Pi at /).waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    const sightings = () =>
      world.api<{ data: { handled_by: string | null; handled_how: string | null }[] }>('/v2/sightings');
    await expect
      .poll(async () => (await sightings()).body.data[0])
      .toMatchObject({ handled_by: 'Entrance Pi', handled_how: 'let_in' });
    await becomes(TEST_SITE.barrier, 'opened');
    await world.leave(hostile);
    // Whatever the plate became on its way, it stands there as text.
    const exit = page.getByRole('article', { name: 'Exit camera', exact: true });
    await expect.poll(() => exit.locator('.plate').innerText()).toMatch(/SCRIPT/);
    // It was refused: why stands there, and the button that lets it out, once.
    const refused = page.getByRole('article', { name: '<SCRIPT> at Exit camera' });
    await refused.getByText('Refused: no entry of it is known.').waitFor();
    await refused.scrollIntoViewIfNeeded();
    await check('local-refused', SUNLIT);
    await refused.getByText('Why', { exact: true }).click();
    const rules = refused.getByRole('list', { name: 'The rules, in their order' });
    await rules.getByText('No stay in the lot has this plate or one that looks like it.').waitFor();
    expect(await rules.getByText('refused', { exact: true }).count()).toBe(1);
    expect(await rules.innerText()).not.toMatch(/undefined|null|NaN|\[object/);
    await rules.scrollIntoViewIfNeeded();
    await check('local-refused-why', SUNLIT);
    await refused.getByRole('button', { name: /^Let out: Exit camera/ }).click();
    await refused.getByText(/^Let out by Entrance Pi at /).waitFor();
    expect(await page.locator('main script, main img[onerror]').count()).toBe(0);
    await card(page, GATE_NAME).waitFor();
    await check('local-cameras', SUNLIT);
  });

  it('shows what a camera sent and nobody understood as text', async () => {
    const body = `<EventNotificationAlert>${ATTACK}<script>alert(1)</script></EventNotificationAlert>`;
    const address = `${world.agentUrl}/lpr/hikvision/${TEST_SITE.entryCamera}/entry-push-key`;
    await fetch(address, { method: 'POST', headers: { 'content-type': 'application/xml' }, body });
    await expect.poll(() => readdirSync(join(world.dataDir, 'agent', 'quarantine')).length).toBeGreaterThan(1);
    const { page, check } = await enter();
    await page.getByRole('link', { name: 'Service' }).click();
    await page
      .getByRole('button', { name: /^Show: Entry camera/ })
      .first()
      .click();
    await page.locator('pre').getByText('<script>alert(1)</script>').waitFor();
    await check('local-refused-push', SUNLIT);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    expect(file.suggestedFilename()).toMatch(/^support-Entrance-Pi-\d{4}-\d\d-\d\d\.json$/);
  });

  it('goes on without the cloud: it opens everything, holds it, and ends that', async () => {
    const { page, check } = await enter({ viewport: PHONE, colorScheme: 'dark' });
    await world.stopCloud();
    await page.getByText('Entrance Pi works alone, without the cloud.').waitFor();
    await press(page, 'Open everything');
    await dialog(page).getByText('All 2 barriers and gates open and stay open.').waitFor();
    await check('local-release', SUNLIT);
    await press(page, 'Open everything now');
    await page.getByRole('status').getByText('All 2 done.').waitFor();
    await becomes(TEST_SITE.gate, 'opened');
    await page.getByText(/^Held open: Entry barrier, Exit gate/).waitFor();
    await check('local-held', SUNLIT);
    await press(page, 'Back to normal');
    await dialog(page).getByRole('button', { name: 'Back to normal' }).click();
    await page.getByText('Nothing is held open any more.').waitFor();
    await page.getByText(/^Held open:/).waitFor({ state: 'detached' });
    await world.startCloud();
    await page.getByText('Entrance Pi works alone, without the cloud.').waitFor({ state: 'detached' });
  });

  it('has an emergency that began at the page stand in the console of the cloud, which ends it', async () => {
    const { page } = await enter({ viewport: PHONE });
    await press(page, 'Open everything');
    await press(page, 'Open everything now');
    await page.getByRole('status').getByText('All 2 done.').waitFor();
    const console = await started.open();
    const band = console.page.getByRole('region', { name: 'Held open in an emergency' });
    await band.getByText(/Somebody at the gateway Entrance Pi opened everything: held open since \d+:\d+/).waitFor();
    await band.getByText('and so does “Back to normal” at the page of the gateway').waitFor();
    await console.check('emergency-from-gateway');
    await band.getByRole('button', { name: /^Back to normal/ }).click();
    await dialog(console.page).getByRole('button', { name: 'Back to normal' }).click();
    await page.getByText(/^Held open:/).waitFor({ state: 'detached' });
    await console.page.getByText(/^Emergency in North/).waitFor({ state: 'detached' });
  });

  it('says when the gateway itself does not answer, sends nothing later, and comes back by itself', async () => {
    const { page, context, check } = await enter();
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
    const before = await stateOf(TEST_SITE.barrier);
    await context.setOffline(true);
    await page.getByText(/^The gateway has not answered since/).waitFor();
    await press(page, 'Open: Entry barrier');
    await page.getByText(/This device has no network: nothing was sent\./).waitFor();
    await check('local-lost', SUNLIT);
    await context.setOffline(false);
    await page.getByText(/^The gateway has not answered since/).waitFor({ state: 'detached' });
    expect(posts).toEqual([]);
    expect(await stateOf(TEST_SITE.barrier)).toBe(before);
  });

  it('speaks the language of the browser, and another one when that is chosen, also after a reload', async () => {
    const { page, check } = await enter({ locale: 'hr-HR', viewport: PHONE });
    await page.getByRole('link', { name: 'Rampe' }).waitFor();
    await page.getByRole('combobox', { name: 'Jezik' }).selectOption('de');
    await page.getByRole('link', { name: 'Tore' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Tore' }).waitFor();
    await check('local-german', SUNLIT);
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Anmelden: Entrance Pi' }).waitFor();
  });
});
