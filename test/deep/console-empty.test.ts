/** An account in which nothing was made yet: each list says what it is for, and begins with its first step. And what the way back closes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleUser, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, OWNER, startConsoleWorld } from '../browser/console-world.js';
import { TEST_SITE } from '../world/site.js';

const DESK = { width: 1440, height: 900 };
const BEA: ConsoleUser = { email: 'bea@bare.example', password: 'a phrase of Bea' };
const BARE = `  - name: Bare Parking
    users:
      - {email: ${BEA.email}, password: "${BEA.password}", name: Bea, role: Super Admin}
  - name: Rival Parking
`;

/** What the first step of each list is called, and what its dialog is. */
const FIRST = [
  ['/members', 'New member', 'Members are people whose plates open'],
  ['/members?show=groups', 'New group', 'A group says which zones'],
  ['/alerts', 'New alert', 'There is no alert yet.'],
  ['/displays', 'New display', 'It shows drivers how many places are free.'],
  ['/tokens', 'Make a token', 'There is no token yet.'],
  ['/webhooks', 'Add a webhook', 'There is no webhook yet.'],
  ['/devices', 'Add a gateway', 'It is the computer at the car park'],
  ['/devices?show=terminals', 'Register a terminal', 'Guests pay or leave at one.'],
] as const;

describe.skipIf(!hasChromium())('the console: empty lists, and the way back', () => {
  let started: ConsoleWorld;

  beforeAll(async () => {
    started = await startConsoleWorld({ alterSite: (yaml) => yaml.replace('  - name: Rival Parking\n', BARE) });
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  it.each(FIRST)('%s begins with %s', async (path, word, what) => {
    const { page, goTo, check } = await started.open({ viewport: DESK }, BEA);
    await goTo(path);
    const first = page.locator('.empty.first');
    await first.getByText(what).waitFor();
    expect(await page.getByRole('button', { name: word, exact: true }).count()).toBe(1);
    await check(`first-${word.replaceAll(' ', '-')}`);
    await first.getByRole('button', { name: word }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const words = await dialog.locator('form > .buttons').first().getByRole('button').allInnerTexts();
    expect(words.indexOf('Cancel')).toBe(1);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
    await first.waitFor();
  });

  it('is good to read on a phone, too', async () => {
    const { page, goTo, check } = await started.open({ viewport: PHONE, colorScheme: 'dark' }, BEA);
    for (const path of ['/', '/members', '/tariffs', '/devices?show=cameras', '/devices?show=sensors']) {
      await goTo(path);
      await page.locator('.empty').first().waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      await check(`first-phone${path.replaceAll(/\W+/g, '-')}`);
    }
  });

  it('closes a question and a picture by the way back, one after the other, and stays in the view', async () => {
    const { page, goTo } = await started.open({ viewport: DESK });
    await goTo('/devices');
    await page.getByRole('button', { name: 'Rename' }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/devices');
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What was closed by a press is no step any more: the way back leads out of the view.
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/profile');
    await goTo('/members');
    await page.getByRole('button', { name: 'Details of Mia' }).click();
    await page.getByRole('button', { name: 'Edit: Mia' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Mia?' });
    await question.waitFor();
    await page.goBack();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Mia' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.panel').getByRole('heading', { name: 'Mia' }).waitFor();
    await page.goBack();
    await page.locator('.panel').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/members');
  });

  it('prints who is inside with names, how many in each zone, when and by whom', async () => {
    await started.world.arrive(TEST_SITE.memberPlate);
    const { page, goTo } = await started.open({ viewport: DESK }, OWNER);
    await goTo('/inside');
    await page.getByRole('button', { name: 'Details of' }).first().waitFor();
    await page.evaluate('window.print = () => window.dispatchEvent(new Event("beforeprint"))');
    await page.getByRole('button', { name: 'Print' }).click();
    await page.emulateMedia({ media: 'print' });
    const muster = page.locator('.muster');
    await expect.poll(() => muster.innerText()).toContain('Mia');
    const text = await muster.innerText();
    expect(text).toMatch(/Muster list: North/);
    expect(text).toMatch(/Printed \d+ \w+ \d{4}, \d\d:\d\d.* · Olga/);
    expect(text).toMatch(/In all: \d+ · .*Level 0: \d+/);
  });
});
