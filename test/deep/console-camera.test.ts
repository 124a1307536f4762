import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE, picturesLoaded } from '../browser/console-page.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

interface Camera {
  id: number;
  device_id: string;
  lpr_position: string;
}

describe.skipIf(!hasChromium())('the console: a camera is set up to its first read', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld({
      driver: 'process',
      // It stands there, and nobody has set it up yet.
      prepare: async (world) => void (await world.call('DELETE', '/v2/lpr-cameras/1')),
    });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const cameraOf = async () =>
    (await started.world.api<{ data: Camera[] }>('/v2/lpr-cameras?sort=id:desc&size=10')).body.data.find(
      ({ device_id }) => device_id === TEST_SITE.entryCamera,
    );

  const begin = async ({ page, goTo }: ConsolePage) => {
    await goTo('/lots/1');
    await page.getByText('Add to this lot').click();
    await page.getByRole('button', { name: 'New camera' }).click();
    return page.getByRole('dialog');
  };

  it('is found on the network, made, written, and asked which way its first vehicle drove', async () => {
    const shown = await started.open();
    const { page, check } = shown;
    const dialog = await begin(shown);
    await dialog.getByRole('button', { name: 'Find cameras on the network' }).click();
    await dialog.getByText('Set up as Exit camera').waitFor();
    await check('camera-found');
    await dialog.getByRole('button', { name: /^Use it: hikvision Simulated/ }).click();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('hikvision Simulated');
    expect(await dialog.getByLabel('Identifier').inputValue()).toBe(TEST_SITE.entryCamera);
    expect(await dialog.getByLabel('Make').inputValue()).toBe('hikvision');
    await dialog.getByLabel('Name', { exact: true }).fill('North camera');
    // It looks the other way, which the first read shows.
    await dialog.getByLabel('Vehicles drive').selectOption('out');
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByLabel('Password').fill('secret');
    await dialog.getByRole('button', { name: 'Create' }).click();

    await dialog.getByText('North camera is saved.').waitFor();
    await dialog.getByText('Waiting for the first read').waitFor();
    await check('camera-saved');
    await dialog.getByRole('button', { name: 'Show address and key: North camera' }).click();
    await dialog.getByRole('button', { name: 'Make a key: North camera' }).click();
    await dialog.getByText('The camera answers its gateway.').waitFor();
    const host = new URL(started.world.agentUrl).host;
    await dialog.getByText(new RegExp(`^http://${host}/lpr/hikvision/cam-in-1/[0-9a-f]{32}$`)).waitFor();
    await dialog.getByRole('img', { name: 'Push address of North camera as QR code' }).waitFor();
    await check('camera-address');

    await dialog.getByRole('button', { name: 'What would be changed?: North camera' }).click();
    await dialog.getByText(`push slot 2: from empty to ${host}`).waitFor();
    await check('camera-plan');
    await dialog.getByRole('button', { name: 'Write it now: North camera' }).click();
    await dialog.getByText('This was changed:').waitFor();
    await dialog.getByRole('button', { name: 'Take it back: North camera' }).waitFor();

    expect(
      await started.world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG 777 AB' }),
    ).toMatchObject({ status: 200 });
    await dialog.getByText('Read as driving out.').waitFor();
    await dialog
      .getByText(/ZG ?777 ?AB/)
      .first()
      .waitFor();
    await picturesLoaded(page, 'dialog .picture', 1);
    await check('camera-read');
    await dialog.getByRole('button', { name: 'In', exact: true }).click();
    await dialog.getByText('The camera looked the other way').waitFor();
    expect(await cameraOf()).toMatchObject({ lpr_position: 'in' });
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('is connected in its editor, too, on a phone and in other languages', async () => {
    for (const [name, viewport, locale, colorScheme] of [
      ['desk-de', { width: 1440, height: 900 }, 'de-DE', 'dark'],
      ['tablet-en', { width: 820, height: 1180 }, 'en-GB', 'light'],
      ['phone-hr', PHONE, 'hr-HR', 'light'],
      ['phone-de', PHONE, 'de-DE', 'dark'],
    ] as const) {
      const { page, goTo, check } = await started.open({ viewport, locale, colorScheme }, null);
      await page.locator('input[type=email]').fill(OWNER.email);
      await page.locator('input[type=password]').fill(OWNER.password);
      await page.keyboard.press('Enter');
      await page.locator('nav').first().waitFor();
      await goTo('/lots/1');
      await page.locator('main details.others > summary').nth(1).click();
      await page.getByRole('button', { name: /^(Edit|Bearbeiten|Uredi): North camera$/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog
        .locator('details > summary')
        .filter({ hasText: /^(Connect it|Verbinden|Poveži)$/ })
        .click();
      await dialog.getByRole('button', { name: /^(Show address|Adresse und|Prikaži adresu)/ }).click();
      await dialog.locator('svg.qr').waitFor();
      await picturesLoaded(page, 'dialog .picture', 1);
      await check(`camera-${name}`);
      await dialog.locator('svg.qr').scrollIntoViewIfNeeded();
      await check(`camera-${name}-address`);
      await dialog.locator('fieldset').last().scrollIntoViewIfNeeded();
      await check(`camera-${name}-read`);
    }
  });
});
