/**
 * A release that comes to a card by its gateway alone, with a power cut in each of its steps: download and writing, waiting, activation, first
 * start, proof. Then a release that is cut short, one below the floor, a full partition, and a start in 1970. As card-story.test.ts; slot B has
 * what slot A has, as on a card that was updated before.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayStatus } from '../../agent/health/status.js';
import { TEST_SITE } from '../world/site.js';
import {
  CARD_IMAGE,
  copyCard,
  dropClaimFile,
  makeSshKey,
  missingForImage,
  powerOn,
  waitSlowly,
} from './card-machine.js';
import type { CardMachine, CardPlaces } from './card-machine.js';
import { copyImage, fillPartition, makeBundle, run } from './card-slots.js';
import { type CardWorld, createCardWorld } from './card-world.js';

const MARK = 'trial-of-an-update';
const KEYRING = '/etc/rauc/keyring.pem';
const missing = missingForImage();

describe.skipIf(missing !== null)(`a release on its way, cut off at each step ${missing ?? ''}`, () => {
  let world: CardWorld;
  let card: CardMachine;
  let places: CardPlaces;
  let pki: string;
  /** Plates of which the gateway acknowledged the push. */
  const acknowledged: string[] = [];
  const note = (text: string): void =>
    void process.stdout.write(`cut: ${(card.sincePowerOnMs() / 1_000).toFixed(0)} s after power-on: ${text}\n`);

  /** Publishes a release, and rolls it out to all. */
  async function publish(file: string, ...options: string[]): Promise<void> {
    const keyring = ['--keyring', join(pki, 'certificate.pem'), '--json'];
    const said = await world.cloud('releases', 'publish', file, ...keyring, ...options);
    const { id } = JSON.parse(said.split('\n')[0] ?? '') as { id: number };
    await world.cloud('releases', 'roll-out', String(id), '--percent', '100');
  }

  const status = () => card.ask<GatewayStatus>('/status').catch(() => null);
  const update = async () => (await status())?.update ?? null;
  const slots = () => card.ssh('fw_printenv BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT');

  async function powerOff(why: string): Promise<void> {
    await card.cut();
    note(`cut, ${why}`);
  }
  async function start(more: Partial<CardPlaces> = {}): Promise<void> {
    card = powerOn({ ...places, ...more });
    note(`slot ${await slotOfStart()}`);
  }
  /** The slot that U-Boot says it starts. */
  const slotOfStart = async (): Promise<string> => {
    await card.says('parking: slot ');
    const lines = card.log().match(/parking: slot [ab][^\n]*/g) ?? [];
    return lines.at(-1)?.slice('parking: slot '.length).trim() ?? '';
  };
  async function gatewayUp(): Promise<void> {
    await waitSlowly('the gateway of the card', async () => (await status()) !== null);
    note('its gateway answers');
  }

  /** A vehicle comes; the push is acknowledged once its record is on the card. */
  async function read(plate: string): Promise<void> {
    await waitSlowly(`the read of ${plate}`, async () => {
      const answer = await world
        .sim<{ status: number }>('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate })
        .catch(() => ({ status: 0 }));
      return answer.status === 200;
    });
    acknowledged.push(plate);
  }

  /** Waits until the update is so far. @returns how far it was */
  const whenAt = (what: string, isThere: (now: NonNullable<GatewayStatus['update']>) => boolean) =>
    waitSlowly(what, async () => {
      const now = await update();
      return now !== null && isThere(now) && now;
    });

  beforeAll(async () => {
    world = await createCardWorld();
    const { folder, httpPort, sshPort } = world;
    const key = makeSshKey(folder);
    const file = join(folder, 'card.img');
    places = { card: file, logFile: join(folder, 'serial.log'), httpPort, sshPort, sshKey: key.file };
    copyCard(CARD_IMAGE, file);
    dropClaimFile(file, { cloud_url: world.cloudUrlOfCard, claim_code: TEST_SITE.claimCode, ssh_key: key.line });
    pki = join(folder, 'pki');
    run('scripts/image/make-trial-pki', pki);
    const images = join(folder, 'images');
    mkdirSync(images);
    copyImage('system.ext4', join(images, 'system.ext4'));
    copyImage('app.ext4', join(images, 'app.ext4'));
    fillPartition(file, 'root-b', join(images, 'system.ext4'));
    fillPartition(file, 'app-b', join(images, 'app.ext4'));
    copyImage('system.ext4', join(images, 'system.ext4'), { path: `etc/${MARK}`, text: 'system\n' });
    copyImage('app.ext4', join(images, 'app.ext4'), { path: MARK, text: 'application\n' });
    makeBundle(join(folder, 'update.raucb'), { images, pki, version: '0.2.0' });
    await start();
    await card.isUp();
    await card.ssh(
      `cat >${KEYRING} <<'END'\n${run('cat', join(pki, 'certificate.pem'))}END\nsync; systemctl restart rauc`,
    );
    await gatewayUp();
    await read('ZG1000AA');
  });
  afterAll(async () => {
    await card?.cut();
    await world?.close();
  });

  it.each([1, 2, 3, 4])('is written again after cut %i while RAUC fetches and writes', async (nth) => {
    if (nth === 1) await publish(join(world.folder, 'update.raucb'), '--security-floor', '0.2.0');
    const { phase, progress } = await whenAt(
      'the release to be written',
      ({ phase: is, progress: part }) => is === 'ready' || (is === 'installing' && (part ?? 0) >= nth * 20),
    );
    await read(`ZG100${nth}AA`);
    await powerOff(`${phase} ${progress} %`);
    await start();
    await gatewayUp();
    await whenAt('what it runs', ({ slot }) => slot === 'A');
  });

  it('is ready still after a cut while it waits for a quiet moment', async () => {
    await whenAt('the release to be ready', ({ phase }) => phase === 'ready');
    await powerOff('ready');
    await start();
    await gatewayUp();
    await whenAt('the release to be ready', ({ phase }) => phase === 'ready' || phase === 'activating');
  });

  it('is activated after a cut in the middle of that', async () => {
    await whenAt('the activation', ({ phase }) => phase === 'activating');
    await powerOff('activating');
    await start();
  });

  it('starts again after a cut in its first start, and after one in its proof', async () => {
    await waitSlowly('slot B to start', async () => (await slotOfStart()).startsWith('b'));
    await powerOff('U-Boot starts slot B');
    await start();
    await gatewayUp();
    await whenAt('slot B to prove itself', ({ slot, phase }) => slot === 'B' && phase === 'proving');
    await read('ZG1005AA');
    await powerOff('proving');
    await start();
    await gatewayUp();
    await read('ZG1006AA');
    await whenAt('the release to be good', ({ phase, slot }) => phase === 'idle' && slot === 'B');
    expect(await slots()).toBe('BOOT_ORDER=B A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=3\n');
    await powerOff('good');
    await start();
    await gatewayUp();
    expect(await card.ssh(`cat /etc/${MARK} /opt/parking-gateway/${MARK}`)).toBe('system\napplication\n');
    await whenAt(
      'it to be told',
      ({ slot, installed, phase }) => slot === 'B' && installed === '0.2.0' && phase === 'idle',
    );
  });

  it('lost no read that was acknowledged, and made none of them twice', async () => {
    const plates = async () => {
      const page = await world.api<{ data: { plate: string }[] }>('GET', '/v2/plate-readings');
      return page.data.map(({ plate }) => plate).toSorted();
    };
    await waitSlowly('the reads in the cloud', async () => (await plates()).length >= acknowledged.length);
    expect(await plates()).toEqual(acknowledged.toSorted());
  });

  it('is refused below the floor, from a file that a person brings too', async () => {
    const { folder } = world;
    const small = join(folder, 'small');
    mkdirSync(small);
    for (const name of ['system.ext4', 'app.ext4']) writeFileSync(join(small, name), randomBytes(64 * 1024));
    makeBundle(join(folder, 'older.raucb'), { images: small, pki, version: '0.1.9' });
    await card.copyIn(join(folder, 'older.raucb'), '/data/older.raucb');
    const said = await card.ssh(
      'AGENT_DATA_DIR=/var/lib/parking-agent parking-agent update /data/older.raucb --yes 2>&1 || true',
    );
    expect(said).toContain('0.1.9 is older than 0.2.0, and what is older than that has a known weakness');
    expect(await slots()).toBe('BOOT_ORDER=B A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=3\n');
  });

  it('fails with its reason where the file ends early, and what runs goes on', async () => {
    const { folder, cloudData } = world;
    makeBundle(join(folder, 'next.raucb'), { images: join(folder, 'small'), pki, version: '0.3.0' });
    await publish(join(folder, 'next.raucb'));
    const kept = join(cloudData, 'releases');
    const file =
      readdirSync(kept)
        .map((name) => join(kept, name))
        .toSorted((one, other) => statSync(one).size - statSync(other).size)[0] ?? '';
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const { error } = await whenAt('the release to fail', ({ phase }) => phase === 'failed' || phase === 'fetching');
    note(`0.3.0: ${error}`);
    await read('ZG1007AA');
    expect(await slots()).toBe('BOOT_ORDER=B A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=3\n');
  });

  it('decides with a full partition as before, and says so', async () => {
    await card.ssh(
      'fallocate -l $(df --output=avail -B1 /data | tail -1) /data/full || dd if=/dev/zero of=/data/full bs=1M || true',
    );
    await card.ssh('dd if=/dev/zero of=/data/rest bs=4k || true');
    await waitSlowly('the gateway to say that its disk is full', async () => {
      const now = await status();
      return now !== null && now.store.failed !== null;
    });
    await read('ZG1008AA');
    await card.ssh('rm /data/full /data/rest');
    await waitSlowly('its disk to be well', async () => (await status())?.store.failed === null);
  });

  it('opens in 1970, without a network', async () => {
    await powerOff('to start without clock and network');
    await start({ isAlone: true });
    await gatewayUp();
    await read(TEST_SITE.memberPlate);
    const journal = await card.ssh('date +%Y; journalctl -b -u parking-agent -o cat');
    note(journal.split('\n').slice(0, 1).join(''));
    expect(journal).toMatch(/"access_decision":"triggered"/);
  });
});
