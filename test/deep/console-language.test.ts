import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIEW_PATHS } from '../../cloud/console/console-paths.js';
import { hasChromium } from '../browser/chromium.js';
import { CUT_OFF, DESKTOP, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

/** Held upright. */
const TABLET = { width: 820, height: 1180 };

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

  // Its words are the longest, beside the German ones.
  it.each([
    ['phone', PHONE, 'light'],
    ['tablet', TABLET, 'dark'],
    ['desk', DESKTOP, 'light'],
  ] as const)('fits in Hungarian, in every view: %s', { timeout: 240_000 }, async (device, viewport, colorScheme) => {
    const { page, goTo, check } = await started.open({ locale: 'hu-HU', viewport, colorScheme });
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: TEST_SITE.memberPlate });
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG999XX' });
    for (const [view, path] of Object.entries(VIEW_PATHS)) {
      await goTo(path.replace('{id}', '1'));
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      await page.getByText(/^Betöltés/).waitFor({ state: 'hidden' });
      await check(`hu-${device}-${view}`);
      expect(await page.evaluate<string[]>(CUT_OFF), view).toEqual([]);
    }
    expect(await page.evaluate<unknown>(`document.documentElement.lang`)).toBe('hu');
  });
});
