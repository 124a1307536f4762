/** A table of faults: what the parts suffered, what had to come of it, and what was seen. */
import { afterAll } from 'vitest';
import { renderTable } from '../../shared/node/text-table.js';

/** What a row says whose test did not come to its end. */
const NOTHING_SEEN = 'FAILED';

export interface FaultTable {
  /**
   * Begins a row, before the fault is made: a test that fails shows in the table.
   * @returns completes it with what was seen, when all of it was as expected
   */
  row(fault: string, expected: string): (seen: string) => void;
}

/** Prints the table at the end of the tests of the describe that it is called in. Without a row it prints nothing. */
export function printsFaults(title: string): FaultTable {
  const rows: string[][] = [];
  afterAll(() => {
    if (rows.length === 0) return;
    process.stdout.write(`\n${[title, ...renderTable(['fault', 'expected', 'seen'], rows)].join('\n')}\n`);
  });
  return {
    row(fault, expected) {
      const row = [fault, expected, NOTHING_SEEN];
      rows.push(row);
      return (seen) => void (row[2] = seen);
    },
  };
}
