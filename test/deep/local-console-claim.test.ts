/** The life of a device on its own page, in a browser against the built programs: claimed, renewed, replaced, erased. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openIdentity } from '../../agent/commissioning/identity.js';
import { hasChromium } from '../browser/chromium.js';
import { type ConsolePage, PHONE } from '../browser/console-page.js';
import { type ConsoleWorld, startConsoleWorld } from '../browser/console-world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import type { World } from '../world/world.js';

const SUNLIT = { isSunlit: true };
const WITHIN = { timeout: 90_000 };
const LOT_ID = 1;

interface Made {
  id: number;
  claim_code: string;
  claim_qr: string;
}

describe.skipIf(!hasChromium())('a device on its own page', () => {
  let started: ConsoleWorld;
  let world: World;
  let spare: Made;
  const devices: RunningProgram[] = [];

  beforeAll(async () => {
    started = await startConsoleWorld({ driver: 'programs' });
    ({ world } = started);
    spare = await makeGateway('Spare Pi');
    await startDevice('first');
    await startDevice('second');
  }, 240_000);
  afterEach(() => started.closePages());
  afterAll(async () => {
    for (const device of devices) await device.end();
    await started?.close();
  });

  const urls: Record<string, string> = {};
  const envOf = (name: string, port: number) => ({
    AGENT_DATA_DIR: join(world.dataDir, name),
    AGENT_HTTP_PORT: String(port),
    BLE_HCI: `sim:${join(world.dataDir, 'radio.sock')}`,
    REPORT_INTERVAL_MS: '1000',
  });
  async function makeGateway(name: string): Promise<Made> {
    const { body } = await world.call<{ data: Made }>('POST', '/v2/gateways', { body: { name, lot_id: LOT_ID } });
    return body.data;
  }
  async function newCode({ id }: Made): Promise<Made> {
    return (await world.call<{ data: Made }>('POST', `/v2/gateways/${id}/claim-code`)).body.data;
  }
  async function passwordOf({ id }: Made, method: 'GET' | 'POST' = 'GET'): Promise<string> {
    const path = `/v2/gateways/${id}/console-password`;
    return (await world.call<{ data: { password: string } }>(method, path)).body.data.password;
  }
  async function startDevice(name: string): Promise<void> {
    const [port = 0] = await freePorts(1);
    urls[name] = `http://127.0.0.1:${port}`;
    devices.push(startProgram('agent/main.js', ['run'], envOf(name, port)));
    const answers = () =>
      fetch(`${urls[name]}/api/device`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitUntil(`the page of the ${name} device`, answers);
  }
  const open = (name: string, options: Parameters<ConsoleWorld['open']>[0] = { viewport: PHONE }) =>
    started.open(options, null, urls[name]);
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const isNew = (page: Page) => page.getByRole('heading', { name: 'This gateway is new' }).waitFor(WITHIN);
  const deviceCodeOf = (name: string) => openIdentity(join(world.dataDir, name, 'identity.json')).deviceCode ?? '';
  interface Claimed {
    code: string;
    device: string;
    cloud?: string;
  }
  async function claim(page: Page, { code, device, cloud = '' }: Claimed): Promise<void> {
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByLabel('Device code').fill(device);
    await page.getByLabel('Address of the cloud').fill(cloud);
    // The gateway takes one try in three seconds, and says so.
    const accepts = async () => {
      const answer = page.waitForResponse(/\/api\/claim$/);
      await press(page, 'Connect it');
      return (await answer).status() !== 429;
    };
    await expect.poll(accepts, WITHIN).toBe(true);
  }
  async function enter(shown: ConsolePage, password: string): Promise<void> {
    const { page } = shown;
    await page.getByRole('heading', { name: 'Sign in: Spare Pi' }).waitFor(WITHIN);
    await page.getByLabel('Device password').fill(password);
    await press(page, 'Sign in');
    await page.locator('nav').waitFor();
  }

  it('says what is wrong with a code and an address, and joins its cloud by the link of the QR code', async () => {
    const shown = await open('first');
    const { page, check } = shown;
    await isNew(page);
    await check('local-claim', SUNLIT);
    await claim(page, { code: spare.claim_code, device: 'AAAA-AAAA', cloud: world.cloudUrl });
    await page.getByText('This is not the code of this device.').first().waitFor();
    await check('local-claim-device', SUNLIT);
    const device = deviceCodeOf('first');
    const badCode = 'The cloud does not take this code: it is wrong, used, expired or another cloud’s.';
    await claim(page, { code: 'WRONG-0000', device, cloud: world.cloudUrl });
    await page.getByText(badCode).waitFor();
    await check('local-claim-code', SUNLIT);
    const used = await makeGateway('Used Pi');
    const args = ['claim', '--cloud', world.cloudUrl, '--code', used.claim_code];
    const { code } = await startProgram('agent/main.js', args, envOf('used', (await freePorts(1))[0] ?? 0)).ended;
    expect(code).toBe(0);
    await claim(page, { code: used.claim_code, device, cloud: world.cloudUrl });
    await page.getByText(badCode).waitFor();
    const [closed = 0] = await freePorts(1);
    for (const cloud of ['parking.example.com', `http://127.0.0.1:${closed}`]) {
      await claim(page, { code: spare.claim_code, device, cloud });
      await page.getByText('No cloud answers at this address.').waitFor();
      expect(await page.getByText(badCode).count()).toBe(0);
    }
    await check('local-claim-address', SUNLIT);
    await claim(page, { code: spare.claim_qr, device });
    await page.getByRole('heading', { name: 'Sign in: Spare Pi' }).waitFor(WITHIN);
    await check('local-claimed', SUNLIT);
  });

  it('examines itself, and a password that is renewed ends what was signed in with the old one', async () => {
    const shown = await open('first');
    const { page, check } = shown;
    await enter(shown, await passwordOf(spare));
    await page.getByRole('link', { name: 'Health' }).click();
    await press(page, 'Examine now');
    await page.locator('ul.findings li').first().waitFor(WITHIN);
    const lines = await page.locator('ul.findings li').allInnerTexts();
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => /undefined|NaN|\[object/.test(line))).toEqual([]);
    await page.locator('ul.findings').scrollIntoViewIfNeeded();
    await check('local-doctor', SUNLIT);
    const renewed = await passwordOf(spare, 'POST');
    await page.getByText('You are signed out. Sign in to go on.').waitFor(WITHIN);
    await check('local-renewed', SUNLIT);
    await enter(shown, renewed);
  });

  it('lets nobody go on after it is replaced, and is as new', async () => {
    const old = await open('first');
    await enter(old, await passwordOf(spare));
    const next = await open('second');
    await isNew(next.page);
    await claim(next.page, { code: (await newCode(spare)).claim_qr, device: deviceCodeOf('second') });
    await next.page.getByRole('heading', { name: 'Sign in: Spare Pi' }).waitFor(WITHIN);
    await old.page.locator('nav').waitFor({ state: 'detached', ...WITHIN });
    await isNew(old.page);
    const asked = await old.page.evaluate<number>(`fetch('/api/view').then(({ status }) => status)`);
    expect(asked).toBeGreaterThanOrEqual(400);
    await old.check('local-replaced', SUNLIT);
  });

  it('is erased after its name and a last question, and shows the form of a new one', async () => {
    const shown = await open('second', { viewport: PHONE, colorScheme: 'dark' });
    const { page, check } = shown;
    await enter(shown, await passwordOf(spare));
    await page.getByRole('link', { name: 'Service' }).click();
    await press(page, 'Erase everything');
    await page.getByLabel('Type its name to go on: Spare Pi').fill('Another Pi');
    await press(page, 'Go on');
    await page.getByText('This is not its name.').waitFor();
    await check('local-reset-name', SUNLIT);
    await page.getByLabel('Type its name to go on: Spare Pi').fill('Spare Pi');
    await press(page, 'Go on');
    await page.getByText(/^Really\? This cannot be undone\./).waitFor();
    await check('local-reset-last', SUNLIT);
    await press(page, 'Erase it now');
    await isNew(page);
    await check('local-erased', SUNLIT);
  });
});
