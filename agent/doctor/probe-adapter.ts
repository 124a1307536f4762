/** Finds out whether another program has the Bluetooth adapter that the gateway cannot use. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bluetoothSocketsIn, isBluetoothBlocked } from './decide-device.js';
import { readText } from './probe-device.js';
import { holdersOf, programNamed } from './probe-holders.js';
import { NOBODY_KNOWN } from './probe-port.js';
import type { Finding } from '../../shared/doctor/findings.js';

/** BlueZ's daemon, which runs as root: others see its name, and not what it has open. */
const DAEMON = 'bluetoothd';

/**
 * Asked while no adapter works.
 * @param root where `/proc` and `/sys` are; `/` but in tests
 * @returns the program that has Bluetooth open beside the gateway; null: there is none, or the adapter is gone or blocked, whoever has it
 */
export async function probeRadioHolder(root = '/'): Promise<string | null> {
  const adapters = await namesIn(join(root, 'sys/class/bluetooth'));
  if (!adapters.some((name) => /^hci\d+$/.test(name)) || (await isSwitchedOff(root))) return null;
  const sockets = bluetoothSocketsIn((await readText(join(root, 'proc/net/hci'))) ?? '');
  const holders = await holdersOf(sockets, root);
  const other = holders.find(({ isGateway }) => !isGateway);
  if (other !== undefined) return other.name;
  const seen = new Set(holders.flatMap(({ inodes }) => inodes));
  if (sockets.every((inode) => seen.has(inode))) return null;
  return (await programNamed(DAEMON, root)) ?? NOBODY_KNOWN;
}

/**
 * Names the program in the report of a gateway that could not see it: its unit hides the programs of others from it (`ProtectProc`), and whoever
 * asks at a shell may see them.
 */
export async function withHolderNamed(findings: readonly Finding[]): Promise<Finding[]> {
  const isUnnamed = ({ id, facts }: Finding) => id === 'radio.held' && facts['program'] === NOBODY_KNOWN;
  const program = findings.some(isUnnamed) ? await probeRadioHolder() : null;
  if (program === null) return [...findings];
  return findings.map((finding) => (isUnnamed(finding) ? { ...finding, facts: { program } } : finding));
}

async function isSwitchedOff(root: string): Promise<boolean> {
  const switches = join(root, 'sys/class/rfkill');
  const each = await Promise.all(
    (await namesIn(switches)).map(async (name) => {
      const [type, soft, hard] = await Promise.all(
        ['type', 'soft', 'hard'].map((file) => readText(join(switches, name, file))),
      );
      return isBluetoothBlocked({ type: type ?? '', soft: soft ?? '', hard: hard ?? '' });
    }),
  );
  return each.includes(true);
}

const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);
