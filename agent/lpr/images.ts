/**
 * Pictures of reads, made small enough for a mobile link: the full picture at most 1280 pixels wide and high, the plate as
 * the camera cut it or cut out of the full picture. Runs behind the decision, one at a time; what it cannot read is left out.
 */
import type { Logger } from '../../shared/logger.js';
import type { ImageRole } from '../../shared/uplink.js';
import type { CameraPictures, PictureBox } from './camera.js';
import { isWholeJpeg, jpegSize } from './jpeg.js';
import { PICTURE_SIDE_PIXELS_MAX, type PictureMaker, type PixelBox } from './picture-maker.js';

/** A picture that is small enough in pixels is sent as it is up to this size. */
const AS_IS_BYTES_MAX = 512 * 1024;
/** Pictures waiting beyond this are given up: the reads come first. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;

export interface PreparedImage {
  role: ImageRole;
  jpeg: Uint8Array;
}

export interface Images {
  /** Which pictures `prepare` will make of these, told at once and without decoding: a read announces them before they exist. */
  announce(pictures: CameraPictures): ImageRole[];
  /** The pictures, in their turn. Never rejects. */
  prepare(pictures: CameraPictures): Promise<PreparedImage[]>;
  /** Pictures still waiting are left out from here on. */
  close(): Promise<void>;
}

/** It owns the maker and closes it. */
export function createImages(deps: { maker: PictureMaker; logger: Logger }): Images {
  const { maker, logger } = deps;
  let waitingBytes = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function make(role: ImageRole, work: () => Promise<Uint8Array | null>): Promise<PreparedImage[]> {
    try {
      const jpeg = await work();
      return jpeg === null ? [] : [{ role, jpeg }];
    } catch (error) {
      logger.warn({ err: error, role }, 'picture of a read left out');
      return [];
    }
  }

  async function shrink(jpeg: Uint8Array): Promise<Uint8Array> {
    const size = jpegSize(jpeg);
    if (size === null) throw new Error('no picture in it');
    const isSmall =
      size.width <= PICTURE_SIDE_PIXELS_MAX && size.height <= PICTURE_SIDE_PIXELS_MAX && jpeg.length <= AS_IS_BYTES_MAX;
    // Copied: what goes on must not carry the whole push with it.
    if (isSmall) return new Uint8Array(jpeg);
    return maker.make(jpeg, null);
  }

  async function cut(jpeg: Uint8Array, box: PictureBox): Promise<Uint8Array | null> {
    const pixels = pixelsOf(jpeg, box);
    return pixels === null ? null : maker.make(jpeg, pixels);
  }

  async function prepareNow(pictures: CameraPictures): Promise<PreparedImage[]> {
    const { full, plate, plate_box } = pictures;
    const made: PreparedImage[] = [];
    for (const role of rolesOf(pictures)) {
      if (role === 'cropped' && plate !== null && isWholeJpeg(plate)) {
        made.push(...(await make(role, () => shrink(plate))));
      } else if (role === 'cropped' && full !== null && plate_box !== null) {
        made.push(...(await make(role, () => cut(full, plate_box))));
      } else if (role === 'full' && full !== null) {
        made.push(...(await make(role, () => shrink(full))));
      }
    }
    return made;
  }

  return {
    announce(pictures) {
      return waitingBytes + bytesOf(pictures) > WAITING_BYTES_MAX ? [] : rolesOf(pictures);
    },
    prepare(pictures) {
      const bytes = bytesOf(pictures);
      waitingBytes += bytes;
      const prepared = last.then(() => prepareNow(pictures)).finally(() => void (waitingBytes -= bytes));
      last = prepared;
      return prepared;
    },
    close: maker.close,
  };
}

function bytesOf({ full, plate }: CameraPictures): number {
  return (full?.length ?? 0) + (plate?.length ?? 0);
}

function rolesOf({ full, plate, plate_box }: CameraPictures): ImageRole[] {
  const roles: ImageRole[] = [];
  const wholeFull = full !== null && isWholeJpeg(full);
  if (wholeFull) roles.push('full');
  const cropped = (plate !== null && isWholeJpeg(plate)) || (wholeFull && plate_box !== null && touches(plate_box));
  if (cropped) roles.push('cropped');
  return roles;
}

/** Whether any of the box lies in the picture. */
function touches({ x, y, width, height }: PictureBox): boolean {
  return x < 1 && y < 1 && x + width > 0 && y + height > 0 && width > 0 && height > 0;
}

/** The box in pixels, kept within the picture; null when nothing of it is left. */
function pixelsOf(jpeg: Uint8Array, box: PictureBox): PixelBox | null {
  const size = jpegSize(jpeg);
  if (size === null) throw new Error('no picture in it');
  const { width, height } = size;
  const left = clamp(Math.floor(box.x * width), width);
  const top = clamp(Math.floor(box.y * height), height);
  const right = clamp(Math.ceil((box.x + box.width) * width), width);
  const bottom = clamp(Math.ceil((box.y + box.height) * height), height);
  if (right <= left || bottom <= top) return null;
  return { left, top, width: right - left, height: bottom - top };
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}
