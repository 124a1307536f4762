/** Looks for updates on sticks: files *.raucb in the top folder of what is mounted where systems mount what people plug in. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../shared/error-text.js';
import { mountPoints } from '../../shared/mount-table-parser.js';
import { compareVersions } from '../../shared/version-order.js';
import { BundleRefused, type UpdateInstaller } from './update-installer.js';
import type { InstalledSoftware } from './update-machine.js';

/** More files on sticks are not looked at. */
const FILES_MAX = 8;
const PLACES = ['/media/', '/run/media/', '/mnt/'];

/** An update that somebody brought. */
export interface Offer {
  path: string;
  /** null: it is none that can be installed. */
  version: string | null;
  problem: string | null;
}

export interface OfferFinder {
  /** The newest that can be installed first. Files that were looked at before are not checked again. */
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

  async function offerOf(path: string, machine: string): Promise<Offer> {
    try {
      const info = await installer.check(path);
      const problem = info.machine === machine ? null : `it is for ${info.machine}, and this device is ${machine}`;
      return { path, version: problem === null ? info.version : null, problem };
    } catch (error) {
      if (!(error instanceof BundleRefused)) throw error;
      return { path, version: null, problem: errorText(error) };
    }
  }

  return {
    async find({ machine }) {
      const mounts = mountPoints(await mountTable()).filter((mount) => places.some((place) => mount.startsWith(place)));
      const files = (await Promise.all(mounts.map(bundlesIn))).flat().slice(0, FILES_MAX);
      const found = new Map<string, Offer>();
      for (const { key, path } of files) found.set(key, known.get(key) ?? (await offerOf(path, machine)));
      known = found;
      return [...found.values()].toSorted((a, b) => compareVersions(b.version ?? '', a.version ?? ''));
    },
  };
}

/** A stick that was pulled out meanwhile has no files. */
async function bundlesIn(mount: string): Promise<{ key: string; path: string }[]> {
  const names = (await readdir(mount).catch(() => [])).filter((name) => name.endsWith('.raucb')).toSorted();
  const files = await Promise.all(
    names.slice(0, FILES_MAX).map(async (name) => {
      const path = join(mount, name);
      const found = await stat(path).catch(() => null);
      return found?.isFile() ? [{ path, key: `${path} ${found.size} ${found.mtimeMs}` }] : [];
    }),
  );
  return files.flat();
}
