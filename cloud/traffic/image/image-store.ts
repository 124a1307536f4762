/**
 * Port: keeps images by uid. Its driver writes files under DATA_DIR, and equal bytes once: the same picture under a hundred uids takes
 * the space of one, until the last of them is removed.
 */
import type { Uid } from '../../../shared/ids.js';

/** The bytes of an image. */
export interface StoredImage {
  jpeg: Uint8Array;
  /** The same picture for lists; null: its gateway made none. */
  thumbnail: Uint8Array | null;
}

export interface ImageStore {
  /** Keeps the bytes durably; writing the same uid again is harmless. */
  put(uid: Uid, image: StoredImage): Promise<void>;
  /** Reads the picture; null when it is not here. */
  read(uid: Uid): Promise<Uint8Array | null>;
  /** Reads the picture for lists; null when there is none. */
  readThumbnail(uid: Uid): Promise<Uint8Array | null>;
  /** Removes the bytes; harmless when they are not here. @param condition.writtenBefore wall milliseconds: newer ones stay */
  remove(uid: Uid, condition?: { writtenBefore: number }): Promise<void>;
  /**
   * Lists the images that were written before that time (wall milliseconds), a limited number at a time, and removes files that were left
   * half written or half removed.
   */
  writtenBefore(before: number): AsyncIterable<Uid[]>;
}
