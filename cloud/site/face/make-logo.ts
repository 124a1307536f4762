/** Makes the logo of an account out of a picture that somebody uploads: whatever came in, a small PNG without anything else goes out. */
import { createHash } from 'node:crypto';
import { errorText } from '../../../shared/error-text.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';

/** Of the picture as it comes in. */
export const LOGO_BYTES_MAX = 512 * 1024;
const SIDE_PX_MAX = 4_096;
const MADE_BYTES_MAX = 64 * 1024;
const SECONDS_MAX = 10;

/** What is tried one after the other, until the file is small enough: the side in pixels, and whether it has a palette. */
const SIZES = [
  [512, false],
  [512, true],
  [384, true],
  [256, true],
  [128, true],
] as const;

/**
 * By the first bytes of a file. A decoder is asked for nothing else: it knows many formats, with many faults, and those that hold scripts or
 * name other files.
 */
function formatOf(bytes: Buffer): 'png' | 'jpeg' | 'webp' | null {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'png';
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'webp' : null;
}

export interface Logo {
  /** Of its file: it changes with the picture. */
  name: string;
  png: Buffer;
}

/** Why a picture is none that can be a logo. */
export class LogoError extends Error {}

/** Pictures are decoded one after the other: each may need some ten megabytes. */
const turns = createSemaphore({ name: 'logos', permits: 1, waitingMax: 20, waitingPerOwnerMax: 5 });

/** @param owner whose picture it is: owners take turns. @throws LogoError */
export const makeLogo = (owner: string, bytes: Buffer): Promise<Logo> => turns.run(owner, () => made(bytes));

async function made(bytes: Buffer): Promise<Logo> {
  if (bytes.length > LOGO_BYTES_MAX) throw new LogoError(`Must have at most ${LOGO_BYTES_MAX / 1024} KiB`);
  const format = formatOf(bytes);
  if (format === null) throw new LogoError('Must be a PNG, JPEG or WebP picture');
  // It is loaded with the first picture: few clouds are ever given one in their lives as a process.
  const { default: sharp } = await import('sharp');
  // Of a picture that moves the first page; the limit is checked before a pixel is decoded.
  const options = { limitInputPixels: SIDE_PX_MAX ** 2, failOn: 'error', pages: 1 } as const;
  try {
    const { width = 0, height = 0, format: found } = await sharp(bytes, options).metadata();
    if (found !== format) throw new LogoError('Must be a PNG, JPEG or WebP picture');
    if (width > SIDE_PX_MAX || height > SIDE_PX_MAX) throw new LogoError(TOO_LARGE);
    for (const [side, palette] of SIZES) {
      const png = await sharp(bytes, options)
        .timeout({ seconds: SECONDS_MAX })
        // As the picture says it is to be turned; all else that it says of itself is left out.
        .rotate()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .png({ compressionLevel: 9, palette })
        .toBuffer();
      if (png.length <= MADE_BYTES_MAX) return { name: nameOf(png), png };
    }
  } catch (error) {
    if (error instanceof LogoError) throw error;
    throw new LogoError(errorText(error).includes('pixel limit') ? TOO_LARGE : 'Is no picture that can be read');
  }
  throw new LogoError('Cannot be made small enough');
}

const TOO_LARGE = `Must have at most ${SIDE_PX_MAX} pixels on each side`;

const nameOf = (png: Buffer): string => `${createHash('sha256').update(png).digest('hex').slice(0, 32)}.png`;
