/**
 * Looks for updates on sticks: files *.raucb (in any case) in the top folder of everything that is mounted where
 * systems mount people's sticks.
 */
import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../shared/error-text.js';
import { mountPoints } from '../../shared/mount-table-parser.js';
import { compareVersions } from '../../shared/version-order.js';
import { BundleRefused, type UpdateInstaller } from './update-installer.js';
import type { InstalledSoftware } from './update-machine.js';

/** More names on a stick are not read, and more bundles on it not looked at: those with the last names. */
const NAMES_MAX = 10_000;
const FILES_MAX = 32;
const PLACES = ['/media/', '/run/media/', '/mnt/'];

/** An update that somebody brought. */
export interface Offer {
  path: string;
  /** null: it is none that can be installed. */
  version: string | null;
  problem: string | null;
}

export interface OfferFinder {
  /** The newest that can be installed first, then the others, each with its reason. Files that were judged before are not checked again. */
  find(software: InstalledSoftware): Promise<Offer[]>;
}

/** @param options.mountTable left out: that of this process */
export function createOfferFinder(options: {
  installer: Pick<UpdateInstaller, 'check'>;
  mountTable?: () => Promise<string>;
  places?: readonly string[];
}): OfferFinder {
  const { installer, places = PLACES, mountTable = () => readFile('/proc/self/mountinfo', 'utf8') } = options;
  let known = new Map<string, Offer>();

  /**
   * Reads the offer at a path. One that cannot be judged now (a certificate that has ended by a clock that is wrong, a
   * stick that is worn) is looked at again.
   */
  async function offerOf(path: string, machine: string): Promise<{ offer: Offer; isSettled: boolean }> {
    try {
      const info = await installer.check(path);
      const problem = info.machine === machine ? null : `it is for ${info.machine}, and this device is ${machine}`;
      return { offer: { path, version: problem === null ? info.version : null, problem }, isSettled: true };
    } catch (error) {
      return {
        offer: { path, version: null, problem: errorText(error) },
        isSettled: error instanceof BundleRefused,
      };
    }
  }

  return {
    async find({ machine }) {
      const mounts = mountPoints(await mountTable()).filter((mount) => places.some((place) => mount.startsWith(place)));
      const files = (await Promise.all(mounts.map(bundlesIn))).flat();
      const offers: Offer[] = [];
      const settled = new Map<string, Offer>();
      for (const { key, path } of files) {
        const before = known.get(key);
        const { offer, isSettled } =
          before === undefined ? await offerOf(path, machine) : { offer: before, isSettled: true };
        offers.push(offer);
        if (isSettled) settled.set(key, offer);
      }
      known = settled;
      return offers.toSorted((a, b) => compareVersions(b.version ?? '', a.version ?? ''));
    },
  };
}

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** The names of a folder, as many as are read; none: it is gone. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      names.push(name);
      if (names.length >= NAMES_MAX) break;
    }
  } catch {
    // A stick that was pulled out meanwhile has no files.
  }
  return names;
}

/** Lists the bundles on a mount. FAT ignores case; a name that begins with a dot is a Mac's note about its neighbour. */
async function bundlesIn(mount: string): Promise<{ key: string; path: string }[]> {
  const names = (await namesIn(mount))
    .filter((name) => /\.raucb$/i.test(name) && !name.startsWith('.'))
    .toSorted((a, b) => BY_NUMBERS.compare(b, a));
  const files: { key: string; path: string }[] = [];
  for (const name of names) {
    const path = join(mount, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isFile()) files.push({ path, key: `${path} ${found.size} ${found.mtimeMs} ${found.ino}` });
    if (files.length >= FILES_MAX) break;
  }
  return files;
}
