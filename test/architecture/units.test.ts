import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../agent/process/memory-limits.js';
import { PROVE_WITHIN_MS } from '../../agent/update/update-machine.js';
import { cardPartitions } from '../../scripts/image/card-layout.js';
import { VERSION } from '../../shared/version.js';

/** A file of the project, from dist/test/architecture/. */
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

describe('how the gateway is run on a device', () => {
  it('starts the program plainly: the limits of its memory are its own', () => {
    const unit = read('systemd/parking-agent.service');
    expect(unit).toContain('ExecStart=/usr/bin/node /opt/parking-gateway/dist/agent/main.js run\n');
    for (const limit of [...GATEWAY_LIMITS.nodeOptions, ...Object.keys(GATEWAY_LIMITS.environment)])
      expect(unit).not.toContain(limit);
  });
});

describe.each(['parking-agent', 'parking-cloud', 'parking-cloud@'])('what %s may not do on a device', (program) => {
  it.each([
    ['leave its keys in a core dump', 'LimitCORE=0'],
    ['gain rights that it was not started with', 'NoNewPrivileges=yes'],
    ['write outside its own folder', 'ProtectSystem=strict'],
    ['load a kernel module', 'ProtectKernelModules=yes'],
    ['read the log of the kernel', 'ProtectKernelLogs=yes'],
    ['see the processes of others', 'ProtectProc=invisible'],
    ['make a namespace', 'RestrictNamespaces=yes'],
    ['take the processor for itself', 'RestrictRealtime=yes'],
    ['call the kernel as another architecture', 'SystemCallArchitectures=native'],
    ['call what only the system needs', 'SystemCallFilter=~@privileged @resources'],
    ['mount for others', 'PrivateMounts=yes'],
    ['open devices that it does not need', 'DevicePolicy=closed'],
    ['set the clock', 'ProtectClock=yes'],
  ])('%s', (_, line) => {
    expect(read(`systemd/${program}.service`).split('\n')).toContain(line);
  });
});

/** @throws under CI when it is not installed */
function hasSystemdAnalyze(): boolean {
  if (spawnSync('systemd-analyze', ['--version']).error === undefined) return true;
  if (process.env['CI'] !== undefined) throw new Error('systemd is not installed: scripts/setup --test installs it');
  return false;
}

/** `systemd-analyze security` gives points for what a unit leaves open, 0 to 10. What is left is the network, and what a Bluetooth adapter and node's compiler need. */
describe.runIf(hasSystemdAnalyze())('the exposure of the units, as systemd judges it', () => {
  it.each([
    ['parking-agent', 2],
    ['parking-cloud', 1.5],
    ['parking-cloud@', 1.5],
    ['parking-claim-file', 2],
    ['parking-restart', 2],
    // It uses nothing that a system in trouble may lack: no mounts of its own, no account.
    ['parking-trial', 5.5],
  ])('%s: at most %d', (program, most) => {
    const unit = ['systemd', 'scripts/image/card/system/usr/lib/systemd/system']
      .map((folder) => fileURLToPath(new URL(`../../../${folder}/${program}.service`, import.meta.url)))
      .find((path) => existsSync(path));
    if (unit === undefined) throw new Error(`there is no ${program}.service`);
    const analysis = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
      encoding: 'utf8',
    });
    const [, points] = /Overall exposure level for .*: ([\d.]+)/.exec(analysis.stdout) ?? [];
    expect(Number(points), analysis.stderr).toBeLessThanOrEqual(most);
  });
});

describe('the watch over the gateway', () => {
  it('is that of the program: it says when it is at work, and each start that fails is repeated after a longer pause', () => {
    const unit = read('systemd/parking-agent.service').split('\n');
    for (const line of ['Type=notify', 'WatchdogSec=60', 'TimeoutStopSec=30', 'Restart=on-failure'])
      expect(unit).toContain(line);
    // Children have no right to speak for the gateway: only its own process is heard.
    expect(unit.join()).not.toContain('NotifyAccess=all');
    const later = read('systemd/parking-agent-254.conf').split('\n');
    for (const line of ['RestartMode=direct', 'RestartSteps=6', 'RestartMaxDelaySec=60']) expect(later).toContain(line);
    expect(unit.join()).not.toMatch(/RestartMode|RestartSteps/);
  });
});

describe.each(['parking-agent', 'parking-cloud', 'parking-cloud@'])('how %s is started again', (program) => {
  it('goes on however often it failed: what it needs may be away for a night', () => {
    const [unit = ''] = read(`systemd/${program}.service`).split('[Service]');
    expect(unit.split('\n')).toContain('StartLimitIntervalSec=0');
  });
});

describe('the boot partition of a card', () => {
  it('is opened and closed for all: also a command with all rights has mounts of its own', () => {
    const commands = read('systemd/parking-claim-file.service')
      .split('\n')
      .filter((line) => /^Exec\w+=.*\bmount -o remount/.test(line));
    expect(commands).toHaveLength(2);
    for (const line of commands) expect(line).toMatch(/^Exec\w+=\+-\/usr\/bin\/nsenter -t 1 -m \/bin\/sh -c /);
  });
});

describe('a stick in a device', () => {
  const rules = read('scripts/image/card/system/usr/lib/udev/rules.d/80-parking-stick.rules').split('\n');

  it('is mounted where the gateway looks, to be read and not to be trusted', () => {
    const rule = rules.find((line) => line.includes('systemd-mount')) ?? '';
    const options = /--options=(\S+) /.exec(rule)?.[1]?.split(',');
    expect(options).toEqual(expect.arrayContaining(['ro', 'nosuid', 'nodev', 'noexec']));
    expect(rule).toMatch(/ \$devnode \/run\/media\/%k"$/);
    expect(rule).toMatch(
      /^ENV\{ID_FS_TYPE\}=="vfat\|exfat", RUN\{program\}\+="\/usr\/bin\/systemd-mount --no-block --collect /,
    );
  });
  it('is none of the partitions of a card', () => {
    const names = cardPartitions('arm64').map(({ name }) => name);
    const excluded = /^ENV\{ID_PART_ENTRY_NAME\}=="([^"]*)", GOTO="(.*)"$/;
    const [, own = '', goal] = rules.flatMap((line) => excluded.exec(line) ?? []);
    expect(own.split('|')).toEqual(names);
    expect(rules).toContain(`LABEL="${goal}"`);
  });
});

describe('what starts a card anew, when its gateway does not', () => {
  const own = 'scripts/image/card/system/usr/lib/systemd';
  const linesOf = (path: string) => read(path).split('\n');

  it('is the watch over its slot, which waits for no part of the start and for no folder', () => {
    for (const unit of ['timer', 'service'])
      expect(linesOf(`${own}/system/parking-trial.${unit}`)).toContain('DefaultDependencies=no');
    expect(linesOf(`${own}/system/parking-trial.timer`)).toContain('WantedBy=sysinit.target');
    expect(linesOf(`${own}/system-preset/10-parking.preset`)).toContain('enable parking-trial.timer');
    expect(read(`${own}/system/parking-trial.service`)).not.toMatch(
      /^(User|Private|Protect|ReadWrite|RequiresMounts)/m,
    );
  });

  it('gives a gateway the time that it takes to prove itself', () => {
    const seconds = (name: string) =>
      Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(read(`${own}/../parking/watch-slot`))?.[1]);
    const [, start] = /^TimeoutStartSec=(\d+)$/m.exec(read('systemd/parking-agent.service')) ?? [];
    expect(seconds('DEAD_AFTER_S')).toBeGreaterThanOrEqual(2 * Number(start));
    expect(seconds('UNPROVEN_AFTER_S')).toBeGreaterThanOrEqual(PROVE_WITHIN_MS / 1_000 + seconds('DEAD_AFTER_S'));
  });

  it.each(['emergency', 'rescue'])('is the %s mode itself: nobody can log in there', (mode) => {
    const lines = linesOf(`${own}/system/${mode}.service.d/50-parking.conf`);
    expect(lines).toEqual(
      expect.arrayContaining(['SuccessAction=reboot-force', 'FailureAction=reboot-force', 'ExecStart=']),
    );
  });

  it('is the watchdog, from the initramfs on, and the kernel when it panics or systemd ends', () => {
    expect(linesOf('scripts/image/card/initramfs/modules')).toContain('bcm2835_wdt');
    expect(read('scripts/image/card/initramfs/init')).toMatch(/^ {2}timeout -s KILL 900 watchdog /m);
    const manager = linesOf(`${own}/system.conf.d/50-parking.conf`);
    expect(manager).toEqual(expect.arrayContaining(['RuntimeWatchdogSec=14s', 'CrashAction=reboot']));
    expect(read('scripts/image/card/boot/boot.cmd')).toContain(' panic=10 ');
  });
});

describe('the name of a card in its network', () => {
  it.each([
    'scripts/image/card/system/usr/lib/systemd/resolved.conf.d/50-parking.conf',
    'scripts/image/card/system/etc/systemd/network/50-dhcp.network',
  ])('%s: by mDNS, and by nothing else', (path) => {
    expect(read(path).split('\n')).toEqual(expect.arrayContaining(['MulticastDNS=yes', 'LLMNR=no']));
  });
});

describe('what is written twice, as it must be', () => {
  it('says the same version', () => {
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  });
});
