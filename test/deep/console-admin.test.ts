import { decodeJson, type JsonText } from '../../shared/json-text-codec.js';
import type { UpdateReport } from '../../shared/releases.js';
import type { GatewayHealthReport } from '../../shared/uplink-reports.js';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { MqttClient } from 'mqtt';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../browser/chromium.js';
import { type ConsolePage, type ConsoleUser, DESKTOP, openConsole, PHONE, until } from '../browser/console-page.js';
import { connectTerminal, generateTerminalKey } from '../integration/terminal/terminal-device.js';
import { freePorts } from '../world/free-ports.js';
import { type MailServer, startMailServer } from '../world/mail-server.js';
import { startProgram } from '../world/programs.js';
import { TEST_SITE } from '../world/site.js';
import { startTcpRelay } from '../world/tcp-relay.js';
import { createWorld, type World } from '../world/world.js';
import { parseClaimFile } from '../../shared/claim-file.js';
import { DAY_MS, HOUR_MS } from '../../shared/durations.js';

const OWNER = { email: TEST_SITE.ownerEmail, password: TEST_SITE.ownerPassword };
const ADMIN = { email: 'ada@harbour.example', password: 'another phrase' };
const GUARD = { email: 'guard@harbour.example', password: 'a third phrase' };
const ATTACK = '"><img src=x onerror=alert(1)>';

const VIEWS = [
  '/devices',
  '/devices?show=signal',
  '/devices?show=cameras',
  '/devices?show=sensors',
  '/devices?show=terminals',
  '/profile',
  '/users',
  '/tokens',
  '/webhooks',
  '/mails',
  '/audit',
];

const nameOf = (path: string) => path.replace('?show=', '-').slice(1);

/** Weeks of a camera and of a product's signal, as the service would have written them. */
function writeHistory(file: string): void {
  const db = new Database(file);
  const now = Date.now();
  const day = db.prepare('INSERT OR REPLACE INTO lpr_camera_days VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const signal = db.prepare('INSERT OR REPLACE INTO product_signals VALUES (?, ?, ?, ?)');
  for (let ago = 29; ago > 0; ago -= 1) {
    const on = Math.floor(now / DAY_MS) - ago;
    const wave = Math.round(60 + 40 * Math.sin((on * 2 * Math.PI) / 7));
    day.run(1, on, wave, ago < 8 ? Math.round(wave / 4) : 3, 2, ago === 12 ? 2 * HOUR_MS : 0, (30 - ago) * 900, now);
    day.run(2, on, wave - 10, 2, 1, 0, 120, now);
  }
  for (let ago = 30 * 24; ago > 0; ago -= 1) {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS - ago * HOUR_MS;
    const rssi = Math.round(-58 - 6 * Math.sin(ago / 5));
    if (ago < 9 || ago > 12) signal.run(1, 1, hour, JSON.stringify({ [rssi]: 3, [rssi - 7]: 1, [rssi + 4]: 1 }));
    for (const gateway of [1, 2]) signal.run(2, gateway, hour, JSON.stringify({ [rssi - 33]: 2, [rssi - 36]: 1 }));
    signal.run(1, 2, hour, JSON.stringify({ [rssi - 20]: 3, [rssi - 24]: 1 }));
  }
  db.close();
}

/** As a gateway with slots, whose last update fell back, would have said it. */
function reportUpdate(path: string, name: string): void {
  const db = new Database(path);
  const { gateway_id, health } = db
    .prepare('SELECT gateway_id, health FROM gateway_health JOIN gateways ON gateways.id = gateway_id WHERE name = ?')
    .get(name) as { gateway_id: number; health: string };
  const update: UpdateReport = {
    can_install: true,
    machine: 'parking-gateway-arm64',
    installed: '1.4.0',
    slot: 'A',
    phase: 'fallen_back',
    version: '1.5.0',
    progress: null,
    waits_for: null,
    error: 'the cloud is not reached; 1.4.0 runs again',
  };
  const reported = { ...decodeJson(health as JsonText<GatewayHealthReport>), update };
  db.prepare('UPDATE gateway_health SET health = ? WHERE gateway_id = ?').run(JSON.stringify(reported), gateway_id);
  db.close();
}

describe.skipIf(!hasChromium())('the console: devices and the account', () => {
  let world: World;
  let browser: Browser;
  let receiver: Server;
  let receiverAnswers = 200;
  const received: string[] = [];
  let mailPort: number;
  let mails: MailServer | undefined;
  const terminals: MqttClient[] = [];
  let shown: ConsolePage[] = [];

  beforeAll(async () => {
    [mailPort = 0] = await freePorts(1);
    receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(receiverAnswers).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const users = [ADMIN, GUARD].map(
      ({ email, password }, at) =>
        `      - {email: ${email}, password: "${password}", name: ${at === 0 ? 'Ada' : 'Gus'}, role: ${at === 0 ? 'Admin' : 'Attendant'}, lots: [North]}\n`,
    );
    world = await createWorld({
      secondGateway: true,
      cloudEnv: {
        WEBHOOK_ALLOW_PRIVATE: 'true',
        SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
        TERMINAL_WAIT_MS: '300',
      },
      alterSite: (yaml) => yaml.replace('    api_tokens:', `${users.join('')}    api_tokens:`),
    });
    await world.stopCloud();
    writeHistory(join(world.dataDir, 'cloud', 'cloud.db'));
    await world.startCloud();
    await world.settled();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await Promise.all(terminals.map((each) => each.endAsync(true)));
    await browser?.close();
    await world?.close();
    await mails?.close();
    receiver?.close();
  });
  afterEach(async () => {
    await Promise.all(shown.map((each) => each.close()));
    shown = [];
  });

  const open = async (options: Parameters<Browser['newContext']>[0] = {}, user: ConsoleUser = OWNER) => {
    const page = await openConsole(browser, world.cloudUrl, options);
    shown.push(page);
    await page.signIn(user);
    return page;
  };
  const drafts = (console: ConsolePage) => console.page.evaluate<string>('JSON.stringify({...sessionStorage})');

  it('adds a gateway with a code as QR, which a real device claims, then renames and deletes it', async () => {
    const { page, goTo, check } = await open();
    const name = page.getByRole('textbox', { name: 'Name' });
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'Entrance Pi' }).waitFor();
    await page.getByText('Add a gateway').click();
    await page.getByRole('button', { name: 'Make the code' }).click();
    await page.getByText('Please fill in this field.').waitFor();
    await check('devices-add-fault');
    await name.fill('Spare Pi');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('Spare Pi');
    await page.getByRole('button', { name: 'Make the code' }).click();
    await page.getByRole('img', { name: 'Claim code of Spare Pi as QR code' }).waitFor();
    await check('devices-code');
    const command = await page.locator('.secret > code').innerText();
    const [, code = ''] = /--code (\S+)$/.exec(command) ?? [];
    // What a device finds on its card. The Wi-Fi is in the file, and was sent to nobody.
    await page.getByText('Claim file for a card').click();
    await page.getByLabel('Wi-Fi name').fill('Garage');
    await page.getByLabel('Wi-Fi password').fill('short');
    await page.getByRole('button', { name: 'Save claim.json' }).click();
    await page.getByText('8 to 63 characters').waitFor();
    await check('devices-claim-file-fault');
    await page.getByLabel('Wi-Fi password').fill('not so short');
    await page.getByLabel('Country of the Wi-Fi').fill('hr');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`));
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save claim.json' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('claim.json');
    expect(parseClaimFile(readFileSync(await saved.path(), 'utf8'))).toEqual({
      file: {
        cloud_url: world.cloudUrl,
        claim_code: code,
        network: { wifi: { ssid: 'Garage', password: 'not so short', country: 'HR' } },
      },
    });
    expect(sent.join()).not.toContain('not so short');
    const claimed = startProgram('agent/main.js', ['claim', '--cloud', world.cloudUrl, '--code', code], {
      AGENT_DATA_DIR: join(world.dataDir, 'spare'),
    });
    expect([(await claimed.ended).code, claimed.output()]).toEqual([0, expect.any(String)]);
    await page.getByText('Spare Pi is claimed.').waitFor();
    await page.getByRole('button', { name: 'Rename: Spare Pi' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('x'.repeat(1_000));
    await page.getByRole('button', { name: 'Save' }).click();
    // The service says what is wrong, at the field.
    await page.getByRole('dialog').locator('.fault:not(:empty)').waitFor();
    await check('devices-rename-fault');
    await page.getByRole('dialog').getByRole('textbox').fill('Attic Pi');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Attic Pi', exact: true }).waitFor();
    await goTo('/devices');
    await page.getByRole('button', { name: 'Delete: Attic Pi' }).click();
    await page.getByRole('dialog').getByText('opens nothing any more').waitFor();
    await page.getByRole('dialog').getByText('Show the REST call').click();
    expect(await page.getByRole('dialog').locator('pre').innerText()).toMatch(
      /^curl -X DELETE '.*\/v2\/gateways\/\d+'/,
    );
    await check('devices-delete');
    // Nobody is there to tell the products that what the lost device holds is revoked.
    await Promise.all([world.stopAgent(), world.secondGateway?.stop()]);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Attic Pi', exact: true }).waitFor({ state: 'detached' });
    const entrance = page.getByRole('article', { name: 'Entrance Pi' });
    await entrance.getByText('working alone since').waitFor();
    await entrance.getByText(/an old credential is revoked: .*Exit gate/).waitFor();
    await check('devices-untold');
    await Promise.all([world.startAgent(), world.secondGateway?.start()]);
    await world.settled();
    await entrance.getByText('connected', { exact: true }).waitFor();
  });

  it('shows the software of a gateway, pauses its updates, and does not wait for the hours when it is asked', async () => {
    const { page, goTo, check } = await open();
    await goTo('/devices');
    const entrance = page.getByRole('article', { name: 'Entrance Pi' });
    await entrance.getByText('Software').click();
    // The agents of this world run from a checkout.
    await entrance.getByText('by apt where it came as a package; this service installs nothing there').waitFor();
    await world.stopAgent();
    reportUpdate(join(world.dataDir, 'cloud', 'cloud.db'), 'Entrance Pi');
    await page.reload();
    await entrance.getByText('Software').click();
    await entrance.getByText('1.4.0 (slot A)').waitFor();
    await entrance.getByText('1.5.0 did not work; the one before it runs again').waitFor();
    await entrance.getByText('the cloud is not reached; 1.4.0 runs again').waitFor();
    await entrance.getByRole('button', { name: 'Pause updates: Entrance Pi' }).click();
    await entrance.getByText('Updates of this gateway are paused.').waitFor();
    await check('devices-software');
    await entrance.getByRole('button', { name: 'Update now: Entrance Pi' }).click();
    await check('devices-update-now');
    await page.getByRole('dialog').getByRole('button', { name: 'Update now' }).click();
    await entrance.getByRole('button', { name: 'Pause updates: Entrance Pi' }).waitFor();
    await world.startAgent();
    await world.settled();
  });

  it('says what a camera saw last and how it reads, and keeps a name through a cut of the network', async () => {
    await world.arrive(TEST_SITE.memberPlate);
    const port = Number(new URL(world.cloudUrl).port);
    const relay = await startTcpRelay(port);
    const console = await openConsole(browser, `http://127.0.0.1:${relay.port}`);
    shown.push(console);
    const { page, signIn, goTo, check } = console;
    await signIn(OWNER);
    await goTo('/devices?show=cameras');
    const camera = page.getByRole('article', { name: 'Entry camera' });
    await camera.getByText(TEST_SITE.memberPlate).waitFor();
    await until(page, `document.querySelector('.seen img')?.naturalWidth > 0`);
    await camera.getByText('Clean the lens').waitFor();
    await camera.getByText('26.1 s ahead').waitFor();
    expect(await camera.getByText('0.9 s', { exact: true }).count()).toBe(1);
    await check('cameras');
    await camera.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('North camera');
    const [dead] = await freePorts(1);
    relay.leadTo(dead ?? 1);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Connection lost since/).waitFor();
    relay.leadTo(port);
    await page.getByRole('heading', { name: 'North camera', exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Rename: North camera' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Entry camera');
    await page.getByRole('button', { name: 'Save' }).click();
    // The name is told by an event, which may come before the dialog, whose heading has it too, is closed.
    await page.getByRole('heading', { name: 'Entry camera', exact: true }).waitFor();
    await relay.close();
  });

  it('draws the signal of products over time, and says which gateway hears too weakly', async () => {
    const { page, goTo, check } = await open();
    await goTo('/devices?show=signal');
    const plot = page.getByRole('img', { name: /^Signal of Entry barrier\. Entrance Pi: -\d\d dBm in the median/ });
    await plot.waitFor();
    expect(await plot.locator('path.line').count()).toBe(2);
    await page.getByRole('article', { name: 'Exit gate' }).getByText('Too weak: commands will fail').waitFor();
    await check('signal-day');
    await page.getByLabel('Range').selectOption('30 days');
    await page
      .getByRole('img', { name: /in 71\d hours/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('month');
    await check('signal-month');
  });

  it('shows places as their sensors change', async () => {
    const { page, goTo, check } = await open();
    await goTo('/devices?show=sensors');
    const sensors = page.getByRole('region', { name: 'Guidance' });
    await sensors.getByText('0 of 3 occupied').waitFor();
    await world.sim('PATCH', `/places/${TEST_SITE.places[1]}`, { occupied: true });
    await sensors.getByText('1 of 3 occupied').waitFor();
    await check('sensors');
  });

  it('registers a terminal that answers, and says so when one does not', async () => {
    const { page, goTo, check } = await open();
    const key = generateTerminalKey();
    await goTo('/devices?show=terminals');
    await page.getByText('There is no terminal yet.').waitFor();
    await page.getByRole('button', { name: 'Register a terminal' }).click();
    await page.getByLabel('Device id').fill('pof-1');
    await page.getByLabel('MAC address').fill('no address');
    await page.getByLabel('Public key').fill(key.publicKey);
    await page.getByLabel('Kind').selectOption('Pay station');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.locator('.fault:not(:empty)').waitFor();
    await check('terminals-fault');
    await page.getByLabel('MAC address').fill('02:00:00:00:00:01');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('The terminal did not confirm in time.').waitFor({ timeout: 60_000 });
    expect(await page.getByLabel('Device id').inputValue()).toBe('pof-1');
    terminals.push(await connectTerminal(world.brokerPort, key));
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const card = page.getByRole('article', { name: 'pof-1' });
    await card.getByText('2.0.1').waitFor();
    await card.getByLabel('Zone').selectOption('Level 0');
    await card.getByRole('definition').getByText('Level 0').waitFor();
    await check('terminals');
  });

  it('adds a user, who signs in; changes the role; and says at the field what is wrong', async () => {
    const owner = await open();
    const { page, goTo, check } = owner;
    await goTo('/users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    expect(await page.getByText('Please fill in this field.').count()).toBe(3);
    await check('users-missing');
    await page.getByRole('dialog').getByLabel('Name').fill('Nina');
    await page.getByRole('dialog').getByLabel('E-mail').fill(GUARD.email);
    await page.getByLabel('First password').fill('short');
    await page.getByText('Use at least 10 characters.').first().waitFor();
    await page.getByLabel('First password').fill('a phrase of Nina');
    const form = page.getByRole('form', { name: 'Add a user' });
    await form.getByText('Show the REST call').click();
    expect(await form.locator('pre').innerText()).toContain('"name":"Nina"');
    expect(await form.locator('pre').innerText()).not.toContain('a phrase of Nina');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This email has a user already').waitFor();
    expect(await page.getByLabel('First password').inputValue()).toBe('a phrase of Nina');
    expect(await drafts(owner)).not.toContain('a phrase of Nina');
    expect(await drafts(owner)).toContain('Nina');
    await page.getByRole('dialog').getByLabel('E-mail').fill('nina@harbour.example');
    await page.getByLabel('North').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Nina can sign in now.').waitFor();
    await open({}, { email: 'nina@harbour.example', password: 'a phrase of Nina' });
    await page.getByRole('button', { name: 'Change: Nina' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('Admin');
    await check('users-change');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('listitem').filter({ hasText: 'nina@' }).getByText('Admin', { exact: true }).waitFor();
    // The last one who may do everything stays one.
    await page.getByRole('button', { name: 'Change: Olga' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('Attendant');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The last Super Admin of an account stays one').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete: Nina' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('nina@harbour.example').waitFor({ state: 'detached' });
  });

  it('changes the own name and password, and ends the sign-in elsewhere', async () => {
    const { page, goTo, check } = await open({}, GUARD);
    await goTo('/profile');
    await page.getByLabel('Name').fill('Gustav');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('Gustav Attendant').waitFor();
    await page.getByLabel('Current password').fill('wrong phrase');
    await page.getByLabel('New password').fill('another phrase of Gus');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The present password is missing or wrong').waitFor();
    await check('profile-fault');
    await page.getByLabel('Current password').fill(GUARD.password);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
    GUARD.password = 'another phrase of Gus';
    const { status } = await world.call('POST', '/v2/auth/login', { body: GUARD });
    expect(status).toBe(200);
  });

  it('makes an API token, shows it once, and revokes it', async () => {
    const owner = await open();
    const { page, goTo, check } = owner;
    await goTo('/tokens');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByLabel('For which program').fill('Till');
    expect(await page.getByLabel('Role').inputValue()).toBe('Attendant');
    await page.getByLabel('Ends').selectOption('at a time that I choose');
    await page.getByLabel('At', { exact: true }).fill('2020-01-01T00:00');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This has to be in the future.').waitFor();
    await page.getByLabel('Ends').selectOption('in a year');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('The token of Till. It is shown once').waitFor();
    await check('tokens-shown');
    const token = await page.locator('.secret > code').innerText();
    const isAccepted = async () => (await world.call('GET', '/v2/lots', { token, statuses: [200, 401] })).status;
    expect(await isAccepted()).toBe(200);
    expect(await drafts(owner)).not.toContain(token);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Revoke: Till' }).click();
    expect(await page.content()).not.toContain(token);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke: Till' }).waitFor({ state: 'detached' });
    expect(await isAccepted()).toBe(401);
  });

  it('adds a webhook, tries it, sends a delivery again, and gives it a new secret', async () => {
    const { page, goTo, check } = await open();
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await goTo('/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill('my server');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is no address that begins with').waitFor();
    await page.getByText('Choose at least one event.').waitFor();
    await check('webhooks-faults');
    await page.getByLabel('Address').fill(url);
    await page.getByRole('checkbox', { name: 'lot_change' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^The signing secret of http/).waitFor();
    const first = await page.locator('.secret > code').innerText();
    expect(first).toMatch(/^whsec_/);
    await check('webhooks-secret');
    const card = page.getByRole('article', { name: url });
    receiverAnswers = 503;
    await card.getByRole('button', { name: 'Send a sample' }).click();
    await card.getByText('The receiver did not take it').waitFor();
    receiverAnswers = 200;
    await card.getByRole('button', { name: 'Send a sample' }).click();
    await card.getByText('The receiver took it: it answered 200.').waitFor();
    await card.getByRole('button', { name: 'Deliveries' }).click();
    await card.getByText('refused, 503').waitFor();
    await check('webhooks-deliveries');
    const before = received.length;
    await card
      .getByRole('button', { name: /^Send again: lot_change/ })
      .last()
      .click();
    await expect.poll(() => received.length).toBe(before + 1);
    await card.getByText('refused, 503').waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await expect.poll(() => page.locator('.secret > code').innerText()).not.toBe(first);
    await card.getByRole('button', { name: 'Switch off' }).click();
    await card.getByText('switched off since').waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
  });

  it('shows why a mail waits, and tries it again', async () => {
    const body = { receiver_emails: ['mia@example.com'], products: ['1'], start_time: new Date().toISOString() };
    expect((await world.call('POST', '/v2/operation-keys', { body })).status).toBe(200);
    const { page, goTo, check } = await open();
    await goTo('/mails');
    await page.getByText('mia@example.com').waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByText('mia@example.com').waitFor();
        return page.getByText(/one try · next try/).count();
      })
      .toBe(1);
    await check('mails-waiting');
    mails = await startMailServer({ port: mailPort });
    await page.getByRole('button', { name: 'Try again now: mia@example.com' }).click();
    await page.getByText('It is tried again.').waitFor();
    await expect.poll(() => mails?.received.length, { timeout: 20_000 }).toBe(1);
    await goTo('/mails?to=mia&status=sent');
    // The server has the mail before the service has stored that it does.
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByText(/mia@example\.com|No mail fits\./).waitFor();
        return page.getByText('mia@example.com').count();
      })
      .toBe(1);
    await goTo('/mails?status=failed');
    await page.getByText('No mail fits.').waitFor();
  });

  it('shows of plates in the audit log what may be shown, until somebody asks', async () => {
    await world.api(`/v2/sessions?filter=plate:eq:${TEST_SITE.memberPlate}`);
    const { page, goTo, check } = await open();
    const toggle = async (said: string) => {
      await goTo('/users');
      await page.getByLabel('Mask plates').click();
      await page.getByText(said).waitFor();
    };
    await toggle('Plates are masked from now on.');
    try {
      await goTo('/audit?action=plate.search');
      const row = page.getByRole('listitem').filter({ hasText: 'Details' }).first();
      await row.getByText('Details').click();
      await row.getByText('plate:eq:ZG•••AB').waitFor();
      expect(await page.content()).not.toContain(TEST_SITE.memberPlate);
      await check('audit-masked');
      await row.getByRole('button', { name: 'Show the plate: ZG•••AB' }).click();
      await row.getByText(`plate:eq:${TEST_SITE.memberPlate}`).waitFor();
      await expect
        .poll(async () => (await world.api<{ data: object[] }>('/v2/audit-log?filter=action:eq:lot.reveal')).body.data)
        .toHaveLength(1);
    } finally {
      await toggle('Plates are shown from now on.');
    }
  });

  it('finds in the audit log who did what, and brings the older entries on demand', async () => {
    for (let at = 0; at < 60; at += 1)
      await world.call('PATCH', '/v2/zones/1', { body: { description: `counted ${at}` } });
    const { page, goTo, check } = await open();
    await goTo('/audit?action=zone');
    const rows = page.locator('ol.rows > li');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByText('a program: story changed zone 1').first().waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(60);
    await page.getByLabel('What', { exact: true }).selectOption('API tokens');
    await page.getByText('Olga made API token').waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBe('api_token');
    await page.getByText('Details').first().click();
    await page.getByText('Fingerprint').first().waitFor();
    await check('audit');
    await page.getByLabel('Who').selectOption('the service itself');
    await page.getByText('No entry fits.').waitFor();
  });

  it('shows an Admin and an Attendant nothing that they may not do', async () => {
    const namesIn = ({ page }: ConsolePage, menu: string) =>
      page.getByRole('navigation', { name: menu }).getByRole('link').allInnerTexts();
    const ada = await open({}, ADMIN);
    await ada.goTo('/users');
    await ada.page.getByText('A Super Admin of your account changes users.').waitFor();
    expect(await ada.page.getByRole('button', { name: /^(Change|Delete|Add)/ }).count()).toBe(0);
    expect(await namesIn(ada, 'Account')).toEqual(['Profile', 'Users', 'Webhooks', 'Mails', 'Audit log']);
    await ada.goTo('/tokens');
    await ada.page.getByText('Your role does not allow this.').waitFor();
    const gus = await open({}, GUARD);
    for (const path of ['/users', '/tokens', '/webhooks', '/mails', '/audit']) {
      await gus.goTo(path);
      await gus.page.getByText('Your role does not allow this.').waitFor();
    }
    for (const part of ['gateways', 'cameras', 'sensors', 'terminals']) {
      await gus.goTo(`/devices?show=${part}`);
      await gus.page.getByRole('heading', { level: 2 }).first().waitFor();
      expect(await gus.page.getByRole('button', { name: /^(Rename|Delete|New claim code)/ }).count(), part).toBe(0);
    }
  });

  it.each([
    ['desktop', DESKTOP, 'light', 'en-GB'],
    ['dark', DESKTOP, 'dark', 'de-AT'],
    ['phone', PHONE, 'light', 'hr-HR'],
    ['phone-dark', PHONE, 'dark', 'en-GB'],
  ] as const)('fits and reads well: %s %j %s %s', async (device, viewport, colorScheme, locale) => {
    const console = await openConsole(browser, world.cloudUrl, { viewport, colorScheme, locale });
    shown.push(console);
    const { page, goTo, check } = console;
    await page.locator('input[type=email]').fill(OWNER.email);
    await page.locator('input[type=password]').fill(OWNER.password);
    await page.locator('button[type=submit]').click();
    await page.locator('header.bar').waitFor();
    for (const path of VIEWS) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.locator('.empty').filter({ hasText: '…' }).waitFor({ state: 'detached' });
      await check(`${nameOf(path)}-${device}`);
    }
  });

  it('shows hostile names as text, in every view', async () => {
    const hostile: [method: 'PATCH' | 'POST', path: string, body: object][] = [
      ['PATCH', '/v2/gateways/1', { name: ATTACK }],
      ['PATCH', '/v2/products/1', { name: ATTACK }],
      ['PATCH', '/v2/lots/1', { name: ATTACK }],
      ['PATCH', '/v2/zones/1', { name: ATTACK }],
      ['PATCH', '/v2/lpr-cameras/1', { name: ATTACK }],
      ['PATCH', '/v2/parking-gateways/1', { name: ATTACK }],
      ['PATCH', '/v2/parking-places/1', { name: ATTACK }],
      ['PATCH', '/v2/terminals/1', { name: ATTACK }],
      ['POST', '/v2/webhooks', { url: `http://example.com/${ATTACK}` }],
    ];
    for (const [method, path, body] of hostile) await world.call(method, path, { body, statuses: [200, 422] });
    const { page, goTo, check } = await open();
    await goTo('/profile');
    await page.getByLabel('Name').fill(ATTACK);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const search = encodeURIComponent(ATTACK);
    for (const path of [
      ...VIEWS,
      `/audit?action=${search}&target=${search}`,
      `/mails?to=${search}`,
      '/devices?show=toString',
    ]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.locator('img[src="x"]').count(), path).toBe(0);
      await check(`hostile-${nameOf(path).replaceAll(/\W/g, '-').slice(0, 20)}`);
    }
  });
});
