/**
 * Keeps what the cloud acknowledged for a while, for a cloud that is restored from an older copy. Rows that are kept stay where they were: only
 * their lane's counter moves, and they are deleted many at a time, so that keeping them costs the card nothing.
 */
import type Database from 'better-sqlite3';
import type { Lane } from '../../shared/uplink.js';
import type { StoreLimits } from './agent-store.js';
import { keptCount, type LaneCounter, type Lanes } from './sqlite-agent-lanes.js';

/** How exactly it is known when a row was acknowledged. */
const MARK_EVERY_MS = 2 * 3_600_000;
const TIDY_EVERY_MS = 10 * 60_000;
/** How many rows are deleted in one transaction, while vehicles may wait for it, and how many at least when there is no room. */
const STEP_ROWS = 512;
/** Over the bound, room for the next ones is made too. */
const FILLED_AGAIN = 7 / 8;
/** The least important first. */
const GIVING_WAY = [2, 1, 0] as const satisfies readonly Lane[];

export type Kept = ReturnType<typeof createKept>;

export function createKept(options: { db: Database.Database; lanes: Lanes; limits: StoreLimits }) {
  const { lanes, limits } = options;
  const marks = createMarks(options.db);
  let tidied_ms: number | null = null;
  const keptBytes = (): number => lanes.all().reduce((sum, { kept_bytes }) => sum + kept_bytes, 0);

  /** @returns whether it deleted anything */
  function dropUpTo(counter: LaneCounter, number: number): boolean {
    if (number < counter.kept) return false;
    lanes.dropKept(counter, number);
    marks.dropUpTo(counter.lane, number);
    return true;
  }

  /** Deletes the oldest rows of the least important lane. @returns false when none is kept */
  function dropStep(bytes: number): boolean {
    for (const lane of GIVING_WAY) {
      const counter = lanes.of(lane);
      if (keptCount(counter) === 0) continue;
      let rows = 0;
      let freed = 0;
      for (const size of lanes.keptSizes(counter, STEP_ROWS)) {
        if (freed >= bytes) break;
        freed += size;
        rows += 1;
      }
      return dropUpTo(counter, rows === 0 ? counter.first - 1 : counter.kept + rows - 1);
    }
    return false;
  }

  /** Deletes what is too old or too much. @returns whether that is all */
  function tidy(now_ms: number): boolean {
    for (const counter of lanes.all()) {
      const old = Math.min(marks.newestBefore(counter.lane, now_ms - limits.keptAgeMs), counter.first - 1);
      const step = Math.min(old, counter.kept + STEP_ROWS - 1);
      if (dropUpTo(counter, step) && step < old) return false;
    }
    if (keptBytes() <= limits.keptBytesMax) return true;
    dropStep(keptBytes() - limits.keptBytesMax * FILLED_AGAIN);
    return keptBytes() <= limits.keptBytesMax;
  }

  return {
    /** Keeps the waiting rows of a lane up to a number. @param now_ms wall time */
    keep(counter: LaneCounter, number: number, now_ms: number): void {
      lanes.keepUpTo(counter, number);
      marks.set(counter.lane, number, now_ms);
      const isDue = tidied_ms === null || Math.abs(now_ms - tidied_ms) >= TIDY_EVERY_MS;
      if ((isDue || keptBytes() > limits.keptBytesMax) && tidy(now_ms)) tidied_ms = now_ms;
    },
    /** Deletes some rows. @returns false when none is kept */
    giveWay: (): boolean => dropStep(Number.POSITIVE_INFINITY),
    /** Puts the kept rows of a lane from a number on back to those that wait. */
    putBack(counter: LaneCounter, number: number): void {
      lanes.putBack(counter, number);
      marks.dropFrom(counter.lane, number);
    },
    /** Earlier marks may have been undone. */
    reset: marks.reset,
  };
}

/**
 * Keeps marks of which rows were acknowledged by when: at most one mark in two hours and lane. They are on one page, so
 * that a full disk has room for them.
 */
function createMarks(db: Database.Database) {
  const insert = db.prepare('INSERT OR REPLACE INTO acknowledged (lane, number, at_ms) VALUES (?, ?, ?)');
  const newest = db.prepare<[Lane], number | null>('SELECT max(at_ms) FROM acknowledged WHERE lane = ?').pluck();
  const before = db
    .prepare<[Lane, number], number>('SELECT coalesce(max(number), 0) FROM acknowledged WHERE lane = ? AND at_ms <= ?')
    .pluck();
  const dropUpTo = db.prepare('DELETE FROM acknowledged WHERE lane = ? AND number <= ?');
  const dropFrom = db.prepare('DELETE FROM acknowledged WHERE lane = ? AND number >= ?');
  const last = new Map<Lane, number | null>();
  return {
    set(lane: Lane, number: number, at_ms: number): void {
      if (!last.has(lane)) last.set(lane, newest.get(lane) ?? null);
      const known = last.get(lane) ?? null;
      if (known !== null && Math.abs(at_ms - known) < MARK_EVERY_MS) return;
      insert.run(lane, number, at_ms);
      last.set(lane, at_ms);
    },
    /** Finds the last number that was acknowledged by then; 0: none was, as far as is known. */
    newestBefore: (lane: Lane, at_ms: number): number => before.get(lane, at_ms) ?? 0,
    dropUpTo: (lane: Lane, number: number) => void dropUpTo.run(lane, number),
    dropFrom: (lane: Lane, number: number) => void dropFrom.run(lane, number),
    reset: () => last.clear(),
  };
}
