/** Port: keeps images by uid. Its driver writes files under DATA_DIR. */
import type { Uid } from '../../shared/ids.js';

export interface ImageStore {
  /** Keeps the bytes durably; writing the same uid again is harmless. */
  put(uid: Uid, jpeg: Uint8Array): Promise<void>;
  /** Reads the bytes; null when they are not here. */
  read(uid: Uid): Promise<Uint8Array | null>;
  /** Removes the bytes; harmless when they are not here. @param condition.writtenBefore wall milliseconds: newer ones stay */
  remove(uid: Uid, condition?: { writtenBefore: number }): Promise<void>;
  /** Lists what was written before that time (wall milliseconds), a limited number at a time, and removes what was left half written. */
  writtenBefore(before: number): AsyncIterable<Uid[]>;
}
