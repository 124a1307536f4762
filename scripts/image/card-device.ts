/** Which device may be written: never one that is in use, or that a machine keeps. Pure. */

/** A device as `lsblk -J -b -o PATH,TYPE,RM,HOTPLUG,RO,SIZE,MODEL,TRAN,MOUNTPOINTS` shows it. */
export interface BlockDevice {
  readonly path: string;
  readonly type: string;
  readonly rm: boolean;
  readonly hotplug: boolean;
  readonly ro: boolean;
  /** Bytes; 0: a reader without a card. */
  readonly size: number;
  readonly model: string | null;
  readonly tran: string | null;
  readonly mountpoints: readonly (string | null)[];
  readonly children?: readonly BlockDevice[];
}

const GB = 1e9;

const mountsOf = (device: BlockDevice): string[] => [
  ...device.mountpoints.filter((mount) => mount !== null),
  ...(device.children ?? []).flatMap(mountsOf),
];
/** A card in a built-in reader is `mmc`, and is not always called removable. A loop device is a file. */
const isRemovable = ({ type, rm, hotplug, tran }: BlockDevice): boolean =>
  type === 'loop' || rm || hotplug || tran === 'usb' || tran === 'mmc';

/** @returns what stands against writing an image of `imageBytes` to the device, or null */
export function problemOf(device: BlockDevice, imageBytes: number): string | null {
  const { path, type, ro, size } = device;
  const mounts = mountsOf(device);
  if (type !== 'disk' && type !== 'loop') return `${path} is a part of a device (${type}): name the whole device`;
  if (mounts.length > 0)
    return `${path} is in use (${mounts.join(', ')}): unmount it first, if it is the card and not a disk of this machine`;
  if (!isRemovable(device)) return `${path} is not removable: it is a disk of this machine, not a card`;
  if (size === 0) return `${path} has no card in it`;
  if (ro) return `${path} can only be read: look at the switch at the side of the card`;
  if (size < imageBytes)
    return `${path} has ${(size / GB).toFixed(1)} GB, and the image needs ${(imageBytes / GB).toFixed(1)} GB`;
  return null;
}

/** @returns the devices that a person may mean by "the card"; loop devices only by name */
export const cardDevices = (devices: readonly BlockDevice[], imageBytes: number): BlockDevice[] =>
  devices.filter((device) => device.type === 'disk' && problemOf(device, imageBytes) === null);

/** @returns the device that is meant. @throws Error that names the fault and its remedy */
export function chooseDevice(
  devices: readonly BlockDevice[],
  wanted: string | undefined,
  imageBytes: number,
): BlockDevice {
  if (wanted !== undefined) {
    const all = devices.flatMap((device) => [device, ...(device.children ?? [])]);
    const device = all.find(({ path }) => path === wanted);
    if (device === undefined) throw new Error(`there is no device ${wanted}: --list shows those that can be written`);
    const problem = problemOf(device, imageBytes);
    if (problem !== null) throw new Error(problem);
    return device;
  }
  const [first, ...others] = cardDevices(devices, imageBytes);
  if (first === undefined) throw new Error('there is no card to write: put one in, and see --list');
  if (others.length > 0)
    throw new Error(
      `there are several devices (${[first, ...others].map(({ path }) => path).join(', ')}): name one by --device`,
    );
  return first;
}

/** @returns a line for people */
export const deviceLine = ({ path, size, model, tran }: BlockDevice): string =>
  [path, `${(size / GB).toFixed(1)} GB`, model?.trim() ?? '', tran ?? ''].filter((text) => text !== '').join('  ');
