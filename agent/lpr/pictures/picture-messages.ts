/** The messages between the gateway and its picture process: one question at a time, and one answer to each. */
import type { PixelBox } from './picture-maker.js';

export interface ToPictureProcess {
  jpeg: Uint8Array;
  box: PixelBox | null;
}

export type FromPictureProcess = { jpeg: Uint8Array } | { failed: string };
