/** What the deletion of a thing means besides its row, over REST and by `apply --prune` alike. */
import type { Deciding, Hold, Tx } from '../../kernel/entry.js';

export interface Deletion {
  /** What keeps it from being deleted; null: nothing does. */
  heldBy?(db: Deciding, id: number): Promise<Hold | null>;
  /** Runs in the transaction that deletes its row, before that. */
  before?(tx: Tx, gone: Gone): Promise<void>;
}

/** A thing that is being deleted. */
export interface Gone {
  id: number;
  /** Wall milliseconds. */
  now: number;
  /** Ends the connection of a gateway that was deleted. Undefined where there are no connections: another process then notices. */
  cutOff?: CutOff | undefined;
}

export type CutOff = (gateway: { id: number; uuid: string }) => Promise<void>;
