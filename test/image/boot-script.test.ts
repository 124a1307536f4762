/** U-Boot on a card without kernels: which slot it takes, how it counts, and what it believes after a power cut in the middle of a write. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOT_OFFSET_BYTES, cardPartitions, genimageConfig } from '../../scripts/image/card-layout.js';
import { freePorts } from '../world/free-ports.js';
import { type CardMachine, missingForCards, powerOn, waitSlowly } from './card-machine.js';

const MIB = 1024 * 1024;
const COPIES = [0, 0x80000].map(
  (offset) => BOOT_OFFSET_BYTES + (cardPartitions('arm64')[0]?.sizeMiB ?? 0) * MIB + offset,
);
const COPY_BYTES = 0x4000;
const tools = ['genimage', 'mkimage', 'mkenvimage', 'fw_setenv'].filter(
  (tool) => !['/usr/bin', '/usr/sbin', '/bin'].some((folder) => existsSync(join(folder, tool))),
);
const missing = missingForCards() ?? (tools.length > 0 ? `missing: ${tools.join(', ')}` : null);
const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });

describe.skipIf(missing !== null)(`the boot script of a card ${missing ?? ''}`, () => {
  let folder: string;
  let card: string;
  let machine: CardMachine | null = null;

  beforeEach(() => {
    folder = mkdtempSync(join(process.env.CARD_FOLDER ?? tmpdir(), 'boot-script-'));
    const inputs = join(folder, 'inputs');
    mkdirSync(inputs);
    mkdirSync(join(folder, 'empty'));
    for (const { image } of cardPartitions('arm64'))
      if (image?.endsWith('.ext4')) run('mke2fs', '-q', '-t', 'ext4', join(inputs, image), '8M');
    run(
      'mkimage',
      '-A',
      'arm64',
      '-T',
      'script',
      '-C',
      'none',
      '-d',
      'scripts/image/card/boot/boot.cmd',
      join(folder, 'boot.scr'),
    );
    run(
      'mkenvimage',
      '-r',
      '-s',
      '0x4000',
      '-o',
      join(inputs, 'uboot-env.bin'),
      'scripts/image/card/boot/uboot-env.txt',
    );
    run('mkfs.vfat', '-C', join(inputs, 'boot.vfat'), String(8 * 1024));
    run('mcopy', '-i', join(inputs, 'boot.vfat'), join(folder, 'boot.scr'), '::');
    writeFileSync(join(folder, 'genimage.cfg'), genimageConfig('arm64'));
    const where = [
      '--inputpath',
      inputs,
      '--outputpath',
      folder,
      '--tmppath',
      join(folder, 'tmp'),
      '--rootpath',
      join(folder, 'empty'),
    ];
    run('genimage', '--config', join(folder, 'genimage.cfg'), ...where);
    card = join(folder, 'card.img');
  });
  afterEach(async () => {
    await machine?.cut();
    machine = null;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the card until it has said `count` times which slot it takes. @returns what it said */
  async function starts(count: number): Promise<string[]> {
    const [httpPort = 0, sshPort = 0] = await freePorts(2);
    const logFile = join(folder, `serial-${performance.now()}.log`);
    const running = powerOn({ card, logFile, httpPort, sshPort, sshKey: '' });
    machine = running;
    const said = () =>
      running
        .log()
        .split(/\r?\n/)
        .filter((line) => /^parking: (slot . *,|no slot has)/.test(line));
    await waitSlowly(`${count} slots to be chosen`, () => said().length >= count);
    await running.cut();
    machine = null;
    return said()
      .slice(0, count)
      .map((line) => line.replace(/^parking: /, ''));
  }
  function copy(number: number): Buffer {
    const bytes = Buffer.alloc(COPY_BYTES);
    const file = openSync(card, 'r');
    readSync(file, bytes, 0, COPY_BYTES, COPIES[number] ?? 0);
    closeSync(file);
    return bytes;
  }
  /** What a power cut leaves of a copy that was being written. */
  function damage(number: number): void {
    const file = openSync(card, 'r+');
    writeSync(file, Buffer.alloc(512, 0xff), 0, 512, (COPIES[number] ?? 0) + 512);
    writeSync(file, Buffer.from('torn'), 0, 4, (COPIES[number] ?? 0) + 16);
    closeSync(file);
  }
  /** As after a card lost both copies. */
  function loseState(): void {
    damage(0);
    damage(1);
  }
  const newestCopy = () => ((copy(0)[4] ?? 0) > (copy(1)[4] ?? 0) ? 0 : 1);
  const configOfLinux = (): string => {
    const file = join(folder, 'fw_env.config');
    writeFileSync(
      file,
      COPIES.map((offset) => `${card} 0x${offset.toString(16)} 0x${COPY_BYTES.toString(16)}\n`).join(''),
    );
    return file;
  };

  it('starts slot A of a new card, whose other slot is empty', async () => {
    expect(await starts(4)).toEqual([
      'slot a, order A, tries left A 2, B 0 (state: first)',
      'slot a, order A, tries left A 1, B 0 (state: second)',
      'slot a, order A, tries left A 0, B 0 (state: first)',
      'no slot has a try left; both get three again',
    ]);
  });

  it('takes three tries of a slot, then those of the other, then begins anew', async () => {
    loseState();
    expect(await starts(8)).toEqual([
      'slot a, order A B, tries left A 2, B 3 (state: none)',
      'slot a, order A B, tries left A 1, B 3 (state: first)',
      'slot a, order A B, tries left A 0, B 3 (state: second)',
      'slot b, order B, tries left A 0, B 2 (state: first)',
      'slot b, order B, tries left A 0, B 1 (state: second)',
      'slot b, order B, tries left A 0, B 0 (state: first)',
      'no slot has a try left; both get three again',
      'slot b, order B A, tries left A 3, B 2 (state: first)',
    ]);
  });

  it('does not come back to a slot that it fell back from, when the power goes in the first minutes of the other one', async () => {
    const config = configOfLinux();
    for (const [name = '', value = ''] of [
      ['BOOT_ORDER', 'B A'],
      ['BOOT_A_LEFT', '3'],
      ['BOOT_B_LEFT', '1'],
    ])
      run('fw_setenv', '-c', config, name, value);
    expect((await starts(2)).at(-1)).toContain('slot a, order A, tries left A 2, B 0');
    // As `rauc status mark-good` does it.
    run('fw_setenv', '-c', config, 'BOOT_A_LEFT', '3');
    expect(await starts(5)).toEqual([
      expect.stringContaining('slot a, order A, tries left A 2, B 0'),
      expect.stringContaining('slot a, order A, tries left A 1, B 0'),
      expect.stringContaining('slot a, order A, tries left A 0, B 0'),
      'no slot has a try left; both get three again',
      expect.stringContaining('slot a, order A B, tries left A 2, B 3'),
    ]);
  });

  it('believes the older copy when the newer one was torn, and mends that with the next start', async () => {
    loseState();
    expect((await starts(2)).at(-1)).toContain('tries left A 1, B 3');
    const newest = newestCopy();
    damage(newest);
    expect(await starts(1)).toEqual([
      `slot a, order A B, tries left A 1, B 3 (state: ${['first', 'second'][1 - newest]})`,
    ]);
    expect(newestCopy()).toBe(newest);
    loseState();
    expect((await starts(1))[0]).toContain('tries left A 2, B 3 (state: none)');
  });

  it('speaks of the same state as Linux', async () => {
    loseState();
    await starts(1);
    const config = configOfLinux();
    expect(run('fw_printenv', '-c', config).trim().split('\n').toSorted()).toEqual([
      'BOOT_A_LEFT=2',
      'BOOT_B_LEFT=3',
      'BOOT_ORDER=A B',
    ]);
    run('fw_setenv', '-c', config, 'BOOT_ORDER', 'B A');
    run('fw_setenv', '-c', config, 'BOOT_B_LEFT', '1');
    expect(await starts(2)).toEqual([
      expect.stringContaining('slot b, order B A, tries left A 2, B 0'),
      expect.stringContaining('slot a, order A, tries left A 1, B 0'),
    ]);
  });
});
