import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { DESKTOP, PHONE } from '../browser/console-page.js';
import { ATTACK, GUARD, OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { freePorts } from '../world/free-ports.js';
import type { World } from '../world/world.js';

const SIGN = 'Entrance sign';

/** A sign in front of the zone, which the gateway writes to. */
const signOf = (port: number): string => `    rgb_displays:
      - name: ${SIGN}
        zone: Level 0
        gateway: Entrance Pi
        driver: http
        address: "http://127.0.0.1:${port}/lines"
        stale_text: "P"
        rules:
          - {name: full, operator: gte, occupied_value: 40, display_text: FULL}
          - {name: free, operator: lt, occupied_value: 40, display_text: "{free} FREE"}
  - name: Rival Parking
`;

interface ShownMember {
  id: number;
  name: string;
  license_plate: string;
  email: string;
  groups: { name: string }[];
}

describe.skipIf(!hasChromium())('the console: members, keys, alerts, displays', () => {
  let started: ConsoleWorld;
  let world: World;

  beforeAll(async () => {
    const [sign = 0] = await freePorts(1);
    started = await startConsoleWorld({
      alterSite: (yaml) => yaml.replace('  - name: Rival Parking\n', signOf(sign)),
    });
    ({ world } = started);
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  const open: ConsoleWorld['open'] = (...how) => started.open(...how);
  const listOf = async <Item>(path: string) => (await world.api<{ data: Item[] }>(path)).body.data;
  const members = () => listOf<ShownMember>('/v2/members?size=300&sort=id:asc');
  const memberCalled = async (name: string) => (await members()).find((each) => each.name === name);
  const dialog = (page: Page) => page.getByRole('dialog');

  it('makes a member, says at the fields what is wrong, and loses nothing by a reload or a second sign-in', async () => {
    const { page, goTo, check } = await open();
    await goTo('/members');
    await page.getByRole('button', { name: 'Details of Mia' }).waitFor();
    await check('members-desktop');
    await page.getByRole('button', { name: 'New member' }).click();
    await dialog(page).getByLabel('Plate').fill('---');
    await dialog(page).getByLabel('E-mail').fill('ana');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('Please fill in this field.').waitFor();
    await dialog(page).getByText('“---” is no plate: it needs letters or digits.').waitFor();
    await dialog(page).getByText('ana is no e-mail address.').waitFor();
    await check('member-faults');
    await dialog(page).getByLabel('Name').fill('Ana');
    await dialog(page).getByLabel('Plate').fill('ZG 77-AN');
    await dialog(page).getByLabel('E-mail').fill('ana@example.com');
    await dialog(page).getByLabel('Residents').check();
    await page.reload();
    await dialog(page).getByText('What you typed before and did not save is here again.').waitFor();
    expect(await dialog(page).getByLabel('Plate').inputValue()).toBe('ZG 77-AN');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('INPUT');
    await dialog(page).getByText('Show the REST call').click();
    expect(await dialog(page).locator('pre').innerText()).toContain('"plates":["ZG 77-AN"]');
    await check('member-draft');
    await world.call('POST', '/v2/auth/login', { body: OWNER });
    await page.getByText('it was ended from somewhere else').waitFor();
    await page.getByLabel('E-mail').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => dialog(page).getByLabel('Name').inputValue()).toBe('Ana');
    expect(await dialog(page).getByLabel('Residents').isChecked()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText('Ana is saved.').waitFor();
    expect(await memberCalled('Ana')).toMatchObject({
      license_plate: 'ZG 77-AN',
      email: 'ana@example.com',
      groups: [{ name: 'Residents' }],
    });
  });

  it('finds members by name, plate and e-mail address, changes one, and deletes one after a question', async () => {
    const { page, goTo } = await open();
    await goTo('/members?find=zg77an');
    await page.getByRole('button', { name: 'Details of Ana' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Details of Mia' }).count()).toBe(0);
    await page.getByRole('searchbox').fill('MIA@EX');
    await page.getByRole('button', { name: 'Details of Mia' }).waitFor();
    await page.getByRole('searchbox').fill('nobody at all');
    await page.getByText('No member fits.').waitFor();
    expect(new URL(page.url()).searchParams.get('find')).toBe('nobody at all');
    await goTo('/members');
    await page.getByRole('button', { name: 'Details of Ana' }).click();
    await page.getByRole('button', { name: 'Edit: Ana' }).click();
    await dialog(page).getByLabel('Note').fill('Flat 7');
    // What somebody else changes meanwhile stays: only the note is sent.
    const ana = await memberCalled('Ana');
    await world.call('PATCH', `/v2/members/${ana?.id}`, { body: { license_plate: 'ZG 78-AN' } });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ana is saved.').waitFor();
    expect(await memberCalled('Ana')).toMatchObject({ license_plate: 'ZG 78-AN', description: 'Flat 7' });
    await page.getByRole('button', { name: 'Edit: Ana' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete Ana?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Ana is deleted.').waitFor();
    expect(await memberCalled('Ana')).toBeUndefined();
  });

  it('makes a group of zones and tariffs, and puts members in and out', async () => {
    const { page, goTo, check } = await open();
    await goTo('/members?show=groups');
    await page.getByText('through Entry barrier, Exit gate').waitFor();
    await check('groups-desktop');
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('Please fill in this field.').waitFor();
    await dialog(page).getByLabel('Name').fill('Staff');
    await dialog(page).getByLabel('Level 0').check();
    await dialog(page).getByLabel('Public').check();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText('Staff is saved.').waitFor();
    await page.getByRole('button', { name: 'Edit: Staff' }).click();
    await dialog(page).getByLabel('Add a member').fill('mia');
    await dialog(page).getByRole('button', { name: 'Add Mia' }).click();
    await dialog(page).getByRole('button', { name: 'Remove Mia' }).waitFor();
    await check('group-editor');
    expect((await memberCalled('Mia'))?.groups.map(({ name }) => name).sort()).toEqual(['Residents', 'Staff']);
    await dialog(page).getByRole('button', { name: 'Remove Mia' }).click();
    await dialog(page).getByText('Nobody is in this group yet.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Staff' }).waitFor();
  });

  it('gives a key to a plate, shows what became of a mail, and finds, blocks and deletes keys', async () => {
    const { page, goTo, check } = await open();
    await goTo('/keys');
    const form = page.getByRole('form', { name: 'Key for a plate' });
    await form.getByRole('button', { name: 'Give the key' }).click();
    expect(await form.getByText('Please fill in this field.').count()).toBe(2);
    await form.getByLabel('Plate').fill('ST 99-KK');
    await form.getByLabel('Name of the guest').fill('Plumber');
    await form.getByRole('button', { name: 'Give the key' }).click();
    await page.getByText('ST 99-KK may pass.').waitFor();
    await page.getByLabel('E-mail addresses').fill('pia@example.com, leo@example.com');
    await page.getByLabel('Entry barrier').check();
    await page.getByRole('button', { name: 'Send the keys' }).click();
    await page.getByText('Sent to pia@example.com, leo@example.com.').waitFor();
    await page.getByRole('button', { name: 'Block: pia@example.com' }).click();
    await page.getByRole('button', { name: 'Unblock: pia@example.com' }).waitFor();
    // The product hears it from the gateway, and the console says so.
    await page.getByText('blocked, and the barrier or gate').waitFor();
    await check('keys-desktop');
    await page.getByLabel('Status').selectOption('blocked');
    await page.getByText('leo@example.com', { exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Receiver').fill('leo');
    await page.getByText('pia@example.com', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send the mail again: leo@example.com' }).click();
    await page.getByText('The mail is on its way.').waitFor();
    await page.getByRole('button', { name: 'Delete: leo@example.com' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No key fits.').waitFor();
  });

  it('makes a key, a weblink and a member once, also when the answer was lost and the button is pressed again', async () => {
    const { page, goTo } = await open();
    /** The service does it, and nobody hears that. */
    const losing = async (path: string, press: () => Promise<void>) => {
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        return route.abort();
      });
      await press();
      await page.getByText('The service did not answer.').waitFor({ timeout: 60_000 });
      await page.unroute(`**${path}`);
      await press();
    };
    await goTo('/keys');
    await page.getByLabel('E-mail addresses').fill('once@example.com');
    await page.getByLabel('Entry barrier').check();
    await losing('/v2/operation-keys', () => page.getByRole('button', { name: 'Send the keys' }).click());
    await page.getByText('Sent to once@example.com.').waitFor();
    expect(await listOf('/v2/key-logs?filter=receiver_identifier:eq:once@example.com')).toHaveLength(1);
    expect(await listOf('/v2/mails?filter=receiver_email:eq:once@example.com')).toHaveLength(1);

    const form = page.getByRole('form', { name: 'Make a link' });
    await form.getByLabel('From').fill('2031-05-02T08:00');
    await form.getByLabel('Until').fill('2031-05-01T08:00');
    await form.getByRole('button', { name: 'Make a link' }).click();
    await form.getByText('The end has to be after the beginning.').waitFor();
    await form.getByText('Please fill in this field.').waitFor();
    await form.getByLabel('Until').fill('2031-05-03T08:00');
    await form.getByRole('textbox').first().fill('Once only');
    const links = async () =>
      (await listOf<{ name: string }>('/v2/weblinks')).filter(({ name }) => name === 'Once only');
    await losing('/v2/weblinks', () => form.getByRole('button', { name: 'Make a link' }).click());
    await form.getByRole('img').waitFor();
    expect(await links()).toHaveLength(1);

    await goTo('/members?edit=new');
    await dialog(page).getByLabel('Name').fill('Only Once');
    await losing('/v2/members', () => dialog(page).getByRole('button', { name: 'Create' }).click());
    await page.getByText('Only Once is saved.').waitFor();
    expect((await members()).filter(({ name }) => name === 'Only Once')).toHaveLength(1);
  });

  it('shows the REST call of each thing that is done about keys', async () => {
    const { page, goTo, check } = await open();
    await goTo('/keys');
    await page.getByLabel('E-mail addresses').fill('call@example.com');
    await page.getByLabel('Entry barrier').check();
    const invite = page.getByRole('form', { name: 'Invite by mail' });
    await invite.getByText('Show the REST call').click();
    await invite.getByText('"receiver_emails":["call@example.com"]').waitFor();
    await invite.getByRole('button', { name: 'TypeScript' }).click();
    await invite.getByText(`client.post('/v2/operation-keys'`).waitFor();
    await page.getByRole('button', { name: 'Send the keys' }).click();
    await page.getByText('Sent to call@example.com.').waitFor();
    await page.getByLabel('Receiver').fill('call@');
    const row = page.getByRole('listitem').filter({ hasText: 'call@example.com' });
    await row.getByRole('button', { name: 'Block: call@example.com' }).click();
    await row.getByText('Show the REST call').click();
    await row.getByText('{"status":"blocked"}').waitFor();
    await check('key-call');
    await row.getByRole('button', { name: 'Delete: call@example.com' }).click();
    await dialog(page).getByText('Show the REST call').click();
    await dialog(page).getByText('curl -X DELETE').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No key fits.').waitFor();
  });

  it('makes an alert with receivers, says at the field what is wrong, changes it, finds it, and deletes it', async () => {
    const { page, goTo, check } = await open();
    await goTo('/alerts');
    await page.getByText('There is no alert yet.').waitFor();
    await page.getByRole('button', { name: 'New alert' }).click();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('Name at least one plate.').waitFor();
    await dialog(page).getByText('Name at least one receiver.').waitFor();
    await dialog(page).getByLabel('Name', { exact: true }).first().fill('Banned');
    await dialog(page).getByLabel('Plates').fill('ZG 1-A, zg1a\n---');
    await dialog(page).getByRole('textbox', { name: 'E-mail' }).fill('guard@harbour');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('guard@harbour is no e-mail address.').waitFor();
    await dialog(page).getByText('“---” is no plate').waitFor();
    await check('alert-faults');
    await dialog(page).getByLabel('Plates').fill('ZG 1-A, ST 2-B');
    await dialog(page).getByRole('textbox', { name: 'E-mail' }).fill('guard@harbour.example');
    await dialog(page).getByLabel('Name', { exact: true }).nth(1).fill('Gus');
    await dialog(page).getByRole('button', { name: 'Add a receiver' }).click();
    await page.reload();
    expect(await dialog(page).getByLabel('Plates').inputValue()).toBe('ZG 1-A, ST 2-B');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText('Banned is saved.').waitFor();
    await page.getByText('at most one mail in 30 minutes').waitFor();
    await check('alerts-desktop');
    await page.getByRole('button', { name: 'Edit: Banned' }).click();
    await dialog(page).getByLabel('Watched').selectOption({ label: 'Level 0' });
    await dialog(page).getByLabel('Minutes between').fill('0');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('in Level 0 · a mail for every reading').waitFor();
    const [alert] = await listOf<object>('/v2/license-plate-alerts');
    expect(alert).toMatchObject({
      plates: ['ZG 1-A', 'ST 2-B'],
      zone: { name: 'Level 0' },
      min_minutes_between_emails: 0,
      receivers: [{ name: 'Gus', receiver_email: 'guard@harbour.example' }],
    });
    await page.getByRole('searchbox', { name: 'Plate' }).fill('st2b');
    await page.getByRole('heading', { name: 'Banned' }).waitFor();
    await page.getByRole('searchbox', { name: 'Plate' }).fill('xx');
    await page.getByText('No alert fits.').waitFor();
    await goTo('/alerts');
    await page.getByRole('button', { name: 'Edit: Banned' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete the alert Banned?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('There is no alert yet.').waitFor();
  });

  it('shows what a display shows, what it would show, and changes its rules', async () => {
    const { page, goTo, check } = await open();
    await goTo('/displays');
    const now = page.getByRole('region', { name: 'Shown now' });
    await now.getByRole('img', { name: 'Shown now: 40 FREE' }).waitFor();
    await world.sim('PATCH', '/places/A1', { occupied: true });
    await now.getByRole('img', { name: 'Shown now: 39 FREE' }).waitFor();
    const preview = page.getByRole('region', { name: 'What would it show?' });
    await preview.getByRole('slider').fill('40');
    await preview.getByRole('img', { name: 'It would show: FULL' }).waitFor();
    await expect.poll(() => page.locator('.rule[aria-current]').innerText()).toContain('40 or more inside');
    await check('displays-desktop');
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog(page).getByLabel('Name').fill('nearly full');
    await dialog(page).getByLabel('When the vehicles inside are').selectOption('between');
    await dialog(page).getByLabel('Number').fill('30');
    await dialog(page).getByLabel('to', { exact: true }).fill('20');
    await dialog(page).getByLabel('Text').fill('HURRY {free}');
    await dialog(page).getByRole('img', { name: 'With 30 inside this reads: HURRY 10' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await dialog(page).getByText('Must not be below the first number.').waitFor();
    await check('display-rule-faults');
    await dialog(page).getByLabel('to', { exact: true }).fill('39');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByText('30 to 39 inside').waitFor();
    await preview.getByRole('slider').fill('35');
    await preview.getByRole('img', { name: 'It would show: 5 FREE' }).waitFor();
    // The first rule that fits decides: the new one has to come before.
    await page.getByRole('button', { name: 'Move nearly full up' }).click();
    await preview.getByRole('img', { name: 'It would show: HURRY 5' }).waitFor();
    await page.getByRole('button', { name: 'Edit: nearly full' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete nearly full?' }).getByRole('button', { name: 'Delete' }).click();
    await preview.getByRole('img', { name: 'It would show: 5 FREE' }).waitFor();
    await page.getByRole('button', { name: `Settings: ${SIGN}` }).click();
    await dialog(page).getByLabel('Address').fill('somewhere');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('This is no address').waitFor();
    await check('display-editor');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await world.sim('PATCH', '/places/A1', { occupied: false });
  });

  it.each([
    ['phone', PHONE, 'light'],
    ['phone', PHONE, 'dark'],
    ['desktop', DESKTOP, 'dark'],
  ] as const)('is good to read: %s %j %s', async (device, viewport, colorScheme) => {
    const { page, goTo, check } = await open({ viewport, colorScheme });
    for (const [path, heading] of [
      ['/members', 'Members and groups'],
      ['/members?edit=1', 'Members and groups'],
      ['/members?show=groups', 'Members and groups'],
      ['/members?show=import', 'Members and groups'],
      ['/keys', 'Keys'],
      ['/alerts', 'Plate alerts'],
      ['/alerts?edit=new', 'Plate alerts'],
      ['/displays', 'Displays'],
    ] as const) {
      await goTo(path);
      await page.getByRole('heading', { level: 1, name: heading, includeHidden: true }).waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      await check(`${path.replaceAll(/\W+/g, '-').slice(1)}-${device}-${colorScheme}`);
    }
  });

  it.each([
    ['de-AT', 'Mitglieder und Gruppen', 'Neues Mitglied', 'Bitte füllen Sie dieses Feld aus.', 'Anlegen'],
    ['hr-HR', 'Članovi i grupe', 'Novi član', 'Ispunite ovo polje.', 'Stvori'],
  ])('speaks %s', async (locale, title, make, missing, create) => {
    const shown = await open({ locale }, null);
    const { page, check } = shown;
    await page.locator('input[type=email]').fill(OWNER.email);
    await page.locator('input[type=password]').fill(OWNER.password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').first().waitFor();
    await shown.goTo('/members');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByRole('button', { name: make }).click();
    await dialog(page).getByRole('button', { name: create }).click();
    await dialog(page).getByText(missing).waitFor();
    await check(`members-${locale}`);
  });

  it('shows an attendant none of it', async () => {
    const { page, goTo } = await open({}, GUARD);
    for (const path of ['/members', '/alerts', '/displays']) {
      await goTo(path);
      await page.getByText('Your role does not allow this.').waitFor();
    }
  });

  it('shows hostile names and plates as text, in every view', async () => {
    const text = ATTACK;
    for (const [method, path, body] of [
      ['POST', '/v2/groups', { name: `group ${text}`, description: text, zone_ids: [1] }],
      ['POST', '/v2/members', { name: `member ${text}`, license_plate: 'A 1', description: text, group_ids: [1] }],
      [
        'POST',
        '/v2/license-plate-alerts',
        { name: text, plates: ['B 2'], receivers: [{ name: text, receiver_email: 'a@example.com' }] },
      ],
      ['PATCH', '/v2/rgb-displays/1', { name: text, stale_text: text }],
      [
        'POST',
        '/v2/rgb-display-rules',
        { rgb_display_id: 1, name: text, operator: 'gte', display_text: text, order: 0 },
      ],
    ] as const)
      expect([path, (await world.call(method, path, { body })).status]).toEqual([path, 200]);
    const { page, goTo, check } = await open();
    for (const path of [
      '/members?show=groups',
      `/members?find=${encodeURIComponent(text)}`,
      '/members?show=groups&edit=3',
      '/members?show=import',
      '/alerts',
      '/alerts?edit=2',
      '/displays',
      '/displays?edit=1',
    ]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor();
      if (path.endsWith('import'))
        await page.getByLabel('Or paste').fill(`name,groups\n"${text.replace('"', '""')}",<b>x</b>`);
      await page.getByText('<img src=x onerror').first().waitFor({ state: 'attached' });
      expect(await page.locator('img[src="x"]').count(), path).toBe(0);
      await check(`hostile-people${path.replaceAll(/\W+/g, '-').slice(0, 24)}`);
    }
  });
});
