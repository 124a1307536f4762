/**
 * The Debian package under a systemd that runs: installed, killed by its watchdog, upgraded, purged. The root of test/deep/deb-package.test.ts, booted
 * by systemd-nspawn.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { canMakePackages, makeDebianRoot, packageOf } from '../world/debian-package.js';

const WITHIN_MS = 180_000;
/** systemd wants control groups of the second version alone, which the host's may not be. */
const BOOT =
  'mount -t cgroup2 none /sys/fs/cgroup && exec systemd-nspawn --quiet --boot --register=no --keep-unit --private-network --console=pipe --directory="$0"';
const UNITS = ['parking-agent.service', 'parking-claim-file.path'];

describe.skipIf(!canMakePackages('systemd-nspawn'))('the Debian package under a running systemd', () => {
  let directory: string;
  let machine: ChildProcess;
  let printed = '';

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'deb-boot-'));
    const root = makeDebianRoot(directory);
    const env = { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' };
    machine = spawn('unshare', ['--mount', 'sh', '-c', BOOT, root], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [machine.stdout, machine.stderr]) stream?.on('data', (text) => (printed += String(text)));
    await waitUntil(
      `systemd to be up: ${printed}`,
      () => /running|degraded/.test(inside('systemctl is-system-running').said),
      WITHIN_MS,
    );
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => machine.once('close', resolve));
    machine.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });

  /** The first program of the machine, as this one counts it. */
  const leader = (): string => execFileSync('pgrep', ['-P', String(machine.pid)], { encoding: 'utf8' }).trim();
  /** Runs a command in the machine. */
  function inside(command: string): { status: number | null; said: string } {
    try {
      const args = ['-t', leader(), '-a', 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'sh', '-c', command];
      const { status, stdout, stderr } = spawnSync('nsenter', args, { encoding: 'utf8' });
      return { status, said: stdout + stderr };
    } catch (error) {
      return { status: null, said: String(error) };
    }
  }
  function done(command: string): string {
    const { status, said } = inside(command);
    expect([command, status, status === 0 ? '' : said]).toEqual([command, 0, '']);
    return said;
  }
  const pid = () => inside('systemctl show -P MainPID parking-agent').said.trim();
  const isUp = (but = '') =>
    waitUntil(
      'the gateway to be up',
      () => inside('systemctl is-active parking-agent').said === 'active\n' && pid() !== but && pid() !== '0',
      WITHIN_MS,
    );

  it('runs once it is installed, and answers', async () => {
    done(`dpkg -i /srv/${packageOf('0.1.0')}`);
    await isUp();
    expect(done('parking-agent status')).toContain('not claimed: parking-agent claim');
    expect(done('systemctl is-active parking-claim-file.path')).toBe('active\n');
  });

  it('is started anew by systemd when it hangs', async () => {
    const before = pid();
    done(`kill -STOP ${before}`);
    await isUp(before);
    expect(done('journalctl -o cat -u parking-agent')).toMatch(/Watchdog timeout/);
  });

  it('is started as the new one by an upgrade, and keeps who it is', async () => {
    const identity = done('cat /var/lib/parking-agent/identity.json');
    const before = pid();
    done(`dpkg -i /srv/${packageOf('0.2.0')}`);
    await isUp(before);
    expect(done(`dpkg-query -Wf '\${Version}' parking-agent`)).toBe('0.2.0');
    expect(done('cat /var/lib/parking-agent/identity.json')).toBe(identity);
    expect(done('systemctl show -P Result parking-agent')).toBe('success\n');
  });

  it('ends when it is purged, and leaves nothing that fails', () => {
    done('dpkg -P parking-agent');
    for (const unit of UNITS) expect([unit, inside(`systemctl is-active ${unit}`).said]).toEqual([unit, 'inactive\n']);
    expect(inside('pgrep -f "[p]arking-gateway"').said).toBe('');
    expect(inside('ls /var/lib/parking-agent /etc/parking').status).not.toBe(0);
    expect(done('systemctl --failed --no-legend')).not.toMatch(/parking/);
  });
});
