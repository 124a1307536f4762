import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE, picturesLoaded, until } from '../browser/console-page.js';
import { ATTACK, type ConsoleWorld, GUARD, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

describe.skipIf(!hasChromium())('the console: vehicles, stays and keys', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({
      alterSite: (yaml) => yaml.replace('tariffs: [Public]', 'tariffs: []'),
    });
    ({ world } = started);
  });
  afterAll(() => started?.close());
  afterEach(() => started.closePages());

  const open: ConsoleWorld['open'] = (...asked) => started.open(...asked);
  const drive = (camera: string, plate: string) => world.sim('POST', `/cameras/${camera}/read`, { plate });
  const moves = async () => (await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`)).moves;

  it('shows a vehicle as it comes, says why it was refused, and lets it in by keyboard', async () => {
    const { page, check } = await open();
    await page.getByRole('link', { name: 'Vehicles' }).click();
    await page.getByText('No vehicle yet.').waitFor();
    await check('live-empty');
    await drive(TEST_SITE.entryCamera, 'ZG999XX');
    await page.getByText('Refused: it is no member’s, and the zone has no tariff for others.').waitFor();
    await drive(TEST_SITE.entryCamera, TEST_SITE.memberPlate);
    await page.getByText('Let in: the plate is a member’s').waitFor();
    await picturesLoaded(page, '.reading img', 2);
    await check('live-desktop');
    await expect.poll(moves).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'Picture of ZG999XX' }).waitFor();
    expect(new URL(page.url()).searchParams.get('reading')).not.toBeNull();
    await page.keyboard.press('o');
    await page.getByRole('dialog', { name: 'Let in once: ZG999XX' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText(/^Open: done/).waitFor();
    await check('live-opened');
    await page.getByRole('button', { name: /^Refused/ }).click();
    await page.getByText(TEST_SITE.memberPlate).waitFor({ state: 'detached' });
    await page.getByText('Nobody waits: every refused vehicle is dealt with.').waitFor();
  });

  it('shows a vehicle without a plate by itself, and lets it in by one press', async () => {
    const { page, goTo, check } = await open();
    await goTo('/live');
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    const { state } = await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.barrier}`);
    if (state === 'opened') await world.call('POST', '/v2/products/1/state', { body: { operation: 'close' } });
    await expect
      .poll(async () => (await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.barrier}`)).state)
      .toBe('closed');
    const before = await moves();
    await drive(TEST_SITE.entryCamera, 'unknown');
    const card = page.locator('.sightings > li');
    await card.getByText(/^A vehicle at Entry camera, its plate could not be read/).waitFor();
    await picturesLoaded(page, '.sightings img', 1);
    await card.scrollIntoViewIfNeeded();
    await check('live-sighting');
    await card.getByRole('button', { name: /^Let in once: A vehicle at Entry camera/ }).click();
    await card.getByText(/^Let in by .+ at .+\.$/).waitFor();
    expect(await card.getByRole('button', { name: /^Let in once/ }).count()).toBe(0);
    await card.scrollIntoViewIfNeeded();
    await check('live-sighting-opened');
    expect(await moves()).toBe(before + 1);
    const kept = await world.api<{ data: { details: { values?: object } }[] }>(
      '/v2/audit-log?filter=action:eq:product.state&size=1',
    );
    expect(kept.body.data[0]?.details.values).toMatchObject({ operation: 'open', reason: 'Plate not readable' });
  });

  it('shows refused vehicles and a reading by its link though many have come since, and renews ended pictures', async () => {
    await drive(TEST_SITE.entryCamera, 'RI500KK');
    const { page, goTo, check } = await open();
    const none = { data: [], meta: { total: 0, next_page_url: null, prev_page_url: null } };
    await page.route(
      ({ pathname, searchParams }) => pathname === '/v2/plate-readings' && !searchParams.has('filter'),
      (route) => route.fulfill({ json: none }),
    );
    await goTo('/live?reading=2');
    await page.getByRole('heading', { name: 'An earlier vehicle, by its link' }).waitFor();
    await page.getByRole('img', { name: `Picture of ${TEST_SITE.memberPlate}` }).waitFor();
    await check('live-older-reading');
    // Its links have ended when the queue is shown.
    await page.route(
      ({ pathname, searchParams }) =>
        pathname === '/v2/plate-readings' && searchParams.getAll('filter').includes('access_decision:eq:denied'),
      async (route) => {
        const answer = await route.fetch();
        await route.fulfill({
          body: (await answer.text()).replaceAll(/expires=\d+/g, 'expires=1000'),
          response: answer,
        });
      },
    );
    await goTo('/live?show=refused');
    const row = page.locator('.reading', { hasText: 'RI500KK' });
    await row.getByRole('button', { name: 'Let in once: RI500KK' }).waitFor();
    // Somebody has let it in before.
    expect(await page.locator('.reading', { hasText: 'ZG999XX' }).count()).toBe(0);
    await until(page, `document.querySelector('.reading img')?.naturalWidth > 0`);
  });

  it('tells times by the clocks of the lot', async () => {
    const { page, goTo, check } = await open({ timezoneId: 'America/New_York' });
    await goTo('/live');
    const facts = page.locator('.reading .moment span').first();
    await facts.waitFor();
    expect(await facts.innerText()).toMatch(/^\d\d:\d\d:\d\d (CES?T|GMT\+\d)$/);
    await page.locator('.reading .row-open').first().click();
    await page.getByText(/^Decided by Entrance Pi at .* (CES?T|GMT\+\d)/).waitFor();
    await check('live-other-zone');
    // What is typed is by the same clocks.
    await goTo('/inside');
    await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).click();
    await page.getByRole('button', { name: 'End at another time' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Empty: now. By the clocks of the lot (Europe/Zagreb).').waitFor();
    await dialog.getByLabel('Left at').fill('2025-07-01T08:00');
    await dialog.getByText('Show the REST call').click();
    await dialog.getByText('{"ended_at":"2025-07-01T06:00:00.000Z"}').waitFor();
    await dialog.getByRole('button', { name: 'End the stay' }).click();
    await dialog.getByText('Choose a time between its beginning and now.').waitFor();
    await check('inside-other-zone');
    await goTo('/keys');
    const link = page.getByRole('form', { name: 'Make a link' });
    await link.getByLabel('Until').fill('2031-12-01T08:00');
    await link.getByText('Show the REST call').click();
    await link.getByText('"end_time":"2031-12-01T07:00:00.000Z"').waitFor();
    await check('keys-other-zone');
  });

  it('corrects a plate, says what is wrong with it, and keeps what was typed over a reload', async () => {
    const { page, goTo, check } = await open();
    await goTo('/live');
    await page.getByRole('button', { name: 'Details of ZG999XX' }).click();
    const field = page.getByLabel('Correct the plate').last();
    await field.fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Please fill in this field.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('---');
    await page.getByText('“---” is no plate: it needs letters or digits.').waitFor();
    await check('live-correct-fault');
    await field.fill('ZG998XX');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('ZG998XX');
    await page.locator('.below').getByText('Show the REST call').first().click();
    await page.getByText(`-d '{"plate":"ZG998XX"}'`).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Read as ZG999XX').waitFor();
    await page.getByText('ZG998XX').first().waitFor();
    await check('live-corrected');
  });

  it.each([
    ['phone', PHONE, 'dark'],
    ['desktop', DESKTOP, 'light'],
  ] as const)('tells who is inside and finds stays: %s %j %s', async (device, viewport, colorScheme) => {
    const { page, goTo, check } = await open({ viewport, colorScheme });
    await goTo('/inside');
    await page.getByText('One vehicle is inside.').waitFor();
    await check(`inside-${device}`);
    await goTo('/sessions?plate=zg1234&status=open');
    await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).click();
    await page.getByRole('img', { name: `Entry: ${TEST_SITE.memberPlate}` }).waitFor();
    await check(`session-${device}`);
    await page.getByLabel('Plate').fill('nobody');
    await page.getByText('No session fits.').waitFor();
    expect(new URL(page.url()).searchParams.get('plate')).toBe('nobody');
    await goTo('/live');
    await page.getByText('Let in').first().waitFor();
    await check(`live-${device}`);
  });

  it('grants free minutes and ends a stay after a question', async () => {
    const { page, goTo } = await open();
    await goTo('/inside');
    await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).click();
    await page.getByLabel('Free minutes', { exact: true }).fill('30');
    await page.getByRole('button', { name: 'Grant' }).click();
    const discount = async () =>
      (await world.api<{ data: { discount_time: number | null; ended_at: string | null }[] }>('/v2/sessions')).body
        .data[0];
    await expect.poll(async () => (await discount())?.discount_time).toBe(30);
    await page.getByRole('button', { name: 'End the stay' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the stay' }).click();
    await page.getByText('0 vehicles are inside.').waitFor();
    expect((await discount())?.ended_at).not.toBeNull();
  });

  it('gives a key, says at the field what is wrong, loses nothing that was typed, and blocks it', async () => {
    const { page, goTo, check } = await open();
    await goTo('/keys');
    await page.getByLabel('E-mail addresses').fill('mia');
    await page.getByRole('button', { name: 'Send the keys' }).click();
    await page.getByText('mia is no e-mail address.').waitFor();
    await page.getByText('Choose at least one barrier or gate.').waitFor();
    await check('keys-faults');
    await page.getByLabel('E-mail addresses').fill('mia@example.com');
    await page.getByLabel('Entry barrier').check();
    // The same person signs in somewhere else in the middle of it.
    await world.call('POST', '/v2/auth/login', { body: OWNER });
    await page.getByText('it was ended from somewhere else').waitFor();
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByLabel('E-mail').fill(OWNER.email);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByLabel('E-mail addresses').inputValue()).toBe('mia@example.com');
    expect(await page.getByLabel('Entry barrier').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Send the keys' }).click();
    await page.getByText('Sent to mia@example.com.').waitFor();
    await page.getByText('not used yet').waitFor();
    await check('keys');
    await page.getByRole('button', { name: 'Block: mia@example.com' }).click();
    await page.getByRole('button', { name: 'Unblock: mia@example.com' }).waitFor();
    await page.getByLabel('For whom').fill('Courier');
    await page.getByRole('button', { name: 'Make a link' }).click();
    const code = page.getByRole('img', { name: 'QR code of the link Courier' });
    await code.waitFor();
    await until(page, `document.querySelector('img.qr')?.naturalWidth > 0`);
    expect(await page.locator('.made code').innerText()).toMatch(/\/weblinks\/[\w-]+#/);
    await code.scrollIntoViewIfNeeded();
    await check('keys-link');
    await page.getByRole('button', { name: 'Revoke: Courier' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke: Courier' }).waitFor({ state: 'detached' });
  });

  it('shows an attendant nothing that an attendant may not do', async () => {
    const { page, goTo } = await open({}, GUARD);
    await page.getByText('Attendant').waitFor();
    const namesIn = (menu: string) => page.getByRole('navigation', { name: menu }).getByRole('link').allInnerTexts();
    expect(await namesIn('Views')).toEqual(['Overview', 'Vehicles', 'Devices', 'Account']);
    await page.getByRole('link', { name: 'Vehicles' }).click();
    expect(await namesIn('Vehicles')).toEqual([
      'Live',
      'Inside now',
      'Sessions',
      'Openings',
      'All reads',
      'Analytics',
      'Ask',
    ]);
    await goTo('/keys');
    await page.getByText('Your role does not allow this.').waitFor();
  });

  it('shows hostile names and plates as text, in every view', async () => {
    for (const [path, body] of [
      ['/v2/products/1', { name: ATTACK }],
      ['/v2/lots/1', { name: ATTACK, address: ATTACK }],
      ['/v2/zones/1', { name: ATTACK }],
      ['/v2/plate-readings/1', { make: ATTACK, model: ATTACK }],
    ] as const)
      await world.call('PATCH', path, { body, statuses: [200, 422] });
    const { page, goTo, check } = await open();
    await page.getByRole('heading', { name: ATTACK }).waitFor();
    for (const path of [
      '/',
      '/lots/1',
      '/live?reading=1',
      '/inside',
      '/sessions?plate=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
      '/keys',
    ]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.locator('img[src="x"]').count(), path).toBe(0);
      await check(`hostile${path.replaceAll(/\W/g, '-').slice(0, 12)}`);
    }
  });
});
