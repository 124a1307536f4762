/** A part of a picture, in whole pixels of it. */
export interface PixelBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Port: decodes pictures and makes them small. */
export interface PictureMaker {
  /**
   * The picture, or the box cut out of it, as a JPEG of at most 1280 pixels in width and height. Asked for one picture at a time.
   * Rejects what cannot be decoded.
   * @param box lies within the picture; null for all of it
   */
  make(jpeg: Uint8Array, box: PixelBox | null): Promise<Uint8Array>;
  /** Takes no more; what is under way rejects. Idempotent. */
  close(): Promise<void>;
}

export const PICTURE_SIDE_PIXELS_MAX = 1280;
