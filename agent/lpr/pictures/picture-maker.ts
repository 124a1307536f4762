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
   * Scales the picture, or a box of it, down to a JPEG. Callers ask for one picture at a time. Rejects when the picture cannot be decoded.
   * @param box lies within the picture; null: the whole picture
   * @param sidePixelsMax the largest width and height of the result; left out: 1280
   */
  scale(jpeg: Uint8Array, box: PixelBox | null, sidePixelsMax?: number): Promise<Uint8Array>;
  /** Ends the maker: the picture under way rejects, and so do all later ones. Idempotent. */
  close(): Promise<void>;
}

export const PICTURE_SIDE_PIXELS_MAX = 1280;
/** For pictures in lists: a row of the console shows half as many pixels, for screens with two pixels in place of one. */
export const THUMBNAIL_SIDE_PIXELS_MAX = 256;

/** The largest picture that is decoded, above the 20 megapixels of a camera. A larger one would need more memory than a small device has. */
export const PICTURE_PIXELS_MAX = 24_000_000;
