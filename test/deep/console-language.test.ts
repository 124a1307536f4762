import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';

describe.skipIf(!hasChromium())('the console: its language', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld();
  });
  afterAll(() => started?.close());

  it('is chosen in the profile, stays over a sign-out and before the next sign-in, and is given back', async () => {
    const { page, goTo, signIn, check } = await started.open();
    await goTo('/profile');
    await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { level: 1, name: 'Profil' }).waitFor();
    await check('profile-german');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await signIn(OWNER);
    await page.getByRole('heading', { level: 1, name: 'Profil' }).waitFor();
    await page.getByLabel('Sprache').selectOption({ label: 'Wie dieser Browser' });
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    expect(await page.evaluate<unknown>(`document.documentElement.lang`)).toBe('en');
  });
});
