import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';

describe.skipIf(!hasChromium())('the console: an editor', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld();
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  it('keeps each change that only one of two people made, and asks the second one where both changed the same', async () => {
    const { page, check } = await started.open();
    const dialog = page.getByRole('dialog');
    const read = async () => (await started.world.api<{ data: object }>('/v2/zones/1')).body.data;
    const byAnother = (body: object) => started.world.call('PATCH', '/v2/zones/1', { body });
    await byAnother({ spot_count: 40, occupancy_max_hours: 72 });
    await page.reload();
    await page.locator('summary[aria-label="Change what stands here: North"]').click();
    await page.getByRole('button', { name: 'Edit: Level 0', exact: true }).click();
    await dialog.getByLabel('Places for vehicles').fill('45');
    await byAnother({ spot_count: 50, occupancy_max_hours: 24 });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('while you were editing it').waitFor();
    await dialog.getByText('Longest stay in hours: 24 (taken over)').waitFor();
    expect(await read()).toMatchObject({ spot_count: 50 });
    await check('setup-two-editors');
    await dialog.getByRole('button', { name: 'Theirs: 50' }).click();
    expect(await dialog.getByLabel('Places for vehicles').inputValue()).toBe('50');
    await dialog.getByRole('button', { name: 'Mine: 45' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ spot_count: 45, occupancy_max_hours: 24 });
  });

  it('deletes a lot with its zones and barriers, and says so first', async () => {
    const { world } = started;
    const { body } = await world.call<{ data: { id: number } }>('POST', '/v2/lots', {
      body: { name: 'Pier', timezone: 'UTC' },
    });
    const lot_id = body.data.id;
    await world.call('POST', '/v2/zones', { body: { lot_id, name: 'Deck', spot_count: 30 } });
    await world.call('POST', '/v2/products', {
      body: { lot_id, name: 'Pier barrier', device_id: 'c0ffee001234', product_type_id: 1 },
    });
    const { page, check } = await started.open();
    const dialog = page.getByRole('dialog');
    await page.locator('summary[aria-label="Change what stands here: Pier"]').click();
    await page.getByRole('button', { name: 'Edit: Pier', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Pier?' });
    await question.getByText('With it go 1 zones, 1 barriers and gates, 0 cameras and 0 gateways').waitFor();
    await check('setup-delete-lot');
    await question.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    await world.call('GET', `/v2/lots/${lot_id}`, { statuses: [404] });
  });
});
