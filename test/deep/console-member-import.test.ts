/** Members from a file: what each line does, and the import that the service makes of them. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../browser/chromium.js';
import { PHONE } from '../browser/console-page.js';
import { ATTACK, OWNER, type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { readCsv } from '../integration/session/read-csv.js';
import { TEST_SITE } from '../world/site.js';
import { startTcpRelay, type TcpRelay } from '../world/tcp-relay.js';
import type { World } from '../world/world.js';

interface ShownMember {
  name: string;
  license_plate: string;
  email: string;
  groups: { name: string }[];
}

describe.skipIf(!hasChromium())('the console: an import of members', () => {
  let started: ConsoleWorld;
  let world: World;
  let relay: TcpRelay | undefined;

  beforeAll(async () => {
    started = await startConsoleWorld();
    ({ world } = started);
    await world.call('POST', '/v2/groups', { body: { name: 'Staff', zone_ids: [1] } });
  });
  afterEach(async () => {
    await started.closePages();
    await relay?.close();
    relay = undefined;
  });
  afterAll(() => started?.close());

  const open: ConsoleWorld['open'] = (...how) => started.open(...how);
  const listOf = async <Item>(path: string) => (await world.api<{ data: Item[] }>(path)).body.data;
  const members = () => listOf<ShownMember>('/v2/members?size=300&sort=id:asc');
  const memberCalled = async (name: string) => (await members()).find((each) => each.name === name);
  const dialog = (page: Page) => page.getByRole('dialog');
  const downloaded = async (page: Page, press: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), press()]);
    return await readFile(await download.path(), 'utf8');
  };

  const FILE = `Name;Plate;E-mail;Groups;Shoe size
Iva;ZG 100-AA;iva@example.com;Residents;38
Mia;${TEST_SITE.memberPlate};mia@harbour.example;Residents;39
Juraj;---;juraj;Nobody;44
"${ATTACK.replace('"', '""')}";ST 55-BB;;Residents | Staff;40
Iva;ZG 100-AA;;;38
`;

  it('takes members from a file: shows what each line does, then does it, and reports', async () => {
    const { page, goTo, check } = await open();
    await goTo('/members?show=import');
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'members.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(FILE.replace('Juraj', 'J\u00fcrg'), 'latin1'),
    });
    await page.getByText('Read as windows-1252, with semicolons between the cells.').waitFor();
    await page.getByText('Not read: Shoe size.').waitFor();
    await page.getByText('E-mail: mia@example.com → mia@harbour.example').waitFor();
    await page.getByText('Plate: “---” is no plate: it needs letters or digits.').waitFor();
    await page.getByText('Groups: there is no group “Nobody”: create it first').waitFor();
    await page.getByText('Name: line 2 is about the same member').waitFor();
    await page.getByText('J\u00fcrg').waitFor();
    await check('import-dry-run');
    expect(await memberCalled('Iva')).toBeUndefined();
    await page.getByText('Shoe size: not read').waitFor();
    const wrong = await downloaded(page, () => page.getByRole('button', { name: 'Download the wrong lines' }).click());
    expect(readCsv(wrong.slice(1)).map((line) => Object.values(line).slice(0, 2))).toEqual([
      ['4', 'J\u00fcrg'],
      ['6', 'Iva'],
    ]);
    await page.getByRole('button', { name: 'Import 3 lines' }).click();
    const last = page.getByRole('region', { name: 'The last import' });
    await last.getByText('2 created, 1 changed').waitFor();
    await last.getByText('members.csv').waitFor();
    await check('import-done');
    expect(await memberCalled('Iva')).toMatchObject({ license_plate: 'ZG 100-AA', groups: [{ name: 'Residents' }] });
    expect(await memberCalled('Mia')).toMatchObject({ email: 'mia@harbour.example' });
    const report = await downloaded(page, () => page.getByRole('button', { name: 'Download the report' }).click());
    expect(readCsv(report.slice(1)).map((line) => Object.values(line).slice(0, 3))).toEqual([
      ['2', 'Iva', 'created'],
      ['3', 'Mia', 'changed'],
      ['5', ATTACK, 'created'],
    ]);
    await page.getByRole('button', { name: 'Another file' }).last().click();
    await page.getByLabel('Or paste the lines here').waitFor();
  });

  it('gives all members as a file that no spreadsheet computes, and that it reads again as it is', async () => {
    await world.call('POST', '/v2/members', { body: { name: '=1+1', description: 'a, "b"' } });
    const { page, goTo } = await open();
    await goTo('/members');
    const text = await downloaded(page, () => page.getByRole('button', { name: 'Save as CSV' }).click());
    expect(text.startsWith('\uFEFFid,name,license_plate,email,description,valid_from,valid_until,groups\r\n')).toBe(
      true,
    );
    const lines = readCsv(text.slice(1));
    expect(lines.map(({ name }) => name)).toContain("'=1+1");
    expect(lines).toHaveLength((await members()).length);
    await goTo('/members?show=import');
    await page.getByLabel('Or paste the lines here').fill(text);
    await page.getByText('There is nothing to import.').waitFor();
    await page.getByRole('button', { name: `unchanged ${lines.length}` }).waitFor();
    // What was pasted is there after a reload.
    await page.reload();
    await page.getByRole('button', { name: `unchanged ${lines.length}` }).waitFor();
  });

  const pasted = async (page: Page, count: number, name: string) => {
    const lines = Array.from({ length: count }, (_, at) => `${name} ${at},${name.slice(0, 2)} ${at}`);
    await page.getByLabel('Or paste the lines here').fill(`name,plate\n${lines.join('\n')}\n`);
    await page.getByRole('button', { name: `Import ${count} lines` }).click();
  };

  it('leaves an import to the service, which goes on while the page is closed and the person is signed out', async () => {
    const { page, goTo, close } = await open();
    const before = (await members()).length;
    await goTo('/members?show=import');
    await pasted(page, 250, 'Guest');
    await page.getByText('The service goes on by itself').waitFor();
    await close();
    const again = await open();
    await again.goTo('/members?show=import');
    const last = again.page.getByRole('region', { name: 'The last import' });
    await last.getByText('250 created, 0 changed').waitFor({ timeout: 60_000 });
    expect((await members()).length).toBe(Math.min(before + 250, 300));
  });

  it('begins an import once, though its answer was lost', async () => {
    const port = Number(new URL(world.cloudUrl).port);
    relay = await startTcpRelay(port);
    const { page, goTo } = await open({}, OWNER, `http://127.0.0.1:${relay.port}`);
    await goTo('/members?show=import');
    await page.getByLabel('Or paste the lines here').fill('name,plate\nOnce,ON 1\n');
    const button = page.getByRole('button', { name: 'Import one line' });
    await button.waitFor();
    relay.silence();
    await button.click();
    relay.resume();
    await page.getByRole('region', { name: 'The last import' }).getByText('1 created, 0 changed').waitFor();
    expect(await listOf<object>('/v2/members?filter=name:eq:Once')).toHaveLength(1);
  });

  it('cancels an import after a question, and says what was left out', async () => {
    const { page, goTo, check } = await open({ viewport: PHONE });
    await goTo('/members?show=import');
    const lines = Array.from({ length: 4_000 }, (_, at) => `Visitor ${at},VI ${at}`);
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'visitors.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`name,plate\n${lines.join('\n')}\n`),
    });
    await page.getByRole('button', { name: 'Import 4000 lines' }).click();
    const last = page.getByRole('region', { name: 'The last import' });
    await last.getByRole('progressbar', { name: 'Import members' }).waitFor();
    await check('import-running-phone');
    await last.getByRole('button', { name: 'Cancel the import' }).click();
    await dialog(page).getByRole('button', { name: 'Cancel the import' }).click();
    await last.getByText('cancelled').waitFor();
    await last.getByText(/lines were not imported/).waitFor();
    await check('import-cancelled-phone');
  });

  it.each([
    ['Mia;ZG1\nIvo;ST1', 'The first line must name the columns, one of them “name”.'],
    ['name,plate\nMia,"ZG1', 'In line 2 a quotation mark begins that is never closed.'],
  ])('says why a file cannot be taken: %j', async (text, said) => {
    const { page, goTo, check } = await open({ viewport: PHONE, colorScheme: 'dark' });
    await goTo('/members?show=import');
    await page.getByLabel('Or paste the lines here').fill(text);
    await page.getByText(said).waitFor();
    await check(`import-fault-${said.length}`);
  });
});
