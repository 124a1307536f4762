import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, GUARD, LOOKS, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

/** What is left of `ZG1234AB`. */
const MASKED = 'ZG•••AB';
const VIEWS = [
  '/live',
  '/live?reading=1',
  '/live?show=refused',
  '/inside',
  '/sessions?session=1',
  '/members',
  '/members?edit=1',
  '/members?show=groups',
  '/alerts',
  '/alerts?edit=1',
  '/keys',
  '/lots/1?show=plan&at=lpr_camera-1',
  '/devices?show=cameras',
  '/audit',
  '/ask?lot=1',
  '/analytics',
  '/openings?opening=1',
  '/reads?reading=1',
];

describe.skipIf(!hasChromium())('the console: masked plates', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld({
      cloudEnv: { RATE_LOGIN_FAILURES_PER_MIN: '0' },
      alterSite: (yaml) =>
        yaml.replace('    groups:', '      - {name: Mira, license_plate: ZG1Z34AB, groups: [Residents]}\n    groups:'),
    });
    ({ world } = started);
    await world.arrive(TEST_SITE.memberPlate);
    const made = async (path: string, body: object) =>
      expect((await world.call('POST', path, { body })).status).toBe(200);
    await made('/v2/license-plate-alerts', {
      name: 'Wanted',
      plates: [TEST_SITE.memberPlate],
      receivers: [{ name: 'Desk', receiver_email: 'desk@harbour.example' }],
    });
    await made('/v2/key-logs', {
      product_id: 1,
      name: 'Guest',
      receiver_identifier: TEST_SITE.memberPlate,
      receiver_identifier_type: 'license_plate',
      start_time: new Date().toISOString(),
    });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const isThere = `document.documentElement.outerHTML.includes('${TEST_SITE.memberPlate}')`;
  const entries = async (action: string) =>
    (
      await world.api<{ data: { action: string; target: string; actor_type: string }[] }>(
        `/v2/audit-log?filter=action:eq:${action}`,
      )
    ).body.data.map(({ target }) => target);

  it('are settled by a Super Admin, and then in no view', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/live');
    await page.getByText(TEST_SITE.memberPlate).first().waitFor();
    await page.locator('.reading img').waitFor();
    expect(await page.locator('.veiled').count()).toBe(0);
    await goTo('/users');
    await page.getByLabel('Mask plates').click();
    await page.getByText('Plates are masked from now on.').waitFor();
    expect(await page.getByLabel('Mask plates').isChecked()).toBe(true);
    await check('masks-setting');
    for (const path of VIEWS) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (!/edit=|refused|ask|groups|analytics|plan|audit/.test(path)) await page.getByText(MASKED).first().waitFor();
      // What is read later than the view itself is there as well.
      await page.waitForLoadState('networkidle');
      expect([path, await page.evaluate(isThere)]).toEqual([path, false]);
      await check(`masks${path.replaceAll(/\W/g, '-')}`);
    }
  });

  it.each(LOOKS)(
    'are shown to a guard who asks, here and everywhere, and that is known: %s %j %s',
    async (device, viewport, colorScheme) => {
      const before = await entries('session.reveal');
      const { page, goTo, check } = await started.open({ viewport, colorScheme }, GUARD);
      await goTo('/inside');
      await page.getByRole('button', { name: `Details of ${MASKED}` }).click();
      await page.locator('.pictures img.veiled').waitFor();
      await check(`masks-asked-${device}-${colorScheme}`);
      await page.getByRole('button', { name: `Show the plate: ${MASKED}` }).click();
      await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).waitFor();
      expect(await page.locator('.veiled').count()).toBe(0);
      await page.getByRole('link', { name: 'Live' }).click();
      await page.getByText(TEST_SITE.memberPlate).first().waitFor();
      await check(`masks-shown-${device}-${colorScheme}`);
      expect(await entries('session.reveal')).toEqual(['session 1', ...before]);
      // The next one at this desk asks anew.
      await page.reload();
      await page.getByText(MASKED).first().waitFor();
    },
  );

  it('are all shown at once on the list for an emergency', async () => {
    const { page, goTo } = await started.open({}, GUARD);
    await goTo('/inside');
    await page.getByRole('button', { name: 'Show all plates' }).click();
    await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).waitFor();
    await page.getByRole('button', { name: 'Show all plates' }).waitFor({ state: 'detached' });
    expect(await entries('lot.reveal')).toEqual(['lot 1']);
  });

  it('are corrected by who has asked for them', async () => {
    const { page, goTo } = await started.open();
    await goTo('/members?edit=1');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Plate', { exact: true }).count()).toBe(0);
    await dialog.getByRole('button', { name: `Show the plate: ${MASKED}` }).click();
    expect(await dialog.getByLabel('Plate', { exact: true }).inputValue()).toBe(TEST_SITE.memberPlate);
    await goTo('/live?reading=1');
    await page.getByRole('button', { name: `Show the plate: ${MASKED}` }).click();
    expect(await page.getByLabel('Correct the plate').last().inputValue()).toBe(TEST_SITE.memberPlate);
    expect([await entries('member.reveal'), await entries('plate_reading.reveal')]).toEqual([
      ['member 1'],
      ['plate reading 1'],
    ]);
  });
});
