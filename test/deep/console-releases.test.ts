/** The software of gateways in the console: how far a release is, what a gateway's doctor found, and what a reset does. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeJson, type JsonText } from '../../shared/json-text-codec.js';
import type { UpdateReport } from '../../shared/releases.js';
import type { GatewayHealthReport } from '../../shared/uplink-reports.js';
import { hasChromium } from '../browser/chromium.js';
import { type ConsoleWorld, GUARD, LOOKS, startConsoleWorld } from '../browser/console-world.js';
import { startProgram } from '../world/programs.js';
import { makeSigner, manifestOf, writeBundle } from '../world/signed-bundle.js';

describe.skipIf(!hasChromium())('the console: the software of gateways', () => {
  let started: ConsoleWorld;

  const cli = async (...args: string[]) => {
    const program = startProgram('cloud/main.js', ['releases', ...args], {
      DATA_DIR: join(started.world.dataDir, 'cloud'),
      LOG_LEVEL: 'error',
    });
    expect([(await program.ended).code, program.output()]).toEqual([0, expect.any(String)]);
  };
  const publish = async (version: string, notes: string) => {
    const file = join(started.world.dataDir, `${version}.raucb`);
    const signer = makeSigner(started.world.dataDir);
    writeBundle(file, { signer, manifest: manifestOf({ version, notes }) });
    await cli('publish', file, '--keyring', signer.certificate);
  };
  /** As gateways with slots would have said it; the real ones of this world are updated by whoever runs this machine. */
  const report = (name: string, update: Partial<UpdateReport>) => {
    const db = new Database(join(started.world.dataDir, 'cloud', 'cloud.db'));
    const { gateway_id, health } = db
      .prepare('SELECT gateway_id, health FROM gateway_health JOIN gateways ON gateways.id = gateway_id WHERE name = ?')
      .get(name) as { gateway_id: number; health: string };
    const whole: UpdateReport = {
      can_install: true,
      machine: 'parking-gateway-arm64',
      installed: '1.4.0',
      slot: 'A',
      phase: 'idle',
      version: null,
      progress: null,
      waits_for: null,
      error: null,
      ...update,
    };
    const reported = { ...decodeJson(health as JsonText<GatewayHealthReport>), update: whole };
    db.prepare('UPDATE gateway_health SET health = ? WHERE gateway_id = ?').run(JSON.stringify(reported), gateway_id);
    db.close();
  };

  beforeAll(async () => {
    started = await startConsoleWorld({ secondGateway: true });
    await started.world.settled();
  });
  afterEach(() => started.closePages());
  afterAll(() => started?.close());

  it('says that there is none, and what one would do', async () => {
    const { page, check, goTo } = await started.open();
    await goTo('/releases');
    await page.getByText('No release has been published for your gateways yet.').waitFor();
    await page.getByText('What a new release does at a gateway').click();
    await page.getByText('the one before it comes back by itself').waitFor();
    await check('releases-none');
  });

  it.each(LOOKS)('shows how far a release is (%s)', async (what, viewport, colorScheme) => {
    if (what === 'desktop' && colorScheme === 'light') {
      await publish('1.5.0', 'Opens faster after a cold night');
      await cli('roll-out', '1', '--percent', '100');
    }
    report('Entrance Pi', { phase: 'fetching', version: '1.5.0', progress: 40 });
    const { page, check, goTo } = await started.open({ viewport, colorScheme });
    await goTo('/releases');
    const card = page.getByRole('article', { name: 'Release 1.5.0' });
    await card.getByText('1 is getting it').waitFor();
    await card.getByText('1 updated otherwise or not known').waitFor();
    await card.getByText('How far each gateway is').click();
    await card.getByText('being fetched').first().waitFor();
    await card.getByText('40 %').waitFor();
    await card.getByText('This service installs nothing there.').waitFor();
    await card.getByText('What comes to whom first').click();
    await card.getByText('Up to 100 %').waitFor();
    await check(`releases-${what}-${colorScheme}`);
  });

  it('says why one failed, and holds the rest back until somebody lets it go on', async () => {
    report('Entrance Pi', {
      phase: 'fallen_back',
      version: '1.5.0',
      error: 'the cloud is not reached; 1.4.0 runs again',
    });
    report('Exit Pi', { phase: 'ready', version: '1.5.0', waits_for: 'a car is on top of Exit gate' });
    const { page, check, goTo } = await started.open();
    const dialog = page.getByRole('dialog');
    await goTo('/releases');
    const card = page.getByRole('article', { name: 'Release 1.5.0' });
    await card.getByText('1 failed').waitFor();
    await card.getByText('How far each gateway is').click();
    await card.getByText('the cloud is not reached; 1.4.0 runs again').waitFor();
    await card.getByText('the one before it runs again; gates go on working').waitFor();
    await card.getByText('waits for: a car is on top of Exit gate').waitFor();
    await card.getByRole('button', { name: /^Hold it back/ }).click();
    await check('releases-hold-question');
    await dialog.getByRole('button', { name: 'Hold it back' }).click();
    await card.getByText('Done for 2 gateways.').waitFor();
    const { body } = await started.world.api<{ data: { is_paused: number } }>('/v2/gateways/2/update');
    expect(body.data.is_paused).toBe(1);
    await check('releases-held');
    await card.getByRole('button', { name: /^Let it go on/ }).click();
    await dialog.getByRole('button', { name: 'Let it go on' }).click();
    await expect
      .poll(async () => (await started.world.api<{ data: { is_paused: number } }>('/v2/gateways/2/update')).body.data)
      .toMatchObject({ is_paused: 0 });
  });

  it('is no matter of an Attendant', async () => {
    const { page, goTo } = await started.open({}, GUARD);
    await page.getByRole('link', { name: 'Devices' }).waitFor();
    expect(await page.getByRole('link', { name: 'Releases' }).count()).toBe(0);
    await goTo('/releases');
    expect(await page.getByText('published').count()).toBe(0);
  });

  it('shows what doctor found in three states, and nothing old as in order', async () => {
    const { page, check, goTo } = await started.open();
    await goTo('/devices');
    const gateway = page.getByRole('article', { name: 'Exit Pi' });
    await gateway.getByText('Doctor', { exact: true }).click();
    await gateway.getByRole('button', { name: 'Ask for a report: Exit Pi' }).click();
    await gateway.getByText(/^OK: \d+$/).waitFor();
    await gateway.getByText(/^OK: \d+$/).click();
    await gateway.getByText('Nothing to do.').waitFor();
    await check('doctor-fresh');
    const db = new Database(join(started.world.dataDir, 'cloud', 'cloud.db'));
    db.prepare('UPDATE gateway_doctors SET reported_at = reported_at - 7200000 WHERE gateway_id = 2').run();
    db.close();
    await page.reload();
    await gateway.getByText('Doctor', { exact: true }).click();
    await gateway.getByText('was in order 2 h ago').first().waitFor();
    expect(await gateway.getByText(/^OK: \d+$/).count()).toBe(0);
    await gateway.getByText('Next step: “Ask for a report”.').waitFor();
    await check('doctor-old');
  });

  it.each(LOOKS.slice(1))('says what a reset does before it is done (%s)', async (what, viewport, colorScheme) => {
    const { page, check, goTo } = await started.open({ viewport, colorScheme });
    await goTo('/devices');
    const gateway = page.getByRole('article', { name: 'Exit Pi' });
    const dialog = page.getByRole('dialog');
    await gateway.getByText('Password and replacement').click();
    await gateway.getByRole('button', { name: 'Reset: Exit Pi' }).click();
    await dialog.getByText('Phones with a key open barriers and gates as before').waitFor();
    await dialog.getByText(/^(Nothing waits at the device|Waiting at the device, and lost: \d+ records)/).waitFor();
    await dialog.getByRole('textbox').fill('Exit');
    await dialog.getByRole('button', { name: 'Reset the gateway' }).click();
    await dialog.getByText('This is not its name.').waitFor();
    await check(`reset-${what}-${colorScheme}`);
    if (what === 'desktop') return;
    await dialog.getByRole('textbox').fill('Exit Pi');
    await dialog.getByRole('button', { name: 'Reset the gateway' }).click();
    await gateway.getByText('Exit Pi has no device any more.').waitFor();
    const { body } = await started.world.api<{ data: { claimed_at: string | null } }>('/v2/gateways/2');
    expect(body.data.claimed_at).toBeNull();
    await check('reset-done');
  });
});
