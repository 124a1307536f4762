/** Which program has the Bluetooth adapter, as `/proc` and `/sys` of a device say it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { probeRadioHolder } from '../../../agent/doctor/probe-adapter.js';
import { NOBODY_KNOWN } from '../../../agent/doctor/probe-port.js';

const AGENT = ['node', '/usr/lib/parking/agent/main.js', 'run'];
const RADIO = ['/usr/bin/node', '/usr/lib/parking/agent/product/radio-process/radio-process.js'];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'probe-adapter-'));
  put('sys/class/bluetooth/hci0/address', '');
  put('sys/class/rfkill/rfkill0/type', 'wlan\n');
  put('sys/class/rfkill/rfkill0/soft', '1\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The kernel's table of sockets. */
function sockets(...inodes: number[]): void {
  const lines = inodes.map((inode) => `00000000f26bb5a2 2      0      0      0     ${inode}      0     `);
  put('proc/net/hci', ['sk               RefCnt Rmem   Wmem   User   Inode  Parent', ...lines, ''].join('\n'));
}

/** A program; `inodes` null: its files are hidden from this user. */
function runs(process: number, command: readonly string[], inodes: readonly number[] | null): void {
  put(`proc/${process}/cmdline`, `${command.join('\0')}\0`);
  if (inodes === null) return;
  mkdirSync(join(root, `proc/${process}/fd`));
  for (const [at, inode] of inodes.entries()) symlinkSync(`socket:[${inode}]`, join(root, `proc/${process}/fd/${at}`));
}

it('is named with its process, and is never the gateway itself', async () => {
  sockets(71, 72, 73);
  runs(40, AGENT, [99]);
  runs(41, RADIO, [71]);
  runs(900, ['python3', '-u', '/opt/scan/beacons.py'], [72, 5]);
  expect(await probeRadioHolder(root)).toBe('python3 beacons.py (900)');
});

it('is the daemon of BlueZ, whose files only root sees, or some program', async () => {
  sockets(71, 72);
  runs(41, RADIO, [71]);
  expect(await probeRadioHolder(root)).toBe(NOBODY_KNOWN);
  runs(812, ['/usr/libexec/bluetooth/bluetoothd'], null);
  expect(await probeRadioHolder(root)).toBe('bluetoothd (812)');
});

it('is nobody where only the gateway has it open, or Bluetooth is not there or blocked', async () => {
  runs(41, RADIO, [71]);
  runs(900, ['scanner'], [72]);
  expect(await probeRadioHolder(root)).toBeNull();
  sockets(71);
  expect(await probeRadioHolder(root)).toBeNull();
  sockets(71, 72);
  expect(await probeRadioHolder(root)).toBe('scanner (900)');
  put('sys/class/rfkill/rfkill1/type', 'bluetooth\n');
  put('sys/class/rfkill/rfkill1/soft', '1\n');
  expect(await probeRadioHolder(root)).toBeNull();
  put('sys/class/rfkill/rfkill1/soft', '0\n');
  expect(await probeRadioHolder(root)).toBe('scanner (900)');
  rmSync(join(root, 'sys/class/bluetooth'), { recursive: true });
  expect(await probeRadioHolder(root)).toBeNull();
});
