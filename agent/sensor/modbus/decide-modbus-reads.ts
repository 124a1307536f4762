/** Decides which registers to ask for, in as few requests as possible. */

/** What one request may read (Modbus Application Protocol, 6.1 to 6.4). */
const BITS_MAX = 2_000;
const REGISTERS_MAX = 125;
/** How many of the registers that gave no answer are asked for alone in each round. */
const FAULTY_PER_ROUND_MAX = 8;

export interface ReadRange {
  start: number;
  count: number;
}

/**
 * Registers next to each other are read together. A register that the server refuses spoils its whole range. Such registers are left
 * out of the ranges and asked for alone, a few per round, each in its turn.
 * @param of.addresses in any order
 */
export function decideModbusReads(of: {
  function: 1 | 2 | 3 | 4;
  addresses: Iterable<number>;
  faulty: ReadonlySet<number>;
  /** The number of the round. */
  round: number;
}): ReadRange[] {
  const countMax = of.function <= 2 ? BITS_MAX : REGISTERS_MAX;
  const sorted = [...new Set(of.addresses)].sort((a, b) => a - b);
  const ranges: ReadRange[] = [];
  for (const address of sorted) {
    if (of.faulty.has(address)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && address === last.start + last.count && last.count < countMax) last.count += 1;
    else ranges.push({ start: address, count: 1 });
  }
  const alone = sorted.filter((address) => of.faulty.has(address));
  const first = alone.length === 0 ? 0 : (of.round * FAULTY_PER_ROUND_MAX) % alone.length;
  const turn = [...alone.slice(first), ...alone.slice(0, first)].slice(0, FAULTY_PER_ROUND_MAX);
  return [...ranges, ...turn.map((start) => ({ start, count: 1 }))];
}

/** Splits a range of more than one register into halves. */
export function halves({ start, count }: ReadRange): [ReadRange, ReadRange] {
  const near = Math.floor(count / 2);
  return [
    { start, count: near },
    { start: start + near, count: count - near },
  ];
}
