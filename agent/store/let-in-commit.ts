import type { Uid } from '../../shared/ids.js';
import type { LocalActionRecord } from '../../shared/uplink.js';
import type { RecordStamp, SessionChange } from './agent-store.js';

/** An opening that a person had made for the vehicle of a refused read, with what follows of it, in one transaction. */
export interface LetInCommit extends RecordStamp {
  /** It names the reading. */
  record: LocalActionRecord & { reading_uid: Uid };
  /** The session that it ends. */
  sessions: SessionChange[];
}
