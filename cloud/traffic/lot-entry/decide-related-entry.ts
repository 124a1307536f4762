/** Decides which entry an exit belongs to. Pure. */
import type { Row } from '../../kernel/store/entry.js';

type Entered = Pick<Row<'lot_entries'>, 'direction' | 'scan_time'>;

/**
 * Finds the last of a plate's allowed lot entries up to a time; null when the vehicle left since. Of two at the same time, the one that
 * stands later counts as later.
 */
export function entryBefore<Entry extends { row: Entered }>(entries: readonly Entry[], at: number): Entry | null {
  const before = entries
    .filter(({ row }) => row.scan_time <= at)
    .reduce<Entry | null>(
      (last, entry) => (last === null || entry.row.scan_time >= last.row.scan_time ? entry : last),
      null,
    );
  return before?.row.direction === 'in' ? before : null;
}

/** How long a vehicle stayed, in whole seconds. @param at of the exit */
export const staySeconds = ({ scan_time }: Entered, at: number): number =>
  Math.max(0, Math.floor((at - scan_time) / 1_000));
