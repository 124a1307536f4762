import { createHash } from 'node:crypto';

const MODULUS = 1n << 256n;
const SHOWN_DIGITS = 16;

/** Counts rows, and sums their hashes, so that the order in which they are read does not matter. */
export interface RowSum {
  add(values: readonly unknown[]): void;
  readonly rows: number;
  /** 16 hex digits. */
  hash(): string;
}

export function createRowSum(): RowSum {
  let sum = 0n;
  let rows = 0;
  return {
    add(values) {
      const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
      sum = (sum + BigInt(`0x${hash}`)) % MODULUS;
      rows += 1;
    },
    get rows() {
      return rows;
    },
    hash: () => sum.toString(16).padStart(64, '0').slice(0, SHOWN_DIGITS),
  };
}
