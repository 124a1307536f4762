/** What starts a device anew whose slot is not good: its script, with programs in the place of U-Boot's and systemd's. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = 'scripts/image/card/system/usr/lib/parking/watch-slot';
const GOOD = { BOOT_ORDER: 'B A', BOOT_A_LEFT: '3', BOOT_B_LEFT: '3' };
const ON_TRIAL = { ...GOOD, BOOT_B_LEFT: '2' };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-slot-'));
  for (const folder of ['proc', 'bin', 'run/parking-agent']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'proc/cmdline'), 'parking.slot=b rauc.slot=B console=tty1 panic=10\n');
  program(
    'systemctl',
    'case "$*" in *ActiveState*) echo "$STATE" ;; *Userspace*) echo "$BEGAN_US" ;; *Monotonic*) echo "$SINCE_US" ;; *) echo "$*" >>"$ASKED" ;; esac',
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(name: string, text: string): void {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(root, 'bin', name), 0o755);
}

interface Device {
  /** U-Boot's state; null: it cannot be read. */
  env: Record<string, string> | null;
  minutes: number;
  /** For how many minutes the gateway has been active; null: it is not. */
  gateway: number | null;
  /** Minutes until systemd began; left out: none. */
  initramfs?: number;
}

/** @returns what systemd was asked for; null: nothing */
function look({ env, minutes, gateway, initramfs }: Device): string | null {
  const lines = Object.entries(env ?? {}).map(([name, value]) => `${name}) echo '${value}' ;;`);
  program('fw_printenv', env === null ? 'exit 1' : `case "$2" in ${lines.join(' ')} *) exit 1 ;; esac`);
  writeFileSync(join(root, 'proc/uptime'), `${minutes * 60}.42 1.00\n`);
  const asked = join(root, 'asked');
  rmSync(asked, { force: true });
  const STATE = gateway === null ? 'activating' : 'active';
  const SINCE_US = String((minutes - (gateway ?? 0)) * 60_000_000);
  const BEGAN_US = String((initramfs ?? 0) * 60_000_000);
  const PATH = `${join(root, 'bin')}:${process.env['PATH']}`;
  execFileSync('sh', [SCRIPT, root], { env: { PATH, STATE, SINCE_US, BEGAN_US, ASKED: asked }, stdio: 'pipe' });
  return existsSync(asked) ? readFileSync(asked, 'utf8').trim() : null;
}
function moves(secondsAgo: number): void {
  const file = join(root, 'run/parking-agent/moving');
  writeFileSync(file, 'Exit, which moves\n');
  const at = Date.now() / 1_000 - secondsAgo;
  utimesSync(file, at, at);
}
const RESTART = '--no-block reboot';
const OVER = 'stop parking-trial.timer';

describe('the watch over a slot', () => {
  it('ends when the slot is good, whatever else is', () => {
    expect(look({ env: GOOD, minutes: 2, gateway: 1 })).toBe(OVER);
    expect(look({ env: { ...GOOD, BOOT_A_LEFT: '0' }, minutes: 200, gateway: null })).toBe(OVER);
  });

  it.each([
    [9, null, null],
    [10, null, RESTART],
    [10, 0, RESTART],
    [10, 2, null],
    [44, 43, null],
    [45, 44, RESTART],
  ])('%d minutes after the start, with a gateway that has lived for %s: %s', (minutes, gateway, wanted) => {
    expect(look({ env: ON_TRIAL, minutes, gateway })).toBe(wanted);
    expect(look({ env: { ...ON_TRIAL, BOOT_B_LEFT: '0' }, minutes, gateway })).toBe(wanted);
    // A state that cannot be read makes no slot good.
    expect(look({ env: null, minutes, gateway })).toBe(wanted);
  });

  it('does not count what the initramfs repaired', () => {
    expect(look({ env: ON_TRIAL, minutes: 17, gateway: null, initramfs: 8 })).toBeNull();
    expect(look({ env: ON_TRIAL, minutes: 18, gateway: null, initramfs: 8 })).toBe(RESTART);
  });

  it('waits while a gateway that lives says that something moves, and for nobody else', () => {
    moves(10);
    expect(look({ env: ON_TRIAL, minutes: 46, gateway: 45 })).toBeNull();
    expect(look({ env: ON_TRIAL, minutes: 12, gateway: 0 })).toBeNull();
    expect(look({ env: ON_TRIAL, minutes: 12, gateway: null })).toBe(RESTART);
    // Nothing moves for so long.
    expect(look({ env: ON_TRIAL, minutes: 55, gateway: 54 })).toBe(RESTART);
    moves(60);
    expect(look({ env: ON_TRIAL, minutes: 46, gateway: 45 })).toBe(RESTART);
  });

  it('starts nothing anew without end: where no slot has a try left, the device stays as it is', () => {
    const last = { BOOT_ORDER: 'B', BOOT_A_LEFT: '0', BOOT_B_LEFT: '0' };
    expect(look({ env: last, minutes: 100, gateway: null })).toBe(OVER);
    expect(look({ env: { ...last, BOOT_ORDER: 'B A' }, minutes: 100, gateway: null })).toBe(OVER);
    // A slot that is out of the order is none that U-Boot comes to.
    expect(look({ env: { ...last, BOOT_A_LEFT: '3' }, minutes: 100, gateway: null })).toBe(OVER);
    expect(look({ env: { ...last, BOOT_ORDER: 'B A', BOOT_A_LEFT: '1' }, minutes: 100, gateway: null })).toBe(RESTART);
  });

  it('has systemd do it the hard way where it cannot be asked', () => {
    program('systemctl', 'echo "$*" >>"$ASKED"; case "$*" in --force*) ;; *) exit 1 ;; esac');
    const said = look({ env: ON_TRIAL, minutes: 20, gateway: null })?.split('\n') ?? [];
    expect(said.slice(-2)).toEqual([RESTART, '--force reboot']);
  });
});
