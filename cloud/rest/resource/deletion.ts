/** What the deletion of a thing means besides its row, over REST and by `apply --prune` alike. */
import type { OPERATION_UNFINISHED, VALIDATION } from '../../../shared/errors.js';
import type { Db, GoneRows, Tx } from '../../kernel/store/entry.js';

/** A transaction; or a reader without locks, for a dry run, from which nothing follows. */
export type Deciding = Db & Partial<Pick<Tx, 'lock'>>;

/** Why a thing cannot be deleted now. */
export interface Hold {
  code: typeof VALIDATION | typeof OPERATION_UNFINISHED;
  /** `has 2 open sessions: close them first` */
  reason: string;
}

export interface Deletion {
  /** What keeps it from being deleted; null: nothing does. */
  heldBy?(db: Deciding, id: number): Promise<Hold | null>;
  /** Runs in the transaction that deletes its row, before that. */
  before?(tx: Tx, gone: Gone): Promise<void>;
  /** Late records and the history name it: what they need of it is kept before its row goes. */
  kept?: Kept;
}

interface Kept {
  /** The reference by which it is a part of another thing: it goes with that, and is kept then, too. Left out: it is part of nothing that goes. */
  with?: string;
  keep(tx: Db, rows: GoneRows): Promise<void>;
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
