import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VIEW_PATHS } from '../../cloud/console/console-paths.js';
import { hasChromium } from '../browser/chromium.js';
import { CUT_OFF, DESKTOP, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

/** Held upright. */
const TABLET = { width: 820, height: 1180 };
/** What stands in tabs and editors, beside what each address shows at first. */
const INSIDE_VIEWS = [
  ...['signal', 'cameras', 'sensors', 'terminals'].map((show) => `/devices?show=${show}`),
  ...['groups', 'import'].map((show) => `/members?show=${show}`),
  ...['members', 'tariffs', 'alerts', 'displays'].map((view) => `/${view}?edit=new`),
  ...['zone', 'product', 'lpr_camera', 'parking_place'].map((thing) => `/lots/1?edit=${thing}`),
  '/lots/1?show=plan',
  '/sessions?status=open',
];

const MENU_CUT = `[...document.querySelectorAll('.bar nav')].map((menu) => menu.scrollWidth - menu.clientWidth)`;

describe.skipIf(!hasChromium())('the console: its language', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld();
    const { world } = started;
    for (const plate of [TEST_SITE.memberPlate, 'ZG999XX'])
      await world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate });
    const stateNow = async () => (await world.sim<{ state: string }>('GET', `/products/${TEST_SITE.barrier}`)).state;
    const until = (state: string) => vi.waitFor(async () => expect(await stateNow()).toBe(state), { timeout: 30_000 });
    await until('opened');
    await world.call('POST', '/v2/products/1/state', { body: { operation: 'close' } });
    await until('closed');
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
    const paths = [...Object.values(VIEW_PATHS).map((path) => path.replace('{id}', '1')), ...INSIDE_VIEWS];
    for (const path of paths) {
      await goTo(path);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      await page.getByText(/^Betöltés/).waitFor({ state: 'hidden' });
      await check(`hu-${device}${path.replaceAll(/\W+/g, '-')}`);
      expect(await page.evaluate<string[]>(CUT_OFF), path).toEqual([]);
      // The page of a lost password and the kiosk have no menu.
      const hasMenu = !['/reset', '/kiosk'].some((bare) => path.startsWith(bare));
      expect(await page.evaluate<number[]>(MENU_CUT), path).toEqual(hasMenu ? [0] : []);
    }
    expect(await page.evaluate<unknown>(`document.documentElement.lang`)).toBe('hu');
  });
});
