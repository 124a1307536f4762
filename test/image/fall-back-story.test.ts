/**
 * A card whose new release has a gateway that dies at its start: the one before it comes back by itself. As card-story.test.ts; the release lies in
 * slot B from the beginning, with one try, and its watch waits two minutes in place of ten.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../world/free-ports.js';
import {
  CARD_IMAGE,
  CARD_IMAGES,
  type CardMachine,
  copyCard,
  dropClaimFile,
  makeSshKey,
  missingForImage,
  powerOn,
  waitSlowly,
} from './card-machine.js';
import { copyImage, fillPartition, run, writeBootState } from './card-slots.js';

const WATCH = 'usr/lib/parking/watch-slot';
const missing = missingForImage();
describe.skipIf(missing !== null)(`a release whose gateway dies at its start ${missing ?? ''}`, () => {
  let folder: string;
  let card: CardMachine;

  /** Puts an image of the build into a partition of the card, with one of its files changed. */
  function fill(partition: string, image: string, change: { path: string; text: string }): void {
    const copy = join(folder, image);
    copyImage(image, copy, change);
    fillPartition(join(folder, 'card.img'), partition, copy);
    rmSync(copy);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(process.env.CARD_FOLDER ?? tmpdir(), 'fall-back-'));
    const file = join(folder, 'card.img');
    const key = makeSshKey(folder);
    const [httpPort = 0, sshPort = 0] = await freePorts(2);
    copyCard(CARD_IMAGE, file);
    // Nobody answers there: a gateway without a cloud is no worse for it.
    dropClaimFile(file, { cloud_url: 'http://10.0.2.2:9', claim_code: 'HARBOUR-0001', ssh_key: key.line });
    const watch = run('debugfs', '-R', `cat ${WATCH}`, join(CARD_IMAGES, 'system.ext4'));
    fill('root-b', 'system.ext4', { path: WATCH, text: watch.replace('DEAD_AFTER_S=600', 'DEAD_AFTER_S=120') });
    fill('app-b', 'app.ext4', { path: 'dist/agent/main.js', text: 'process.exit(1);\n' });
    writeBootState(file, folder, { BOOT_ORDER: 'B A', BOOT_A_LEFT: '3', BOOT_B_LEFT: '1' });
    card = powerOn({ card: file, logFile: join(folder, 'serial.log'), httpPort, sshPort, sshKey: key.file });
  });
  afterAll(async () => {
    await card?.cut();
    if (process.env.CARD_FOLDER === undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('falls back by itself, and does not come back', async () => {
    await card.says('parking: slot b, order B A, tries left A 3, B 0');
    const fellMs = await card.says('parking: slot a, order A, tries left A 2, B 0');
    process.stdout.write(`fall-back: slot A after ${(fellMs / 1_000).toFixed(0)} s\n`);
    await card.isUp();
    // On a slow host the journal of that start was not on the card yet.
    process.stdout.write(
      `fall-back: ${await card.ssh("journalctl -o cat -t parking-trial | grep 'slot B' || true")}\n`,
    );
    const env = async () => card.ssh('fw_printenv BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT');
    await waitSlowly('slot A to be good', async () => (await env()).includes('BOOT_A_LEFT=3'));
    expect(await env()).toBe('BOOT_ORDER=A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=0\n');
  });
});
