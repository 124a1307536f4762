/** Reads the pictures that cameras write into documents. */
import type { CameraPictures, PictureBox } from '../camera.js';

/** A JPEG of 6 MiB, which is the largest that is kept, as base64. */
const BASE64_LENGTH_MAX = 8 * 1024 * 1024 + 1024;

/** Decodes a JPEG in base64, also in a `data:` address; null: the text is none. */
export function base64Jpeg(text: unknown): Uint8Array | null {
  if (typeof text !== 'string' || text.length < 8 || text.length > BASE64_LENGTH_MAX) return null;
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  // Every JPEG begins with these characters. No other long text is decoded.
  if (!text.startsWith('/9j/', start)) return null;
  const jpeg = Buffer.from(start === 0 ? text : text.slice(start), 'base64');
  return isJpeg(jpeg) ? jpeg : null;
}

export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8;

/** Sorts pictures without names: the largest is the full picture, and the smallest of several the plate. */
export function fullAndPlate(pictures: readonly Uint8Array[]): Pick<CameraPictures, 'full' | 'plate'> {
  const [full = null, ...others] = pictures.toSorted((a, b) => b.length - a.length);
  return { full, plate: others.at(-1) ?? null };
}

/**
 * Makes a box of four numbers, as fractions of the picture; null: the values are no box.
 * @param form `size`: left, top, width, height; `corners`: left, top, right, bottom
 * @param of width and height of the whole picture in the same unit
 */
export function boxOf(
  four: readonly unknown[],
  { form, of }: { form: 'size' | 'corners'; of: readonly [number, number] },
): PictureBox | null {
  const [left = NaN, top = NaN, third = NaN, fourth = NaN] = four.map((each) =>
    typeof each === 'number' || (typeof each === 'string' && each.trim() !== '') ? Number(each) : NaN,
  );
  const [whole, high] = of;
  const width = form === 'size' ? third : third - left;
  const height = form === 'size' ? fourth : fourth - top;
  const box = { x: left / whole, y: top / high, width: width / whole, height: height / high };
  return Object.values(box).every(Number.isFinite) && box.width > 0 && box.height > 0 ? box : null;
}
