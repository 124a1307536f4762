/** `scripts/flash` on loop devices, where root may make some: a small card with a boot partition, and what must not be written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOT_OFFSET_BYTES } from '../../scripts/image/card-layout.js';

const MIB = 1024 * 1024;
const IMAGE_MIB = 40;
const CLAIM = { cloud_url: 'https://cloud.example', claim_code: 'HARBOUR-0001' };
const needed = ['/usr/bin/bmaptool', '/usr/bin/mcopy', '/usr/sbin/mkfs.vfat', '/dev/loop-control'];
const isPossible = process.getuid?.() === 0 && needed.every((path) => existsSync(path));

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' });

describe.skipIf(!isPossible)('scripts/flash', () => {
  let folder: string;
  let image: string;
  const devices: string[] = [];

  /** A card, which is a file of `mib`. */
  function card(mib: number): { device: string; file: string } {
    const file = join(folder, `card-${devices.length}`);
    writeFileSync(file, '');
    truncateSync(file, mib * MIB);
    const device = run('losetup', '--find', '--show', file).trim();
    devices.push(device);
    return { device, file };
  }
  function flash(...args: string[]): { code: number | null; out: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/scripts/flash.js', ...args], {
      encoding: 'utf8',
    });
    return { code: status, out: stdout + stderr };
  }
  const claimOn = (device: string) => run('mtype', '-i', `${device}@@${BOOT_OFFSET_BYTES}`, '::claim.json');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flash-'));
    image = join(folder, 'card.img');
    const boot = join(folder, 'boot.vfat');
    run('mkfs.vfat', '-C', boot, String(8 * 1024));
    writeFileSync(image, '');
    truncateSync(image, IMAGE_MIB * MIB);
    run('dd', `if=${boot}`, `of=${image}`, 'bs=1M', 'seek=1', 'conv=notrunc,sparse', 'status=none');
    run('bmaptool', 'create', image, '-o', join(folder, 'card.bmap'));
    run('zstd', '-q', image, '-o', `${image}.zst`);
  });
  afterAll(() => {
    for (const device of devices) run('losetup', '--detach', device);
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes a card, reads it back and puts the claim file on it', () => {
    const { device, file } = card(IMAGE_MIB + 8);
    const claim = join(folder, 'claim.json');
    writeFileSync(claim, JSON.stringify(CLAIM));
    const { code, out } = flash('--image', `${image}.zst`, '--device', device, '--claim', claim, '--yes');
    expect(out).toContain('read back and compared');
    expect(code).toBe(0);
    expect(JSON.parse(claimOn(device))).toEqual(CLAIM);
    run('mdel', '-i', `${device}@@${BOOT_OFFSET_BYTES}`, '::claim.json');
    run('sync', file);
    const written = readFileSync(file).subarray(0, BOOT_OFFSET_BYTES + 512);
    expect(written.equals(readFileSync(image).subarray(0, BOOT_OFFSET_BYTES + 512))).toBe(true);
  });

  it('makes the claim file of options, and refuses a wrong one before it writes', () => {
    const { device, file } = card(IMAGE_MIB + 8);
    const where = ['--image', image, '--device', device, '--yes'];
    const wrong = flash(...where, '--cloud', 'cloud.example', '--code', 'HARBOUR-0001');
    expect(wrong).toMatchObject({ code: 2, out: expect.stringContaining('cloud_url') });
    expect(readFileSync(file).every((byte) => byte === 0)).toBe(true);
    const wifi = ['--ssid', 'Quay', '--wifi-password', 'not so secret', '--country', 'HR'];
    expect(flash(...where, '--cloud', CLAIM.cloud_url, '--code', CLAIM.claim_code, ...wifi).code).toBe(0);
    expect(JSON.parse(claimOn(device))).toEqual({
      ...CLAIM,
      network: { wifi: { ssid: 'Quay', password: 'not so secret', country: 'HR' } },
    });
  });

  it('leaves alone what is mounted, too small, no device, or the disk of this machine', () => {
    const small = card(IMAGE_MIB - 8);
    expect(flash('--image', image, '--device', small.device, '--yes')).toMatchObject({
      code: 1,
      out: expect.stringContaining('and the image needs'),
    });
    expect(flash('--image', image, '--device', join(folder, 'card.img'), '--yes')).toMatchObject({
      code: 1,
      out: expect.stringContaining('there is no device'),
    });
    const mounted = card(IMAGE_MIB + 8);
    run('mkfs.ext4', '-q', mounted.device);
    const at = mkdtempSync(join(folder, 'mnt-'));
    run('mount', mounted.device, at);
    try {
      expect(flash('--image', image, '--device', mounted.device, '--yes')).toMatchObject({
        code: 1,
        out: expect.stringContaining(`in use (${at})`),
      });
    } finally {
      run('umount', at);
    }
    const disk = run('findmnt', '-no', 'SOURCE', '/').trim();
    if (disk.startsWith('/dev/')) expect(flash('--image', image, '--device', disk, '--yes').code).toBe(1);
  });

  it('asks before it writes, and where nobody can be asked it does not', () => {
    const { device, file } = card(IMAGE_MIB + 8);
    expect(flash('--image', image, '--device', device)).toMatchObject({
      code: 2,
      out: expect.stringContaining('nobody can be asked'),
    });
    expect(readFileSync(file).every((byte) => byte === 0)).toBe(true);
  });

  it('does not take an image for another one: the map says what it has to be', () => {
    const { device } = card(IMAGE_MIB + 8);
    const other = join(folder, 'other.img');
    copyFileSync(image, other);
    run('bash', '-c', `printf damaged | dd of=${other} bs=1 seek=$((1024 * 1024 + 10)) conv=notrunc status=none`);
    const { code, out } = flash('--image', other, '--bmap', join(folder, 'card.bmap'), '--device', device, '--yes');
    expect(code).toBe(1);
    expect(out).toContain('bmaptool failed');
  });
});
