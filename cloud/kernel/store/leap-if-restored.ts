/**
 * Recognises a database that was restored from a copy, and has it give no number again that the world may have seen since the copy was made:
 * journal cursors (and with them webhook-ids) and the ids of all tables go on far beyond those that the copy knows.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CloudStore, Db } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import { findNotedIdentity, lastJournalledAt, leapJournals, noteIdentity } from './identity-queries.js';

/** What is given at most between the last thing that the copy knows and the moment at which it was made. */
const LEAST_LEAP = 1_000_000;
/** How many numbers a table gives a second at most, over days: with more it would have none left within some years. */
const IDS_PER_S = 10;
/** Two lives that begin with the same copy give other numbers. */
const RANDOM_LEAP = 2 ** 23;
/** Ids are 32 bits wide. However often a database is taken for a copy, some are left. */
const ID_MAX = 2 ** 31 - 1;
const SHARE_OF_REST = 16;

export interface LeapDeps {
  store: Pick<CloudStore, 'change' | 'reader'>;
  clock: Pick<Clock, 'now'>;
  /** Numbers in [0, 1). */
  random: () => number;
  /** Finds all accounts: the original may have journalled something for those that have no event yet. */
  accountIds: (db: Db) => Promise<number[]>;
}

/**
 * Call it before a program works on the database that may add something to it.
 * @returns whether the database was restored from a copy since a cloud worked on it last
 */
export async function leapIfRestored(deps: LeapDeps): Promise<boolean> {
  const { store, clock } = deps;
  const { identity, isBackup } = await adapterOf(store.reader).identify(store.reader);
  return store.change(async (tx) => {
    const noted = await findNotedIdentity(tx);
    if (noted === identity && !isBackup) return false;
    const now = clock.now();
    const isMine = await noteIdentity(tx, { noted, identity, now });
    if (!isMine || (noted === null && !isBackup)) return false;
    await leap(tx, deps, now);
    return true;
  });
}

async function leap(tx: Db, { random, accountIds }: LeapDeps, now: number): Promise<void> {
  const adapter = adapterOf(tx);
  const sinceS = Math.max(0, now - ((await lastJournalledAt(tx)) ?? now)) / 1_000;
  const by = LEAST_LEAP + Math.floor(sinceS * IDS_PER_S) + Math.floor(random() * RANDOM_LEAP);
  const next = (last: number): number => last + Math.min(by, Math.floor((ID_MAX - last) / SHARE_OF_REST));
  const last = await adapter.lastIds(tx);
  await adapter.setLastIds(tx, new Map([...last].map(([table, id]) => [table, next(id)])));
  // Journals have room enough for the time itself: a later life begins behind an earlier one of the same copy.
  await leapJournals(tx, { account_ids: await accountIds(tx), by, least: now });
  await adapter.endBackupMark(tx);
}
