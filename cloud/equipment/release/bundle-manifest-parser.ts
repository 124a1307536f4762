/** Reads the manifest of a RAUC bundle, as it is inside the bundle's signature (RAUC's manual, "Manifest"). */
import { VERSION_LENGTH_MAX, VERSION_PATTERN } from '../../../shared/version-order.js';

export interface BundleManifest {
  machine: string;
  version: string;
  notes: string;
  /** From `[meta.parking-gateway]`, which RAUC keeps from 1.9 on; null: it has none. */
  security_floor: string | null;
}

/** Why a file cannot be published, in words that say what to do. */
export class BundleError extends Error {}

/** The slot classes of a gateway's card. */
const SLOT_CLASSES = ['system', 'app'];
const MACHINE = /^[\w.+-]{1,100}$/;
const NOTES_LENGTH_MAX = 2_000;

/** @throws BundleError when it is not the manifest of a bundle for a gateway */
export function parseBundleManifest(text: string): BundleManifest {
  const groups = groupsOf(text);
  const update = groups.get('update');
  if (update === undefined) throw new BundleError('its manifest has no [update]: is it a RAUC bundle?');
  requireImages(groups);
  const version = update.get('version') ?? '';
  if (!isVersion(version))
    throw new BundleError(`its manifest has the version "${version}": a version such as 1.4.0 is needed`);
  const machine = update.get('compatible') ?? '';
  if (!MACHINE.test(machine))
    throw new BundleError(`its manifest has the compatible "${machine}", which no device has`);
  const floor = groups.get('meta.parking-gateway')?.get('security-floor') ?? null;
  if (floor !== null && !isVersion(floor))
    throw new BundleError(`its manifest has the security floor "${floor}", which is no version`);
  return {
    machine,
    version,
    notes: (update.get('description') ?? '').replaceAll(/\p{Cc}/gu, ' ').slice(0, NOTES_LENGTH_MAX),
    security_floor: floor,
  };
}

export const isVersion = (text: string): boolean => text.length <= VERSION_LENGTH_MAX && VERSION_PATTERN.test(text);

/** The device starts from the other slot afterwards: what the bundle leaves out would be as old as that slot is. */
function requireImages(groups: ReadonlyMap<string, unknown>): void {
  const missing = SLOT_CLASSES.filter((name) => !groups.has(`image.${name}`));
  if (missing.length > 0)
    throw new BundleError(
      `its manifest has no image for ${missing.join(' and ')}: a release has both, and RAUC writes only what is not there yet`,
    );
}

/** The format is that of GLib's key files. */
function groupsOf(text: string): Map<string, Map<string, string>> {
  const groups = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const group = /^\[([^\]]+)\]\s*$/.exec(line)?.[1];
    const [, key, value] = /^([^#\s=[][^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (group !== undefined) {
      current = groups.get(group) ?? new Map<string, string>();
      groups.set(group, current);
    } else if (key !== undefined) current.set(key, value ?? '');
  }
  return groups;
}
