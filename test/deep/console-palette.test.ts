import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, GUARD, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

describe.skipIf(!hasChromium())('the console: the palette', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
    await world.arrive(TEST_SITE.memberPlate);
  });
  afterAll(() => started?.close());
  afterEach(() => started.closePages());

  const open: ConsoleWorld['open'] = (...asked) => started.open(...asked);
  const moves = async () => (await world.sim<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`)).moves;

  it('finds lots, barriers and plates by Ctrl-K, and opens by it', async () => {
    const { page, check } = await open();
    await page.getByRole('button', { name: /^(Open|Close): Entry barrier$/ }).waitFor();
    const before = await moves();
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find or do' }).fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await find('exi');
    await page.getByRole('heading', { level: 1, name: 'North' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find or do' }).fill('open entry');
    await page.keyboard.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Open: Entry barrier?' });
    await asked.getByRole('button', { name: 'Open: Entry barrier' }).click();
    await asked.getByText(/^Open: done/).waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'hidden' });
    expect(await moves()).toBeGreaterThanOrEqual(before);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find or do' }).fill('gus');
    await page.getByRole('option', { name: `Gus (${GUARD.email}) User` }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find or do' }).fill('new mem');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New member' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await find('zg1234');
    expect(new URL(page.url()).searchParams.get('plate')).toBe('zg1234');
    await page.getByRole('button', { name: `Details of ${TEST_SITE.memberPlate}` }).waitFor();
  });
});
