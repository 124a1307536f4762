/** A part of a picture, in whole pixels of it. */
export interface PixelBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Port: decodes pictures and scales them down. */
export interface PictureMaker {
  /**
   * Scales the picture, or the box cut out of it, down to a JPEG. Callers ask for one picture at a time. Rejects when the picture
   * cannot be decoded.
   * @param box lies within the picture; null for all of it
   * @param sidePixelsMax how wide and high it is at most; left out: 1280
   */
  scale(jpeg: Uint8Array, box: PixelBox | null, sidePixelsMax?: number): Promise<Uint8Array>;
  /** Accepts no more pictures; the one under way rejects. Idempotent. */
  close(): Promise<void>;
}

export const PICTURE_SIDE_PIXELS_MAX = 1280;
/** Of a picture for lists: a row of the console shows it half as wide, for screens with two pixels in place of one. */
export const THUMBNAIL_SIDE_PIXELS_MAX = 256;

/**
 * The largest picture that is decoded: more than a camera's 20 megapixels. One that says it has more would be decoded into memory that
 * a small device does not have.
 */
export const PICTURE_PIXELS_MAX = 24_000_000;
