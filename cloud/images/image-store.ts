/** Port: where pictures are kept, by uid. Drivers: files under DATA_DIR; object storage later. */
import type { Uid } from '../../shared/ids.js';

export interface ImageStore {
  /** Keeps the bytes durably; writing the same uid again is harmless. */
  put(uid: Uid, jpeg: Uint8Array): Promise<void>;
  /** The bytes, or null when they are not here. */
  get(uid: Uid): Promise<Uint8Array | null>;
  /** Forgets the bytes; harmless when they are not here. */
  remove(uid: Uid): Promise<void>;
}
