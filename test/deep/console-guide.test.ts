import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { labelSecretOf } from '../../scripts/sim/products/product-label.js';
import { productDeviceIdSchema } from '../../shared/ids.js';
import { hasChromium } from '../browser/chromium.js';
import type { ConsolePage, ConsoleUser } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';

/** Of an account that has nothing yet. */
const NEWCOMER: ConsoleUser = { email: 'owner@rival.example', password: TEST_SITE.ownerPassword };
const LABEL = Buffer.from(labelSecretOf(productDeviceIdSchema.parse(TEST_SITE.gate))).toString('hex');
const SIZES = [
  ['desk', { width: 1440, height: 900 }],
  ['tablet', { width: 820, height: 1180 }],
  ['phone', { width: 390, height: 844 }],
] as const;
const SLOW_MS = 90_000;

describe.skipIf(!hasChromium())('the console: from nothing to an opened gate', () => {
  let started: ConsoleWorld;
  let gateway: RunningProgram | null = null;

  beforeAll(async () => {
    started = await startConsoleWorld({ driver: 'programs', isGatePaired: false });
  });
  afterEach(() => started.closePages());
  afterAll(async () => {
    await gateway?.end();
    await started?.close();
  });

  const look = async ({ page, check }: ConsolePage, name: string, sizes: readonly (typeof SIZES)[number][] = SIZES) => {
    for (const [size, viewport] of sizes) {
      await page.setViewportSize(viewport);
      await check(`guide-${name}-${size}`);
    }
    await page.setViewportSize(SIZES[0][1]);
  };

  /** A device on site becomes the gateway of this code. */
  async function startDevice(code: string): Promise<RunningProgram> {
    const { world } = started;
    const [port] = await freePorts(1);
    return startProgram('agent/main.js', ['run'], {
      AGENT_DATA_DIR: join(world.dataDir, 'new-device'),
      AGENT_HTTP_PORT: String(port),
      BLE_HCI: `sim:${join(world.dataDir, 'radio.sock')}`,
      CLOUD_URL: world.cloudUrl,
      CLAIM_CODE: code,
    });
  }

  it('leads through zone, gateway, identifier, pairing and a movement', async () => {
    const shown = await started.open({ viewport: SIZES[0][1] }, NEWCOMER);
    const { page } = shown;
    const dialog = page.getByRole('dialog');
    const guide = page.getByRole('region', { name: 'Set-up guide' });
    const step = (name: string) => guide.getByRole('listitem').filter({ hasText: name });
    const isAt = (name: string, state: string) =>
      step(name).getByText(state, { exact: true }).waitFor({ timeout: SLOW_MS });
    const create = async () => {
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.waitFor({ state: 'detached' });
    };

    await page.getByRole('button', { name: 'New lot' }).click();
    await dialog.getByLabel('Name').fill('Pier');
    await create();
    await page.getByRole('link', { name: 'Pier', exact: true }).click();
    await isAt('A zone', 'next');
    await isAt('It is paired', 'later');
    await look(shown, 'empty');
    await step('A zone').getByRole('button', { name: 'New zone' }).click();
    await dialog.getByLabel('Name').fill('Deck');
    await create();
    await isAt('A zone', 'done');

    await step('A gateway, connected').getByRole('button', { name: 'Add a gateway' }).click();
    await dialog.getByLabel('Name').fill('Pier Pi');
    await dialog.getByRole('button', { name: 'Make the code' }).click();
    const code = await dialog.locator('.secret > code').innerText();
    await look(shown, 'code');
    gateway = await startDevice(code);
    await dialog.getByText('Pier Pi is claimed.').waitFor({ timeout: SLOW_MS });
    await page.keyboard.press('Escape');
    await isAt('A gateway, connected', 'done');

    // A mistyped identifier: nothing answers to it, and it can be mended.
    await step('A barrier or gate in reach').getByRole('button', { name: 'New barrier or gate' }).click();
    await dialog.getByLabel('Name').fill('Pier gate');
    await dialog.getByLabel('What it is').selectOption({ label: 'Gate' });
    await dialog.getByLabel('Identifier').fill('a4c1380000ff');
    await create();
    await guide.getByText('No gateway hears Pier gate yet: waiting until one does.').waitFor();
    await look(shown, 'waits');
    await step('A barrier or gate in reach').getByRole('button', { name: 'Check its settings: Pier gate' }).click();
    await dialog.getByText('No gateway hears it yet: waiting.').waitFor();
    await look(shown, 'unheard');
    await dialog.getByLabel('Identifier').fill(TEST_SITE.gate);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await isAt('It is paired', 'next');

    await step('It is paired').getByRole('button', { name: 'Pair it: Pier gate' }).click();
    await dialog.getByText(/^Pier Pi: -\d+ dBm$/).waitFor({ timeout: SLOW_MS });
    await look(shown, 'pairing');
    await dialog.getByLabel('Secret of its label').fill(LABEL);
    await dialog.getByRole('button', { name: 'Pair', exact: true }).click();
    await dialog.getByText('It is paired.').waitFor({ timeout: SLOW_MS });
    await page.keyboard.press('Escape');
    await isAt('It is paired', 'done');
    await isAt('Its movement is tested', 'next');

    await step('Its movement is tested')
      .getByRole('button', { name: /^Test movement: Pier gate/ })
      .click();
    expect(await started.world.sim('GET', `/products/${TEST_SITE.gate}`)).toMatchObject({ moves: 0 });
    await dialog.getByRole('button', { name: 'Open: Pier gate' }).click();
    await dialog.getByText(/^Open: done in/).waitFor({ timeout: SLOW_MS });
    await look(shown, 'moved');
    expect(await started.world.sim('GET', `/products/${TEST_SITE.gate}`)).toMatchObject({ state: 'opened', moves: 1 });
    await dialog.getByRole('button', { name: 'Done' }).click();
    await isAt('Its movement is tested', 'done');

    // What is paired keeps its identifier.
    await page.locator('summary[aria-label="Change what stands here: Pier"]').click();
    await page.getByRole('button', { name: 'Edit: Pier gate', exact: true }).click();
    await dialog.getByText(`Identifier ${TEST_SITE.gate}.`).waitFor();
    expect(await dialog.getByLabel('Identifier').count()).toBe(0);
    await dialog.getByRole('heading', { name: 'Who hears it' }).waitFor();
    await look(shown, 'product');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('has sensors with their places, and a display', async () => {
    const shown = await started.open({ viewport: SIZES[0][1] }, NEWCOMER);
    const { page } = shown;
    const dialog = page.getByRole('dialog');
    const guide = page.getByRole('region', { name: 'Set-up guide' });
    await page.getByRole('link', { name: 'Pier', exact: true }).click();
    await guide.getByRole('button', { name: 'New sensors' }).click();
    await dialog.getByLabel('Name').fill('Pier places');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await look(shown, 'sensors-fault');
    await dialog.getByLabel('How they are reached').selectOption({ label: 'ChirpStack (LoRaWAN)' });
    expect(await dialog.getByLabel('Silent for at most (s)').inputValue()).toBe('10800');
    await dialog.getByLabel('How they are reached').selectOption({ label: 'Modbus TCP' });
    await dialog.getByLabel('Address').fill('127.0.0.1:1999');
    await dialog.getByLabel('Occupied is').selectOption({ label: 'a number below' });
    await dialog.getByLabel('Below').fill('1500');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await guide.getByText('Waiting until Pier places is heard.').waitFor();

    await guide.getByRole('button', { name: 'Check its settings: Pier places' }).click();
    await dialog.getByText('Nothing is watched yet.').waitFor();
    await dialog.getByText('Give a place its sensor').click();
    const form = dialog.getByRole('form', { name: 'Give a place its sensor' });
    await form.getByLabel('Name').fill('P1');
    await form.getByLabel('Sensor').fill('1');
    await form.getByRole('button', { name: 'Save' }).click();
    const place = dialog.getByRole('listitem').filter({ hasText: 'P1' });
    await place.getByText(/never heard/).waitFor();
    await look(shown, 'sensors');
    await dialog.getByLabel('Below').fill('1200');
    await dialog.getByRole('button', { name: 'Save', exact: true }).first().click();
    await dialog.waitFor({ state: 'detached' });
    const read = async (path: string) =>
      (await started.world.call<{ data: object[] }>('GET', path, { token: TEST_SITE.rivalToken })).body.data;
    expect(await read('/v2/parking-gateways')).toMatchObject([
      { name: 'Pier places', register: { occupied: { below: 1200, hysteresis: 0 } } },
    ]);
    expect(await read('/v2/parking-places')).toMatchObject([{ name: 'P1', sensor: '1' }]);

    await guide.getByRole('button', { name: 'New display' }).click();
    await dialog.getByLabel('Name').fill('Pier sign');
    expect(await dialog.getByLabel('Lot').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await guide.getByRole('button', { name: 'Check its settings: Pier sign' }).click();
    await dialog.getByText('Nothing is known against it.').waitFor();
    await look(shown, 'display');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await guide.getByRole('button', { name: 'Hide the guide' }).click();
    await guide.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Add to this lot').click();
    await page.getByRole('button', { name: 'Show the guide' }).click();
    await guide.waitFor();
  });

  it.each([
    ['de-DE', 'Einrichtung'],
    ['hr-HR', 'Postavljanje'],
  ])('in %s, and in the dark', async (locale, title) => {
    const context = { viewport: SIZES[0][1], locale, colorScheme: 'dark' as const };
    const shown = await started.open(context, null);
    const { page } = shown;
    await page.locator('input[type=email], input[name=email], input').first().fill(NEWCOMER.email);
    await page.locator('input[type=password]').fill(NEWCOMER.password);
    await page.locator('form button').first().click();
    await page.getByRole('link', { name: 'Pier', exact: true }).click();
    await page.getByRole('region', { name: title }).waitFor();
    await look(shown, locale, [SIZES[0], SIZES[2]]);
  });
});
