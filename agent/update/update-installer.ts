/** Port: the slots of this device, and what puts a release into the one that is not used. */

import type { InstalledSoftware } from './update-machine.js';

export interface BundleInfo {
  machine: string;
  version: string;
  /** The hash of the manifest, which names the content by its hashes; null: the installer does not say it. */
  manifest_hash: string | null;
}

/** The bundle will never be installed on this device, whatever is tried: it is damaged, not signed by the right authority, or for another device. */
export class BundleRefused extends Error {}

export interface UpdateInstaller {
  /** Whether `check` and `install` take the address of a bundle, too, and fetch only what the device has not. */
  readonly streams: boolean;
  /** @returns null: this device has no slots. @throws Error when it cannot be said now */
  look(): Promise<InstalledSoftware | null>;
  /** Checks the signature of a bundle, and reads what it says of itself. @throws BundleRefused */
  check(place: string): Promise<BundleInfo>;
  /**
   * Writes a bundle into the other slot. The running software goes on from its own slot, also at the next start of the
   * device.
   * @param onProgress percent
   * @throws BundleRefused; Error when another try may do it
   */
  install(place: string, onProgress: (percent: number) => void): Promise<void>;
  /** The version that was written into the other slot; null: it holds nothing whole. */
  written(): Promise<Omit<BundleInfo, 'machine'> | null>;
  /** From now on the device starts from the other slot; after a few starts that nobody calls good, from this one again. */
  choose(): Promise<void>;
  /** Starts the device anew, soon. */
  restart(): Promise<void>;
  /**
   * Says that something moves, to what starts the device anew while its slot is not good: as long as it is said every few seconds, that waits.
   * null: nothing moves.
   */
  noteMoving(why: string | null): Promise<void>;
  /** The slot that runs works: the device starts from it until another is chosen. */
  markGood(): Promise<void>;
  /** The slot that runs does not work: the device starts from the other one. */
  markBad(): Promise<void>;
}
