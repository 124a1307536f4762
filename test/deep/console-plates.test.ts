/** Plates in the console: several of a member, a member who is blocked, a file of members, and a correction that ends a stay. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';
import type { World } from '../world/world.js';

interface ShownMember {
  id: number;
  name: string;
  plates: string[];
  blocked_at: string | null;
  blocked_reason: string | null;
}

describe.skipIf(!hasChromium())('the console: plates', () => {
  let started: ConsoleWorld;
  let world: World;
  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const dialog = (page: Page) => page.getByRole('dialog');
  const memberCalled = async (name: string) =>
    (await world.api<{ data: ShownMember[] }>('/v2/members?size=300')).body.data.find((each) => each.name === name);

  it('makes several plates of what stands in one field, and tells of plates of others', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/members?edit=new');
    await dialog(page).getByLabel('Name').fill('Ana');
    await dialog(page).getByLabel('Plate', { exact: true }).fill(`ZG 77-AN, ${TEST_SITE.memberPlate}`);
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('These are several plates:').waitFor();
    await check('member-several-plates');
    await dialog(page).getByRole('button', { name: 'Make them several plates' }).click();
    await dialog(page).getByRole('button', { name: 'Add a plate' }).click();
    await dialog(page).getByLabel('Plate 3').fill('<b>');
    await dialog(page).getByText('“<b>” is no plate: it holds “<”.').waitFor();
    await dialog(page).getByLabel('Plate 3').fill('zg77an');
    await dialog(page).getByText('zg77an is there twice.').waitFor();
    await dialog(page).getByRole('button', { name: 'Remove the plate zg77an' }).click();
    await dialog(page).getByLabel('Residents').check();
    await check('member-two-plates');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText(`Ana is saved. Another member has the plate ${TEST_SITE.memberPlate} as well.`).waitFor();
    expect((await memberCalled('Ana'))?.plates).toEqual(['ZG 77-AN', TEST_SITE.memberPlate]);
  });

  it('blocks a member with a reason, shows it in the list, and takes it back', async () => {
    const { page, goTo, check } = await started.open({ viewport: PHONE });
    await goTo('/members');
    await page.getByRole('button', { name: 'Details of Mia' }).click();
    await page.getByRole('button', { name: 'Edit: Mia' }).click();
    await dialog(page).getByLabel('Blocked').check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Please fill in this field.').waitFor();
    await dialog(page).getByLabel('Why').fill('Has not paid');
    await check('member-blocked-editor');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^blocked since .*: Has not paid$/)
      .first()
      .waitFor();
    await check('members-blocked');
    expect(await memberCalled('Mia')).toMatchObject({ blocked_reason: 'Has not paid' });
    await page.getByRole('button', { name: 'Edit: Mia' }).click();
    await dialog(page).getByLabel('Blocked').uncheck();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByText('Has not paid').count()).toBe(0);
    expect(await memberCalled('Mia')).toMatchObject({ blocked_at: null, blocked_reason: null });
  });

  it('reads plates of two columns and of one cell, marks what it did not read, and finds doubtful lines', async () => {
    const { page, goTo, check } = await started.open();
    await goTo('/members?show=import');
    const lines = [
      'name;plate;plate 2;shoe size',
      'Eva;ZG 1;ST 2;38',
      '"Una";"RI 3 | PU 4";;40',
      `Ivo;${TEST_SITE.memberPlate};;41`,
      'Odd;45352;;42',
      'Wrong;<b>;;43',
    ];
    await page.getByLabel('Or paste the lines here').fill(lines.join('\n'));
    await page.getByText('Not read: shoe size.').waitFor();
    await page.getByText('is created · ZG 1, ST 2').waitFor();
    await check('import-plates');
    await page.getByRole('button', { name: /^doubtful 2/ }).click();
    expect(await page.locator('.lines-table tbody tr').count()).toBe(2);
    await check('import-doubtful');
    await page.getByRole('button', { name: 'Import 4 lines' }).click();
    await page.getByText('4 created, 0 changed').waitFor();
    expect((await memberCalled('Una'))?.plates).toEqual(['RI 3', 'PU 4']);
  });

  it('asks whether a corrected exit ends the stay that it fits, and ends it', async () => {
    const { page, goTo, check } = await started.open();
    const begun = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await world.call<{ data: { id: number } }>('POST', '/v2/sessions', {
      body: { zone_id: 1, entry_license_plate: 'KA 555-ZZ', created_at: begun },
    });
    await world.sim('POST', `/cameras/${TEST_SITE.exitCamera}/read`, { plate: 'ST111YY' });
    await goTo('/live');
    await page.getByRole('button', { name: 'Details of ST111YY' }).click();
    await page.getByLabel('Correct the plate').last().fill('ka555zz');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^This ends the stay of KA 555-ZZ since /).waitFor();
    expect(await page.getByLabel('Correct the plate').last().inputValue()).toBe('KA555ZZ');
    await check('live-ends-stay');
    await page.getByRole('button', { name: 'End the stay' }).click();
    await page.getByText(/^This ends the stay/).waitFor({ state: 'detached' });
    const { body: ended } = await world.api<{ data: { ended_at: string | null } }>(`/v2/sessions/${body.data.id}`);
    expect(ended.data.ended_at).not.toBeNull();
  });
});
