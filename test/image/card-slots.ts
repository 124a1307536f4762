/** The partitions of a card's file, and images of the build with a change in them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BOOT_OFFSET_BYTES, cardPartitions } from '../../scripts/image/card-layout.js';
import { CARD_IMAGES } from './card-machine.js';

const MIB = 1024 * 1024;

export const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** @returns the beginning of a partition in MiB: they follow each other */
function startOf(name: string): number {
  const partitions = cardPartitions('arm64');
  const before = partitions.slice(
    0,
    partitions.findIndex((each) => each.name === name),
  );
  return before.reduce((sum, { sizeMiB }) => sum + sizeMiB, BOOT_OFFSET_BYTES / MIB);
}

/** Writes a file into a partition of a card that is switched off. */
export function fillPartition(card: string, partition: string, file: string): void {
  run('dd', `if=${file}`, `of=${card}`, 'bs=1M', `seek=${startOf(partition)}`, 'conv=notrunc,sparse', 'status=none');
}

/**
 * Copies an image of the build to `to`, with one of its files written anew.
 * @param change.path in the image, without a slash before it
 */
export function copyImage(image: string, to: string, change?: { path: string; text: string }): void {
  run('cp', '--sparse=always', join(CARD_IMAGES, image), to);
  if (change === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'card-slots-'));
  const changed = join(folder, 'changed');
  writeFileSync(changed, change.text);
  const name = basename(change.path);
  const commands = [`cd ${dirname(change.path)}`, `rm ${name}`, `write ${changed} ${name}`, `sif ${name} mode 0100755`];
  execFileSync('debugfs', ['-w', to], { input: `${commands.join('\n')}\n`, stdio: ['pipe', 'ignore', 'ignore'] });
  rmSync(folder, { recursive: true });
}

/** Writes the variables with which the boot loader begins: the first of its two copies. */
export function writeBootState(card: string, folder: string, variables: Readonly<Record<string, string>>): void {
  const [text, bytes] = [join(folder, 'env.txt'), join(folder, 'env.bin')];
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(text, lines.join(''));
  run('mkenvimage', '-r', '-s', '0x4000', '-o', bytes, text);
  fillPartition(card, 'uboot-env', bytes);
}

/**
 * Makes a signed bundle of the images in a folder.
 * @param of.pki folder of `scripts/image/make-trial-pki`
 */
export function makeBundle(
  file: string,
  of: { images: string; pki: string; version: string; arch?: 'arm64' | 'amd64' },
): void {
  const { images, pki, version, arch = 'arm64' } = of;
  const signer = ['--cert', join(pki, 'certificate.pem'), '--key', join(pki, 'key.pem')];
  run('scripts/image/make-bundle', '--arch', arch, '--from', images, '--version', version, ...signer, file);
}
