/**
 * The Debian package in a root of Debian 13: installed, upgraded, removed, purged. It needs root, Debian's tools and a network for what is not kept
 * yet; the root file system is the card's, kept where scripts/image/build keeps it.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage, canMakePackages, makeDebianRoot, packageOf } from '../world/debian-package.js';

const MINUTES_MS = 60_000;
const MASK = 'etc/systemd/system/bluetooth.service';
/** Mounts that end with the program that runs in the root. */
const IN_ROOT =
  'mkdir -p "$0/dev"; mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"';

describe.skipIf(!canMakePackages())('the Debian package in Debian 13', () => {
  let directory: string;
  let root: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'deb-package-'));
    root = makeDebianRoot(directory);
  }, 30 * MINUTES_MS);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** @returns what the program printed, whichever way. Throws when it failed */
  function inRoot(...command: string[]): string {
    const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', IN_ROOT, root, ...command];
    const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect([command, status, status === 0 ? '' : stdout + stderr]).toEqual([command, 0, '']);
    return stdout + stderr;
  }
  const isThere = (path: string) => existsSync(join(root, path));
  const enabled = () =>
    readdirSync(join(root, 'etc/systemd/system'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('parking'),
    );
  const setting = (line: string) => appendFileSync(join(root, 'etc/parking/agent.env'), `${line}\n`);

  it(
    'is made of equal bytes by equal sources',
    () => {
      const again = join(directory, 'again');
      buildPackage('0.1.0', again);
      const bytes = (folder: string) => readFileSync(join(folder, packageOf('0.1.0')));
      expect(bytes(again).equals(bytes(directory))).toBe(true);
    },
    10 * MINUTES_MS,
  );

  it(
    'is installed: account, units, its own Node.js; bluetoothd is masked',
    () => {
      inRoot('dpkg', '-i', `/srv/${packageOf('0.1.0')}`);
      expect(inRoot('id', '-nG', 'parking-agent').trim()).toBe('parking-agent dialout');
      expect(inRoot('parking-agent', 'version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(inRoot('dpkg', '-V', 'parking-agent')).toBe('');
      expect(enabled().toSorted()).toEqual([
        'multi-user.target.wants/parking-agent.service',
        'multi-user.target.wants/parking-claim-file.service',
        'paths.target.wants/parking-claim-file.path',
      ]);
      expect(readlinkSync(join(root, MASK))).toBe('/dev/null');
    },
    5 * MINUTES_MS,
  );

  it('has units that its systemd has nothing to complain of', () => {
    const units = ['parking-agent.service', 'parking-claim-file.service', 'parking-claim-file.path'];
    expect(
      inRoot('systemd-analyze', 'verify', '--man=no', ...units.map((unit) => `/usr/lib/systemd/system/${unit}`)),
    ).toBe('');
    const analysis = inRoot('systemd-analyze', 'security', '--offline=yes', '--no-pager', 'parking-agent.service');
    expect(Number(/exposure level for .*: ([\d.]+)/.exec(analysis)?.[1])).toBeLessThanOrEqual(2);
  });

  it(
    'is upgraded, and keeps what an owner changed and disabled',
    () => {
      setting('BLE_HCI=off');
      inRoot('systemctl', 'disable', 'parking-claim-file.path');
      inRoot('dpkg', '-i', `/srv/${packageOf('0.2.0')}`);
      expect(inRoot('dpkg-query', '-Wf', '${Version} ${db:Status-Status}', 'parking-agent')).toBe('0.2.0 installed');
      expect(readFileSync(join(root, 'etc/parking/agent.env'), 'utf8')).toMatch(/BLE_HCI=off\n$/);
      expect(enabled()).not.toContain('paths.target.wants/parking-claim-file.path');
      // Nobody wants the adapter any more: bluetoothd may have it.
      expect(isThere(MASK)).toBe(false);
    },
    5 * MINUTES_MS,
  );

  it(
    'is removed: its settings stay, bluetoothd is as it was',
    () => {
      setting('BLE_HCI=hci0');
      inRoot('dpkg', '-i', `/srv/${packageOf('0.2.0')}`);
      expect(isThere(MASK)).toBe(true);
      inRoot('dpkg', '-r', 'parking-agent');
      expect([isThere('opt/parking-gateway'), isThere('etc/parking/agent.env'), isThere(MASK)]).toEqual([
        false,
        true,
        false,
      ]);
    },
    5 * MINUTES_MS,
  );

  it(
    'is purged, and leaves nothing',
    () => {
      inRoot('dpkg', '-P', 'parking-agent');
      for (const path of ['etc/parking', 'var/lib/parking-agent', 'var/lib/parking-agent.bluetooth-masked'])
        expect([path, isThere(path)]).toEqual([path, false]);
      expect(enabled()).toEqual([]);
    },
    5 * MINUTES_MS,
  );
});
