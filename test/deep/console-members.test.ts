/** Members as a table: searched, sorted, gone through by keys, and many of them changed at once. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE } from '../browser/console-page.js';
import { OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { World } from '../world/world.js';

const DESK = { width: 1440, height: 900 };
const LOOKS = [
  ['desk', { viewport: DESK }],
  ['desk-dark', { viewport: DESK, colorScheme: 'dark' }],
  ['desk-de', { viewport: DESK, locale: 'de-DE' }],
  ['phone', { viewport: PHONE }],
  ['phone-dark', { viewport: PHONE, colorScheme: 'dark' }],
  ['phone-hr', { viewport: PHONE, locale: 'hr-HR' }],
] as const;

const SEASON = 320;

describe.skipIf(!hasChromium())('the console: members as a table', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
    const group = await made('/v2/groups', { name: 'Season', zone_ids: [1] });
    const lines = Array.from({ length: SEASON }, (_, at) => ({
      line: at + 2,
      name: `Guest ${String(at).padStart(3, '0')}`,
      plates: [`ZG ${1000 + at}-AA`],
      group_ids: [group],
      ...(at % 5 === 0 ? { valid_until: '2030-12-31T00:00:00.000Z' } : {}),
    }));
    await made('/v2/member-imports', { lines });
    await waitUntil('the members of the import', async () => (await countAll()) >= SEASON);
    await made('/v2/members', { name: 'Late', plates: ['ST 1'], valid_from: '2040-01-01T00:00:00.000Z' });
    await made('/v2/members', { name: 'Over', plates: ['ST 2', 'ST 3'], valid_until: '2001-01-01T00:00:00.000Z' });
    await made('/v2/members', { name: 'Unpaid', plates: [], blocked_reason: 'unpaid since March' });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const made = async (path: string, body: object): Promise<number> => {
    const answer = await world.call<{ data: { id: number } }>('POST', path, { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.data.id;
  };
  const ask = async (query: string) =>
    (
      await world.api<{ data: { id: number; name: string; blocked_reason: string | null }[]; meta: { total: number } }>(
        `/v2/members?${query}`,
      )
    ).body;
  const countAll = async () => (await ask('size=1')).meta.total;
  const rows = (page: Page) => page.locator('.rows-table .row-open');
  const names = async (page: Page) => (await rows(page).allInnerTexts()).map((each) => each.trim());
  const bulk = (page: Page) => page.getByRole('region', { name: 'Changes of several members' });
  const dialog = (page: Page) => page.getByRole('dialog');
  const opened = async (path: string, options: object = { viewport: DESK }): Promise<ConsolePage> => {
    const shown = await started.open(options);
    await shown.goTo(path);
    await rows(shown.page).first().waitFor();
    return shown;
  };

  it('has eighteen rows on a desk, sorted by a press, filtered by group and state, all in the address', async () => {
    const { page } = await opened('/members');
    const whole = await rows(page).evaluateAll(
      (each) => each.filter((row) => row.getBoundingClientRect().bottom <= 900).length,
    );
    expect(whole).toBeGreaterThanOrEqual(18);
    expect((await names(page))[0]).toBe('Guest 000');
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await expect.poll(async () => (await names(page))[0]).toBe('Unpaid');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-name');
    await page.getByLabel('Status').selectOption({ label: 'Blocked' });
    await expect.poll(() => names(page)).toEqual(['Unpaid']);
    await page.getByText('blocked since').first().waitFor();
    await page.getByLabel('Status').selectOption({ label: 'Time is over' });
    await expect.poll(() => names(page)).toEqual(['Over']);
    await page.getByLabel('Status').selectOption({ label: 'Not yet valid' });
    await expect.poll(() => names(page)).toEqual(['Late']);
    await page.getByLabel('Status').selectOption({ label: 'All' });
    await page.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'Season' });
    await page.getByText(`${SEASON} members`).waitFor();
    await page.getByRole('searchbox').fill('zg1007');
    await expect.poll(() => names(page)).toEqual(['Guest 007']);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['Guest 007']);
  });

  it('is gone through by keys, with the open member beside the list, and comes back by Back', async () => {
    const { page, check } = await opened('/members');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.locator('.panel');
    await panel.getByRole('heading', { name: 'Guest 001' }).waitFor();
    await check('members-open-desk');
    await page.keyboard.press('j');
    await panel.getByRole('heading', { name: 'Guest 002' }).waitFor();
    await page.keyboard.press('e');
    await dialog(page).getByLabel('Name').waitFor();
    await page.goBack();
    await dialog(page).waitFor({ state: 'detached' });
    await panel.getByRole('heading', { name: 'Guest 002' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await bulk(page).getByText('1 chosen').waitFor();
  });

  it('comes whole as it is scrolled', async () => {
    const { page } = await opened('/members?sort=-name');
    for (let more = 0; more < 12 && (await page.getByRole('button', { name: 'Show more' }).count()) > 0; more++) {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.waitForTimeout(150);
    }
    await expect.poll(async () => await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  it('blocks several with a reason, asked with their number, and ends the block', async () => {
    const { page, check } = await opened('/members');
    await page.getByRole('checkbox', { name: 'Choose Guest 000' }).check();
    await page.getByRole('checkbox', { name: 'Choose Guest 001' }).check();
    await bulk(page).getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('dialog', { name: 'Block 2 members?' }).getByRole('button', { name: 'Block' }).click();
    await dialog(page).getByText('Please fill in this field.').waitFor();
    await check('members-bulk-block');
    await dialog(page).getByLabel('Why').fill('unpaid');
    await dialog(page).getByRole('button', { name: 'Block' }).click();
    await page.getByText('2 members are changed.').waitFor();
    expect((await ask('filter=blocked_at:isnotnull&sort=name:asc')).data.map(({ name }) => name)).toEqual([
      'Guest 000',
      'Guest 001',
      'Unpaid',
    ]);
    await page.getByLabel('Status').selectOption({ label: 'Blocked' });
    await expect.poll(async () => (await names(page)).length).toBe(3);
    await page.getByRole('checkbox', { name: 'Choose Guest 000' }).check();
    await bulk(page).getByRole('button', { name: 'Choose all shown' }).click();
    await bulk(page).getByText('3 chosen').waitFor();
    await page.getByRole('checkbox', { name: 'Choose Unpaid' }).uncheck();
    await bulk(page).getByRole('button', { name: 'End the block' }).click();
    await dialog(page).getByRole('button', { name: 'End the block' }).click();
    await expect.poll(() => names(page)).toEqual(['Unpaid']);
  });

  it('changes all that are found, says who was not changed and why, and deletes them', async () => {
    const { page, check } = await opened('/members?find=Guest');
    await page.getByRole('checkbox', { name: 'Choose Guest 000' }).check();
    await bulk(page)
      .getByRole('button', { name: `Choose all ${SEASON}` })
      .click();
    await bulk(page).getByText(`${SEASON} chosen`).waitFor();
    await bulk(page).getByRole('button', { name: 'Set the end' }).click();
    await dialog(page).getByLabel('Until').fill('2031-05-01T12:00');
    await dialog(page).getByRole('button', { name: 'Set the end' }).click();
    await page.getByText(`${SEASON} members are changed.`).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Status').selectOption({ label: 'Not yet valid' });
    await expect.poll(() => names(page)).toEqual(['Late']);
    await page.getByRole('checkbox', { name: 'Choose Late' }).check();
    await bulk(page).getByRole('button', { name: 'Set the end' }).click();
    await dialog(page).getByLabel('Until').fill('2031-05-01T12:00');
    await dialog(page).getByRole('button', { name: 'Set the end' }).click();
    await bulk(page).getByText('One was not changed:').waitFor();
    await bulk(page).getByText('Late:').waitFor();
    await check('members-bulk-failed');
    await page.getByLabel('Status').selectOption({ label: 'All' });
    await page.getByRole('searchbox').fill('guest 31');
    await expect.poll(async () => (await names(page)).length).toBe(10);
    await page.getByRole('checkbox', { name: 'Choose Guest 310' }).check();
    await bulk(page).getByRole('button', { name: 'Choose all shown' }).click();
    await bulk(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete 10 members?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('10 members are deleted.').waitFor();
    await page.getByText('No member fits.').waitFor();
  });

  it('puts several into a group and out of it', async () => {
    const { page } = await opened('/members?find=guest%2000');
    await page.getByRole('checkbox', { name: 'Choose Guest 003' }).check();
    await page.getByRole('checkbox', { name: 'Choose Guest 004' }).check();
    await bulk(page).getByRole('button', { name: 'Remove from a group' }).click();
    await dialog(page).getByRole('button', { name: 'Remove from a group' }).click();
    await dialog(page).getByText('Choose a group.').waitFor();
    await dialog(page).getByLabel('Group').selectOption({ label: 'Season' });
    await dialog(page).getByRole('button', { name: 'Remove from a group' }).click();
    await page.getByText('2 members are changed.').waitFor();
    await page.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'In no group' });
    await expect.poll(() => names(page)).toEqual(['Guest 003', 'Guest 004']);
  });

  it.each(LOOKS)('is good to read: %s', async (name, options) => {
    const shown = await started.open(options, null);
    await shown.signIn(OWNER);
    await shown.goTo('/members');
    await rows(shown.page).first().waitFor();
    await shown.page.locator('input.pick').first().check();
    await shown.check(`members-${name}`);
    await rows(shown.page).nth(3).click();
    await shown.page.locator('.panel, .opened').first().waitFor();
    await shown.check(`members-open-${name}`);
    await shown.goTo('/members?show=groups');
    await shown.page.locator('li.card').first().waitFor();
    await shown.check(`groups-${name}`);
  });
});
