/** Judges what the device says of its disk, power, temperature and memory. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';

const DISK_LOW_SHARE = 0.1;
const DISK_LOW_BYTES = 500e6;
const DISK_FULL_BYTES = 20e6;
const FILES_FULL = 20;
const WORN_PERCENT = 70;
const ENDING_PERCENT = 100;
const HOT_CELSIUS = 75;
const CRITICAL_CELSIUS = 84;
const MEMORY_LOW_SHARE = 0.05;
const MEMORY_LOW_BYTES = 50e6;

/** Describes the file system on which the gateway keeps its data. */
export interface DiskFacts {
  path: string;
  free_bytes: number;
  total_bytes: number;
  /** How many more files it can take; null: the file system has no such bound. */
  free_files: number | null;
  /** Why it is mounted read-only; null: it is not. */
  read_only: string | null;
  /** Why the folder cannot be written to; null: it can, or nobody tried. */
  unwritable: string | null;
}

export function decideDisk(facts: DiskFacts): Finding[] {
  const { path, free_bytes, total_bytes, free_files, read_only, unwritable } = facts;
  const percent = total_bytes === 0 ? 0 : Math.floor((free_bytes / total_bytes) * 100);
  if (read_only !== null) return [found('disk.read_only', null, { problem: read_only })];
  if (free_bytes < DISK_FULL_BYTES) return [found('disk.full', null, { free_bytes })];
  if (free_files !== null && free_files < FILES_FULL) return [found('disk.no_inodes', null, { free: free_files })];
  if (unwritable !== null) return [found('disk.unwritable', null, { path, problem: unwritable })];
  const isLow = free_bytes < DISK_LOW_BYTES || free_bytes < total_bytes * DISK_LOW_SHARE;
  return [found(isLow ? 'disk.low' : 'disk.ok', null, { free_bytes, percent })];
}

/** The wear of a disk, as the disk reports it; each value null: it does not report it. */
export interface WearFacts {
  disk: string;
  used_percent: number | null;
  /** It says itself that its end is near. */
  is_failing: boolean;
}

/** @param disks those that say anything */
export function decideWear(disks: readonly WearFacts[]): Finding[] {
  if (disks.length === 0) return [found('wear.unknown', null, {})];
  return disks.map(({ disk, used_percent: percent, is_failing }) => {
    if (is_failing || (percent ?? 0) >= ENDING_PERCENT) return found('wear.ending', disk, {});
    if (percent === null) return found('wear.unknown', disk, {});
    return found(percent >= WORN_PERCENT ? 'wear.worn' : 'wear.ok', disk, { percent });
  });
}

/** @param power null: the device does not say */
export function decidePower(power: { is_low: boolean; was_low: boolean } | null): Finding[] {
  if (power === null) return [found('power.unknown', null, {})];
  if (power.is_low) return [found('power.low', null, {})];
  return [found(power.was_low ? 'power.was_low' : 'power.ok', null, {})];
}

/** @param celsius of the hottest sensor; null: the device has none */
export function decideHeat(celsius: number | null): Finding[] {
  if (celsius === null) return [found('heat.unknown', null, {})];
  const id = celsius >= CRITICAL_CELSIUS ? 'heat.critical' : celsius >= HOT_CELSIUS ? 'heat.high' : 'heat.ok';
  return [found(id, null, { celsius })];
}

/** @param memory null: the system does not say */
export function decideMemory(memory: { free_bytes: number; total_bytes: number } | null): Finding[] {
  if (memory === null) return [found('memory.unknown', null, {})];
  const { free_bytes, total_bytes } = memory;
  const isLow = free_bytes < MEMORY_LOW_BYTES || free_bytes < total_bytes * MEMORY_LOW_SHARE;
  return [found(isLow ? 'memory.low' : 'memory.ok', null, { free_bytes })];
}

const EMMC_STEP_PERCENT = 10;
const EMMC_STEP_MAX = 11;
const EMMC_URGENT = 3;

/**
 * Reads how worn an eMMC is (JESD84-B51, `DEVICE_LIFE_TIME_EST` and `PRE_EOL_INFO`, as the kernel writes them: `0x01 0x02`, `0x01`).
 * Each step of the first is a tenth; the last one means that its life is over. null: it does not say
 */
export function emmcWear(lifeTime: string, preEol: string): Omit<WearFacts, 'disk'> | null {
  const steps = numbersIn(lifeTime).filter((step) => step >= 1 && step <= EMMC_STEP_MAX);
  const is_failing = (numbersIn(preEol)[0] ?? 0) >= EMMC_URGENT || steps.includes(EMMC_STEP_MAX);
  if (steps.length === 0 && !is_failing) return null;
  return {
    used_percent: steps.length === 0 ? null : Math.min(100, Math.max(...steps) * EMMC_STEP_PERCENT),
    is_failing,
  };
}

const numbersIn = (text: string): number[] =>
  text
    .trim()
    .split(/\s+/)
    .map(Number)
    .filter((each) => Number.isInteger(each));

const LOW_NOW = 1;
const LOW_BEFORE = 0x1_0000;

/** Reads the flags of a Raspberry Pi's firmware (`get_throttled`, hexadecimal): under-voltage now, and since it started. */
export function throttledPower(text: string): { is_low: boolean; was_low: boolean } | null {
  const flags = /^(?:0x)?([\da-f]+)\s*$/i.exec(text.trim());
  if (flags?.[1] === undefined) return null;
  const bits = Number.parseInt(flags[1], 16);
  return { is_low: (bits & LOW_NOW) !== 0, was_low: (bits & LOW_BEFORE) !== 0 };
}

/** Reads `/proc/meminfo`. null: it does not say */
export function memoryIn(text: string): { free_bytes: number; total_bytes: number } | null {
  const of = (name: string) => {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  };
  const [free_bytes, total_bytes] = [of('MemAvailable'), of('MemTotal')];
  return free_bytes === null || total_bytes === null ? null : { free_bytes, total_bytes };
}

/** Reads `/proc/net/hci`: a line for each socket of Bluetooth, in which the inode is the sixth word. */
export const bluetoothSocketsIn = (table: string): string[] =>
  table.split('\n').flatMap((line) => {
    const inode = line.trim().split(/\s+/)[5] ?? '';
    return /^[1-9]\d*$/.test(inode) ? [inode] : [];
  });

/** @param of a switch of `/sys/class/rfkill` */
export const isBluetoothBlocked = (of: { type: string; soft: string; hard: string }): boolean =>
  of.type.trim() === 'bluetooth' && (of.soft.trim() === '1' || of.hard.trim() === '1');
