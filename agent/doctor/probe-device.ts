/** Asks the kernel how disk, power, temperature and memory of this device are. A fact that it does not give is null. */
import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile, realpath, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText } from '../../shared/error-text.js';
import { unitIn } from './decide-gateway.js';
import { readOnlyMount } from '../../shared/mount-table-parser.js';
import { parseJson } from '../../shared/json-text-codec.js';
import { z } from 'zod';
import {
  type DiskFacts,
  decideDisk,
  decideHeat,
  decideMemory,
  decidePower,
  decideWear,
  emmcWear,
  memoryIn,
  throttledPower,
  type WearFacts,
} from './decide-device.js';
import { type Finding, found } from '../../shared/doctor/findings.js';

/** The output of a program is read up to here. */
const OUTPUT_BYTES_MAX = 256 * 1024;
const DISKS_MAX = 8;

/** Returns the text of a file; null: it is not there, or not for this user. */
export const readText = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => []);

/** Runs a program of the system and returns what it prints; null: it is not installed, or fails. */
export function outputOf(program: string, args: string[], signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { signal, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout) => {
      // smartctl tells by its exit code what is wrong with a disk, and still prints all of it.
      const hasEnded = error === null || typeof error.code === 'number';
      resolve(hasEnded && stdout !== '' ? stdout : null);
    });
  });
}

/** @param directory where the gateway keeps its data; it may not be there yet */
export async function probeDisk(directory: string): Promise<Finding[]> {
  const path = await existing(directory);
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(path);
    const mounts = await readText('/proc/self/mountinfo');
    const facts: DiskFacts = {
      path,
      free_bytes: bavail * bsize,
      total_bytes: blocks * bsize,
      free_files: files === 0 ? null : ffree,
      read_only: mounts === null ? null : readOnlyMount(mounts, await realpath(path)),
      unwritable: await access(path, constants.W_OK | constants.X_OK).then(() => null, errorText),
    };
    return decideDisk(facts);
  } catch (error) {
    return [found('disk.unknown', null, { path, problem: errorText(error) })];
  }
}

/** The nearest folder above that exists: before the first start there is no other. */
async function existing(directory: string): Promise<string> {
  let path = directory;
  for (;;) {
    const isThere = await access(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    );
    if (isThere || dirname(path) === path) return path;
    path = dirname(path);
  }
}

/** @param root where `/sys` is; `/` but in tests */
export async function probeWear(signal: AbortSignal, root = '/'): Promise<Finding[]> {
  const names = (await namesIn(join(root, 'sys/block'))).filter((name) =>
    /^(mmcblk\d+|sd[a-z]+|nvme\d+n\d+)$/.test(name),
  );
  const disks = await Promise.all(
    names.slice(0, DISKS_MAX).map(async (disk): Promise<WearFacts[]> => {
      const wear = disk.startsWith('mmcblk')
        ? await emmc(join(root, 'sys/block', disk, 'device'))
        : await smart(disk, signal);
      return wear === null ? [] : [{ disk, ...wear }];
    }),
  );
  return decideWear(disks.flat());
}

async function emmc(directory: string): Promise<Omit<WearFacts, 'disk'> | null> {
  const lifeTime = await readText(join(directory, 'life_time'));
  const preEol = await readText(join(directory, 'pre_eol_info'));
  return lifeTime === null && preEol === null ? null : emmcWear(lifeTime ?? '', preEol ?? '');
}

const smartSchema = z.object({
  smart_status: z.object({ passed: z.boolean() }).optional(),
  nvme_smart_health_information_log: z.object({ percentage_used: z.number() }).optional(),
  ata_smart_attributes: z.object({ table: z.array(z.object({ id: z.number(), value: z.number() })) }).optional(),
});
/** Attributes that tell the life that is left, from 100 down: of Samsung, Intel, SanDisk and others. */
const LIFE_LEFT = new Set([177, 202, 231, 233]);

async function smart(disk: string, signal: AbortSignal): Promise<Omit<WearFacts, 'disk'> | null> {
  const output = await outputOf('smartctl', ['--json', '-H', '-A', `/dev/${disk}`], signal);
  const checked = smartSchema.safeParse(output === null ? null : parseJson(output));
  return checked.success ? smartWear(checked.data) : null;
}

function smartWear(checked: z.infer<typeof smartSchema>): Omit<WearFacts, 'disk'> | null {
  const { smart_status, nvme_smart_health_information_log: nvme, ata_smart_attributes: ata } = checked;
  const left = ata?.table.find(({ id, value }) => LIFE_LEFT.has(id) && value <= 100)?.value;
  const used_percent = nvme?.percentage_used ?? (left === undefined ? null : 100 - left);
  if (smart_status === undefined && used_percent === null) return null;
  return { used_percent, is_failing: smart_status?.passed === false };
}

export async function probePower(root = '/'): Promise<Finding[]> {
  const soc = join(root, 'sys/devices/platform/soc');
  for (const name of await namesIn(soc)) {
    const flags = await readText(join(soc, name, 'get_throttled'));
    if (flags !== null) return decidePower(throttledPower(flags));
  }
  const monitors = join(root, 'sys/class/hwmon');
  for (const name of await namesIn(monitors)) {
    const alarm = await readText(join(monitors, name, 'in0_lcrit_alarm'));
    if (alarm !== null) return decidePower({ is_low: alarm.trim() === '1', was_low: false });
  }
  return decidePower(null);
}

export async function probeHeat(root = '/'): Promise<Finding[]> {
  const zones = join(root, 'sys/class/thermal');
  const names = (await namesIn(zones)).filter((name) => name.startsWith('thermal_zone'));
  const texts = await Promise.all(names.map((name) => readText(join(zones, name, 'temp'))));
  const degrees = texts.flatMap((text) => (text === null || text.trim() === '' ? [] : Number(text) / 1_000));
  const real = degrees.filter((each) => Number.isFinite(each) && each > 0);
  return decideHeat(real.length === 0 ? null : Math.round(Math.max(...real)));
}

export async function probeMemory(root = '/'): Promise<Finding[]> {
  const text = await readText(join(root, 'proc/meminfo'));
  return decideMemory(text === null ? null : memoryIn(text));
}

/** Says whether the clock follows a time server, according to whichever service is installed; null: none says. */
export async function probeSync(signal: AbortSignal, root = '/'): Promise<boolean | null> {
  if ((await readText(join(root, 'run/systemd/timesync/synchronized'))) !== null) return true;
  // It asks the kernel, whichever program keeps the time.
  const checked = await outputOf('timedatectl', ['show', '--property=NTPSynchronized', '--value'], signal);
  if (checked?.trim() === 'yes') return true;
  if (checked?.trim() === 'no') return false;
  // The last field of chrony's line is `Normal` while it follows a server.
  const tracking = await outputOf('chronyc', ['-c', 'tracking'], signal);
  return tracking === null ? null : tracking.trim().endsWith('Normal');
}

export const probeBattery = async (root = '/'): Promise<boolean> =>
  (await namesIn(join(root, 'sys/class/rtc'))).length > 0;

/** The unit of systemd that this program is part of; null: it is in none. */
export async function probeService(signal: AbortSignal): Promise<{ has_watchdog: boolean } | null> {
  const unit = unitIn((await readText('/proc/self/cgroup')) ?? '');
  if (unit === null) return null;
  const checked = await outputOf('systemctl', ['show', unit, '--property=WatchdogUSec', '--value'], signal);
  return { has_watchdog: checked !== null && !['', '0', 'infinity'].includes(checked.trim()) };
}
