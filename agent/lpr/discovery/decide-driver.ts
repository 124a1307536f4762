import { CAMERA_DRIVERS, type CameraDriverName } from '../../../shared/drivers/camera-driver-list.js';
import type { FoundCamera } from './discovery-answers-parser.js';

/** Vendors whose cameras are known by another name than the label of their driver. */
const OTHER_NAMES: Readonly<Record<string, CameraDriverName>> = {
  unv: 'uniview',
  vzenith: 'zhenshi',
  ubiquiti: 'unifi',
};

/** The driver that fits a camera which was found: by its vendor, else by the protocol that found it. */
export function decideDriver({ vendor, by }: Pick<FoundCamera, 'vendor' | 'by'>): CameraDriverName {
  const name = vendor.toLowerCase();
  const words = [...Object.entries(OTHER_NAMES), ...Object.keys(CAMERA_DRIVERS).map((own) => [own, own] as const)];
  const known = words.find(([word, driver]) => name.includes(word) && driver !== 'mapping')?.[1];
  if (known !== undefined) return known as CameraDriverName;
  // Many cameras of other brands are made by one of the two, and speak its protocols.
  return ({ sadp: 'hikvision', dhip: 'dahua', 'ws-discovery': 'onvif' } as const)[by];
}
