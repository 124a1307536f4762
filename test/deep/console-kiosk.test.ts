/** A screen on a wall: read from afar, nothing to press, and true also when the network was gone. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { WALL } from '../browser/console-page.js';
import { type ConsoleWorld, GUARD, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { freePorts } from '../world/free-ports.js';
import { TEST_SITE } from '../world/site.js';
import { startTcpRelay } from '../world/tcp-relay.js';

const HD = { width: 1920, height: 1080 };
const TABLET = { width: 1024, height: 768 };
const LOOKS = [
  ['hd', HD, 'light'],
  ['4k', WALL, 'dark'],
  ['tablet', TABLET, 'dark'],
  ['upright', { width: 768, height: 1024 }, 'light'],
] as const;
/** What holds at the wall is read from three metres: a thirtieth of the height of the screen, or less on a tablet in a hand. */
const TEXT_PARTS_MAX = 45;

describe.skipIf(!hasChromium())("the console's wall screen", () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld({
      alterSite: (yaml) =>
        `${yaml.replace('tariffs: [Public]', 'tariffs: []')}`.replace(
          '    lots:\n      - name: North',
          '    lots:\n      - {name: South, address: Quay 9, timezone: Europe/Zagreb}\n      - name: North',
        ),
    });
    await started.world.settled();
    await started.world.arrive(TEST_SITE.memberPlate);
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG900XX' });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const lotNamed = async (name: string) =>
    (await started.world.api<{ data: { id: number; name: string }[] }>('/v2/lots')).body.data.find(
      (lot) => lot.name === name,
    )?.id ?? 0;

  const mask = async (mask_plates: 0 | 1) => {
    const { email, password } = OWNER;
    const { body } = await started.world.call<{ data: { token: string } }>('POST', '/v2/auth/login', {
      body: { email, password },
    });
    await started.world.call('PATCH', '/v2/account', { body: { mask_plates }, token: body.data.token });
  };

  it.each(LOOKS)('shows one lot and all of them, large enough (%s)', async (what, viewport, colorScheme) => {
    const { page, check, goTo } = await started.open({ viewport, colorScheme }, GUARD);
    const north = await lotNamed('North');
    for (const [path, name] of [
      ['/kiosk', 'All car parks'],
      [`/kiosk?lot=${north}`, 'North'],
    ] as const) {
      await goTo(path);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page
        .getByText(/^\d+ inside$/)
        .first()
        .waitFor();
      await page.getByText('ZG900XX').waitFor();
      expect(await page.locator('button, a, input, select, summary').count()).toBe(0);
      if (viewport.width > viewport.height) {
        expect(await page.evaluate<boolean>('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
        const least = await page.evaluate<number>(
          `Math.min(...[...document.querySelectorAll('.kiosk li, .kiosk p, .kiosk h1')].map((each) => parseFloat(getComputedStyle(each).fontSize)))`,
        );
        expect(viewport.height / least).toBeLessThan(TEXT_PARTS_MAX);
      }
      await check(`kiosk-${what}-${path === '/kiosk' ? 'all' : 'one'}`);
    }
  });

  it('is reached from the overview, left by Escape, and says when a lot is none', async () => {
    const { page, goTo } = await started.open();
    await page.getByRole('link', { name: 'Wall screen' }).click();
    await page.getByRole('heading', { level: 1, name: 'All car parks' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const lot of ['999', 'x']) {
      await goTo(`/kiosk?lot=${lot}`);
      await page.getByText('There is no such car park here').waitFor();
    }
  });

  it('masks plates where the account does, and shows an emergency', async () => {
    await mask(1);
    await started.world.call('POST', `/v2/lots/${await lotNamed('North')}/release`, { body: { hold: 1 } });
    const { page, check, goTo } = await started.open({ viewport: HD, colorScheme: 'dark' });
    await goTo(`/kiosk?lot=${await lotNamed('North')}`);
    await page.getByRole('alert').getByText('Emergency in North.').waitFor();
    await page.locator('.passages li').first().waitFor();
    expect(await page.locator('.passages').innerText()).not.toContain('ZG900XX');
    await check('kiosk-emergency');
    await started.world.call('POST', `/v2/lots/${await lotNamed('North')}/release/clear`, { body: {} });
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 30_000 }).toBe(0);
    await mask(0);
  });

  it('asks for a screen that stays on, says of when it is without a network, and reads again after it', async () => {
    const port = Number(new URL(started.world.cloudUrl).port);
    const [nowhere = 0] = await freePorts(1);
    const relay = await startTcpRelay(port);
    const console = await started.open({ viewport: HD }, null, `http://127.0.0.1:${relay.port}`);
    const { page, goTo, signIn, check } = console;
    await console.context.addInitScript(`(() => {
      window.locks = 0;
      Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => { window.locks += 1; return { released: false, release: async () => undefined }; } } });
    })()`);
    await signIn(OWNER);
    await goTo('/kiosk');
    await page.getByText('ZG900XX').waitFor();
    expect(await page.evaluate('window.locks')).toBe(1);
    relay.leadTo(nowhere);
    await page.getByText(/^No connection: all of this is as of \d+:\d+/).waitFor();
    expect(await page.getByText('Everything works.').count()).toBe(0);
    await check('kiosk-lost');
    await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG955XX' });
    relay.leadTo(port);
    await page.getByText('ZG955XX').waitFor();
    await page.getByText(/^as of \d+:\d+/).waitFor();
    await relay.close();
  });
});
