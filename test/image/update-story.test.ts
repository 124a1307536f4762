/**
 * An update by RAUC on the arm64 card in QEMU: fetched over HTTP in the parts that changed, started, taken back when nobody said that it works.
 * As card-story.test.ts; the bundle is signed by a key that is made here, and the card is told to trust it.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../world/free-ports.js';
import { TEST_SITE } from '../world/site.js';
import { type BundleServer, serveBundle } from './bundle-server.js';
import {
  CARD_IMAGE,
  type CardMachine,
  copyCard,
  dropClaimFile,
  HOST_IN_GUEST,
  makeSshKey,
  missingForImage,
  powerOn,
} from './card-machine.js';
import { copyImage, makeBundle, run } from './card-slots.js';
import { type CardWorld, createCardWorld } from './card-world.js';

const missing = missingForImage();
const MB = 1e6;

interface RaucStatus {
  booted: string;
  slots: Record<string, { state: string; boot_status: string | null }>[];
}

describe.skipIf(missing !== null)(`an update of a card ${missing ?? ''}`, () => {
  let world: CardWorld;
  let card: CardMachine;
  let server: BundleServer;
  let url: string;
  const note = (text: string): void => void process.stdout.write(`update: ${text}\n`);
  const status = async (): Promise<RaucStatus> => JSON.parse(await card.ssh('rauc status --output-format=json'));
  const isNew = async () => (await card.ssh('ls /opt/parking-gateway')).includes('trial-of-an-update');
  const refused = async (file: string): Promise<string> =>
    card.ssh(`rauc install ${file} 2>&1`).then(
      () => 'installed',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );

  /** The application with one more file, and nothing else changed. */
  function changedImages(): string {
    const folder = join(world.folder, 'changed');
    mkdirSync(folder);
    copyImage('system.ext4', join(folder, 'system.ext4'));
    copyImage('app.ext4', join(folder, 'app.ext4'), { path: 'trial-of-an-update', text: 'application\n' });
    return folder;
  }
  beforeAll(async () => {
    world = await createCardWorld();
    const { folder, httpPort, sshPort } = world;
    const key = makeSshKey(folder);
    const file = join(folder, 'card.img');
    copyCard(CARD_IMAGE, file);
    dropClaimFile(file, { cloud_url: world.cloudUrlOfCard, claim_code: TEST_SITE.claimCode, ssh_key: key.line });
    const pki = join(folder, 'pki');
    run('scripts/image/make-trial-pki', pki);
    makeBundle(join(folder, 'update.raucb'), { images: changedImages(), pki, version: '0.2.0' });
    note(`the bundle has ${(statSync(join(folder, 'update.raucb')).size / MB).toFixed(0)} MB`);
    const [port = 0] = await freePorts(1);
    server = await serveBundle(join(folder, 'update.raucb'), port);
    url = `http://${HOST_IN_GUEST}:${port}/update.raucb`;
    card = powerOn({ card: file, logFile: join(folder, 'serial.log'), httpPort, sshPort, sshKey: key.file });
    await card.says('parking: slot a');
    await card.isUp();
    await card.ssh(
      `cat >/etc/rauc/keyring.pem <<'END'\n${run('cat', join(pki, 'certificate.pem'))}END\nsystemctl restart rauc`,
    );
  });

  afterAll(async () => {
    await card?.cut();
    server?.close();
    await world?.close();
  });

  it('is refused when another key signed it, or it is for another machine', async () => {
    const { folder } = world;
    const small = join(folder, 'small');
    mkdirSync(small);
    // RAUC takes no bundle of less than 4 KiB: zeros would be pressed to less.
    for (const name of ['system.ext4', 'app.ext4']) writeFileSync(join(small, name), randomBytes(64 * 1024));
    const otherPki = join(folder, 'other-pki');
    run('scripts/image/make-trial-pki', otherPki);
    for (const [name, pki, arch, why] of [
      ['other-key', otherPki, 'arm64', /signature|verif/i],
      ['other-machine', join(folder, 'pki'), 'amd64', /compatible/i],
    ] as const) {
      const file = join(folder, `${name}.raucb`);
      makeBundle(file, { images: small, pki, version: '0.2.0', arch });
      await card.copyIn(file, `/data/${name}.raucb`);
      expect(await refused(`/data/${name}.raucb`)).toMatch(why);
    }
    expect(await status()).toMatchObject({ booted: 'A' });
  });

  it('comes over the wire in the parts that changed, into the slot that does not run', async () => {
    const startedMs = performance.now();
    note(await card.ssh(`rauc install ${url} 2>&1 | tail -3`));
    note(
      `installed in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s, ${(server.sentBytes() / MB).toFixed(1)} MB were fetched`,
    );
    expect(await isNew()).toBe(false);
    expect(await status()).toMatchObject({ booted: 'A' });
  });

  it('starts when it is chosen, and the old one comes back by itself where nobody says that it works', async () => {
    await card.ssh('rauc status mark-active other && fw_setenv BOOT_B_LEFT 1 && fw_printenv');
    await card.ssh('systemctl --no-block reboot');
    await card.says('parking: slot b');
    await card.isUp();
    expect(await isNew()).toBe(true);
    expect(await status()).toMatchObject({ booted: 'B' });
    await card.ssh('systemctl mask --now parking-agent');
    await card.ssh('systemctl --no-block reboot');
    await card.says('parking: slot a', 2);
    await card.isUp();
    expect(await isNew()).toBe(false);
    expect(await status()).toMatchObject({ booted: 'A' });
  });

  it('stays when it was marked good, also over a power cut', async () => {
    await card.ssh('rauc status mark-active other');
    await card.ssh('systemctl --no-block reboot');
    await card.says('parking: slot b', 2);
    await card.isUp();
    await card.ssh('rauc status mark-good booted');
    expect(await card.ssh('fw_printenv BOOT_ORDER BOOT_B_LEFT')).toBe('BOOT_ORDER=B A\nBOOT_B_LEFT=3\n');
    await card.ssh('sync');
    await card.cut();
    const { folder, httpPort, sshPort } = world;
    const places = { card: join(folder, 'card.img'), logFile: join(folder, 'serial.log') };
    card = powerOn({ ...places, httpPort, sshPort, sshKey: join(folder, 'ssh-key') });
    await card.says('parking: slot b');
    await card.isUp();
    expect(await isNew()).toBe(true);
  });
});
