/** A person's sign-in and profile, in Chromium: several devices, a forgotten password, the look. */
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { PHONE, until } from '../browser/console-page.js';
import { type ConsoleWorld, GUARD, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { type MailServer, startMailServer } from '../world/mail-server.js';

const DESK = { width: 1440, height: 900 };
const GROUND = `getComputedStyle(document.body).backgroundColor`;
const LIGHT = 'rgb(244, 245, 242)';
const DARK = 'rgb(16, 21, 26)';

describe.skipIf(!hasChromium())('the console: a person’s own sign-in', () => {
  let started: ConsoleWorld;
  let server: MailServer;

  beforeAll(async () => {
    server = await startMailServer();
    started = await startConsoleWorld({
      cloudEnv: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'Parking <parking@harbour.example>' },
    });
  });
  afterEach(() => started?.closePages());
  afterAll(async () => {
    await started?.close();
    await server?.close();
  });

  it('is on several devices at once, and ends on each from another one', async () => {
    const desk = await started.open({ viewport: DESK });
    const phone = await started.open({ viewport: PHONE, colorScheme: 'dark', locale: 'de-DE' });
    const tablet = await started.open({ viewport: PHONE });
    await desk.goTo('/profile');
    const card = desk.page.locator('.sign-ins');
    await card.getByText('this one').waitFor();
    expect(await card.locator('li').count()).toBeGreaterThanOrEqual(3);
    await desk.check('profile-desk-light');
    await phone.goTo('/profile');
    await phone.page.getByRole('heading', { name: 'Wo Sie angemeldet sind' }).waitFor();
    await phone.page.locator('.sign-ins li').first().waitFor();
    await phone.page.locator('.sign-ins').scrollIntoViewIfNeeded();
    await phone.check('profile-phone-dark');

    // The newest but one that is not this one is the phone's.
    await card
      .locator('li')
      .nth(1)
      .getByRole('button', { name: /Sign out/ })
      .click();
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await card.getByText('One sign-in is ended.').waitFor();
    await phone.page.getByText('wurde anderswo beendet').waitFor();
    await tablet.page.getByRole('button', { name: 'Sign out' }).waitFor();

    await desk.page.getByRole('button', { name: /Sign out everywhere else/ }).click();
    await desk.check('sign-out-everywhere-else');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
    await card.getByText(/ended\.$/).waitFor();
    await tablet.page.getByText('it was ended from somewhere else').waitFor();
    await expect.poll(() => card.locator('li').count()).toBe(1);
  });

  it('is found again by mail when the password is forgotten', async () => {
    const { page, goTo, signIn, check } = await started.open({ viewport: PHONE }, null);
    await page.getByLabel('E-mail').fill(GUARD.email);
    await check('sign-in-phone-light');
    await page.getByRole('button', { name: 'Forgotten?' }).click();
    await page.getByRole('heading', { name: 'A new password by mail' }).waitFor();
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('a mail with a link is on its way').waitFor();
    await check('forgotten-phone-light');
    await expect.poll(() => server.received.length, { timeout: 30_000 }).toBe(1);
    const text = server.received[0]?.parsed.text ?? '';
    expect(server.received[0]?.parsed.subject).toBe('A new password for Harbour Parking');
    const [, link = ''] = /(\/reset#\S+)/.exec(text) ?? [];

    await goTo(link);
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill('short');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Use at least 10 characters').last().waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill('password1234');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.locator('.fault').waitFor();
    await check('new-password-phone-light');
    await page.getByRole('textbox', { name: 'New password' }).fill('a phrase that is new');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your new password is set.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn({ ...GUARD, password: 'a phrase that is new' });

    // The link works once.
    const again = await started.open({ viewport: DESK, colorScheme: 'dark' }, null);
    await again.goTo(link);
    await again.page.getByRole('textbox', { name: 'New password' }).fill('a third phrase here');
    await again.page.getByRole('button', { name: 'Set the password' }).click();
    await again.page.getByText('This link was used, or has ended.').waitFor();
    await again.check('used-link-desk-dark');
    await again.page.getByRole('button', { name: 'Ask for a new link' }).click();
    await again.page.getByRole('heading', { name: 'A new password by mail' }).waitFor();
    await again.goTo('/profile');
    await again.goTo('/reset');
    await again.page.getByText('This link is not whole.').waitFor();
  });

  it('has the look that a person chose, before the first paint, also for the next sign-in', async () => {
    const { page, goTo, signIn, check } = await started.open({ viewport: DESK, colorScheme: 'light' }, OWNER);
    await goTo('/profile');
    await page.getByLabel('Look').selectOption({ label: 'Dark' });
    await until(page, `${GROUND} === '${DARK}'`);
    await check('profile-chosen-dark');
    await page.goto(`${started.world.cloudUrl}/`, { waitUntil: 'commit' });
    await until(page, `document.body !== null && ${GROUND} === '${DARK}'`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(GROUND)).toBe(DARK);
    await check('sign-in-chosen-dark');
    await signIn(OWNER);
    await goTo('/analytics');
    await page.locator('.plot canvas').first().waitFor();
    await check('plots-chosen-dark');
    await goTo('/profile');
    await page.getByLabel('Look').selectOption({ label: 'As this device has it' });
    await until(page, `${GROUND} === '${LIGHT}'`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(page, `${GROUND} === '${DARK}'`);
    await page.getByLabel('Look').selectOption({ label: 'Light' });
    await until(page, `${GROUND} === '${LIGHT}'`);
    await goTo('/analytics');
    await page.locator('.plot canvas').first().waitFor();
    await check('plots-chosen-light');
  });

  it('shows the account to guests and users as it wants to be seen', async () => {
    const { page, goTo, check } = await started.open({ viewport: DESK });
    await goTo('/users');
    await page.getByLabel('Name for guests').fill('Harbour Garage');
    await page.getByLabel('Whom guests ask').fill('Ana at the desk');
    await page.getByLabel('E-mail for questions').fill('nobody');
    await page.getByLabel('A colour of our own').check();
    await page.getByLabel('Colour', { exact: true }).fill('#ffcc00');
    await page.getByText(/^Shown as #[0-9a-f]{6}: on light ground/).waitFor();
    const card = page.locator('form', { hasText: 'How the account shows itself' });
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('nobody is no e-mail address').waitFor();
    await page.getByLabel('E-mail for questions').fill('desk@harbour.example');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It is shown from now on.').waitFor();
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByText('This is no PNG, JPEG or WebP picture.').waitFor();
    await chooser.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
    await page.getByText('This is no PNG, JPEG or WebP picture.').waitFor();
    const background = { r: 0, g: 90, b: 160, alpha: 1 };
    const buffer = await sharp({ create: { width: 1_200, height: 600, channels: 4, background } })
      .png()
      .toBuffer();
    await chooser.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await page.getByText('The logo is shown from now on.').waitFor();
    await until(page, `document.querySelector('header.bar img')?.naturalWidth > 0`);
    await page.locator('header.bar').getByText('Harbour Garage').waitFor();
    await check('face-desk-light');

    const link = await started.world.call<{ data: { url: string } }>('POST', '/v2/weblinks', {
      body: { product_id: 1, start_time: new Date().toISOString() },
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      const guest = await started.open({ viewport: PHONE, colorScheme }, null);
      await guest.page.goto(link.body.data.url);
      await guest.page.getByText('Harbour Garage').first().waitFor();
      await guest.page.getByText('desk@harbour.example').waitFor();
      await until(guest.page, `[...document.images].some((each) => each.naturalWidth > 0)`);
      await guest.check(`face-guest-${colorScheme}`);
    }

    const phone = await started.open({ viewport: PHONE, colorScheme: 'dark', locale: 'hu-HU' });
    await phone.goTo('/users');
    await phone.page.getByRole('heading', { name: 'Hogyan jelenik meg a fiók' }).waitFor();
    await phone.check('face-phone-dark');
    await goTo('/users');
    await page.getByRole('button', { name: /^Remove the logo/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the logo' }).click();
    await page.getByText('The logo is removed.').waitFor();
    expect(await page.locator('header.bar img').count()).toBeLessThan(2);
  });
});
