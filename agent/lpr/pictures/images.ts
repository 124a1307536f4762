/**
 * Prepares the pictures of reads for a mobile link. The full picture is at most 1280 pixels wide and high; the plate is the camera's own
 * cut, or is cut out of the full picture. This runs after the decision, one read at a time, and the cameras take turns. A picture that
 * cannot be decoded is left out.
 */
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { Logger } from '../../../shared/logger.js';
import { THUMBNAIL_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import type { ImageRole } from '../../../shared/uplink.js';
import type { CameraPictures, PictureBox } from '../camera.js';
import { createCameraBytes } from '../camera-bytes.js';
import { isWholeJpeg, jpegOrientation, jpegSize, trimmedJpeg, UPRIGHT, withoutMetadata } from './jpeg.js';
import {
  PICTURE_PIXELS_MAX,
  PICTURE_SIDE_PIXELS_MAX,
  type PictureMaker,
  type PixelBox,
  THUMBNAIL_SIDE_PIXELS_MAX,
} from './picture-maker.js';

/** Up to this size, a picture with few enough pixels is kept without being decoded. */
const AS_IS_BYTES_MAX = 512 * 1024;
/** Pictures that would exceed this while they wait are left out, because the reads come first. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** The same for one camera, so that it does not cost the others their pictures. No push has more. */
const WAITING_BYTES_PER_CAMERA_MAX = 8 * 1024 * 1024;
/** The largest picture. A push has at most two: of the vehicle, and of the plate. */
const PICTURE_BYTES_MAX = 6 * 1024 * 1024;

interface ImagesDeps {
  maker: PictureMaker;
  logger: Logger;
}

export interface PreparedImage {
  role: ImageRole;
  jpeg: Uint8Array;
  /** The same picture for lists; null: `jpeg` is small itself, or the small copy could not be made. */
  thumbnail: Uint8Array | null;
}

export interface Images {
  /**
   * Says which pictures `prepare` will deliver. It answers at once and without decoding, because a read announces its pictures before they
   * exist.
   */
  announce(cameraDeviceId: string, pictures: CameraPictures): ImageRole[];
  /** Prepares the pictures when it is the camera's turn. Never rejects. */
  prepare(cameraDeviceId: string, pictures: CameraPictures): Promise<PreparedImage[]>;
  /** Closes the maker; pictures that still wait are left out. */
  close(): Promise<void>;
}

/** Owns the maker and closes it. */
export function createImages(deps: ImagesDeps): Images {
  const { maker, logger } = deps;
  /** The pictures that wait, and those that are being prepared. */
  const waiting = createCameraBytes({ bytesMax: WAITING_BYTES_MAX, bytesPerCameraMax: WAITING_BYTES_PER_CAMERA_MAX });
  // How many wait is bounded by their bytes.
  const turns = createSemaphore({
    name: 'pictures of reads',
    permits: 1,
    waitingMax: Number.POSITIVE_INFINITY,
  });
  return {
    announce(cameraDeviceId, sent) {
      const pictures = trimmed(sent);
      const fits = waiting.fits(cameraDeviceId, bytesOf(pictures));
      const reasons = [
        problemOf(pictures.full),
        problemOf(pictures.plate),
        fits ? null : 'too many wait already',
      ].filter((reason) => reason !== null);
      for (const reason of reasons) logger.warn({ camera: cameraDeviceId, reason }, 'picture of a read left out');
      return fits ? rolesOf(pictures) : [];
    },
    async prepare(cameraDeviceId, sent) {
      const pictures = copyOf(trimmed(sent));
      const bytes = bytesOf(pictures);
      waiting.add(cameraDeviceId, bytes);
      try {
        return await turns.run(cameraDeviceId, () => prepareAll(pictures, deps));
      } finally {
        waiting.add(cameraDeviceId, -bytes);
      }
    },
    close: maker.close,
  };
}

async function prepareAll(pictures: CameraPictures, deps: ImagesDeps): Promise<PreparedImage[]> {
  const prepared: PreparedImage[] = [];
  for (const role of rolesOf(pictures)) {
    try {
      const jpeg = await pictureOf(role, pictures, deps.maker);
      if (jpeg !== null) prepared.push({ role, jpeg, thumbnail: await thumbnailOf(jpeg, deps) });
    } catch (error) {
      deps.logger.warn({ err: error, role }, 'picture of a read left out');
    }
  }
  return prepared;
}

async function pictureOf(
  role: ImageRole,
  { full, plate, plate_box }: CameraPictures,
  maker: PictureMaker,
): Promise<Uint8Array | null> {
  const own = role === 'full' ? full : plate;
  if (own !== null) return shrink(own, maker);
  return full === null || plate_box === null ? null : cut(full, plate_box, maker);
}

/** Makes the picture for lists. A page of readings shows dozens of pictures, and whole ones would cost a phone ten megabytes. */
async function thumbnailOf(jpeg: Uint8Array, { maker, logger }: ImagesDeps): Promise<Uint8Array | null> {
  if (jpeg.length <= THUMBNAIL_BYTES_MAX) return null;
  const made = await maker.scale(jpeg, null, THUMBNAIL_SIDE_PIXELS_MAX).catch((error: unknown) => {
    logger.warn({ err: error }, 'a small copy of a picture could not be made');
    return null;
  });
  return made === null || made.length > THUMBNAIL_BYTES_MAX ? null : made;
}

async function shrink(jpeg: Uint8Array, maker: PictureMaker): Promise<Uint8Array> {
  const size = jpegSize(jpeg);
  if (size === null) throw new Error('no picture in it');
  const isSmall =
    size.width <= PICTURE_SIDE_PIXELS_MAX && size.height <= PICTURE_SIDE_PIXELS_MAX && jpeg.length <= AS_IS_BYTES_MAX;
  // A picture that is scaled is encoded anew, without the metadata that the camera wrote.
  const isAsIs = isSmall && jpegOrientation(jpeg) === UPRIGHT;
  return (isAsIs ? withoutMetadata(jpeg) : null) ?? maker.scale(jpeg, null);
}

async function cut(jpeg: Uint8Array, box: PictureBox, maker: PictureMaker): Promise<Uint8Array | null> {
  const pixels = pixelsOf(jpeg, box);
  return pixels === null ? null : maker.scale(jpeg, pixels);
}

/**
 * Copies the pictures that will be prepared, because a picture is a part of its push, and the whole push would stay in memory with it. A
 * picture that is nearly all of its push is not copied: with several megabytes a copy takes longer than a decision.
 */
function copyOf(pictures: CameraPictures): CameraPictures {
  const copy = (jpeg: Uint8Array | null) => {
    if (jpeg === null || !isUsable(jpeg)) return null;
    return jpeg.byteLength * 4 >= jpeg.buffer.byteLength * 3 ? jpeg : new Uint8Array(jpeg);
  };
  return { ...pictures, full: copy(pictures.full), plate: copy(pictures.plate) };
}

const trimmed = (pictures: CameraPictures): CameraPictures => ({
  ...pictures,
  full: pictures.full === null ? null : trimmedJpeg(pictures.full),
  plate: pictures.plate === null ? null : trimmedJpeg(pictures.plate),
});

const isUsable = (jpeg: Uint8Array): boolean => problemOf(jpeg) === null;

/** Why a picture is left out; null: it is whole, and its bytes and pixels are within the bounds. */
function problemOf(jpeg: Uint8Array | null): string | null {
  if (jpeg === null) return null;
  if (jpeg.length > PICTURE_BYTES_MAX) return `larger than ${PICTURE_BYTES_MAX} bytes`;
  if (!isWholeJpeg(jpeg)) return 'it is not whole';
  const size = jpegSize(jpeg);
  return size === null || size.width * size.height <= PICTURE_PIXELS_MAX
    ? null
    : `more than ${PICTURE_PIXELS_MAX} pixels`;
}

function bytesOf({ full, plate }: CameraPictures): number {
  return (full?.length ?? 0) + (plate?.length ?? 0);
}

function rolesOf({ full, plate, plate_box }: CameraPictures): ImageRole[] {
  const roles: ImageRole[] = [];
  const wholeFull = full !== null && isUsable(full);
  if (wholeFull) roles.push('full');
  const cropped = (plate !== null && isUsable(plate)) || (wholeFull && plate_box !== null && touches(plate_box));
  if (cropped) roles.push('cropped');
  return roles;
}

/** Says whether the box overlaps the picture. */
function touches({ x, y, width, height }: PictureBox): boolean {
  return x < 1 && y < 1 && x + width > 0 && y + height > 0 && width > 0 && height > 0;
}

/** The box in pixels, cut to the picture; null: they do not overlap. */
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
