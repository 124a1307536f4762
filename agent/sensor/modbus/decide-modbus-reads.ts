/** Decides which registers to ask for, in as few requests as possible. */

/** The most that one request may read (Modbus Application Protocol, 6.1 to 6.4). */
const BITS_MAX = 2_000;
const REGISTERS_MAX = 125;
/** How many of the values that were refused are asked for alone in each round. */
const REFUSED_PER_ROUND_MAX = 8;

/** Registers, or bits with functions 1 and 2. */
export interface ReadRange {
  start: number;
  count: number;
}

/** The effect of an unreadable value on a request that asks for it. */
export type ValueFault = 'refused' | 'silent';

/** Returns how many registers one request may ask for at most. */
export const requestMaxOf = (code: 1 | 2 | 3 | 4): number => (code <= 2 ? BITS_MAX : REGISTERS_MAX);

/**
 * Reads neighbouring values together. A value that the server does not give spoils its whole range, so it is left out and asked for alone.
 * Each round asks for a few of the refused values in their turn; now and then it ends with one of the silent values.
 * @param of.addresses of the values' first registers, in any order
 */
export function decideModbusReads(of: {
  addresses: Iterable<number>;
  /** How many registers a value has. No value is split over two requests, whose answers could be of two moments. */
  length: number;
  /** How many registers a request may ask for; at least `length`. */
  countMax: number;
  faulty: ReadonlyMap<number, ValueFault>;
  /** Every how many rounds one of the silent values is asked for. */
  silentEvery: number;
  /** The number of the round. */
  round: number;
}): ReadRange[] {
  const { length, countMax, silentEvery, faulty, round } = of;
  const sorted = [...new Set(of.addresses)].sort((a, b) => a - b);
  const ranges: ReadRange[] = [];
  for (const address of sorted) {
    if (faulty.has(address)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && address === last.start + last.count && last.count + length <= countMax) {
      last.count += length;
    } else ranges.push({ start: address, count: length });
  }
  const alone = (fault: ValueFault, perRound: number, turn: number) => {
    const all = sorted.filter((address) => faulty.get(address) === fault);
    const first = all.length === 0 ? 0 : (turn * perRound) % all.length;
    return [...all.slice(first), ...all.slice(0, first)].slice(0, perRound);
  };
  const isTurnOfSilent = round % silentEvery === silentEvery - 1;
  const turn = [
    ...alone('refused', REFUSED_PER_ROUND_MAX, round),
    ...(isTurnOfSilent ? alone('silent', 1, Math.floor(round / silentEvery)) : []),
  ];
  return [...ranges, ...turn.map((start) => ({ start, count: length }))];
}

/** Splits a range of more than one value into halves. @param length how many registers a value has */
export function halves({ start, count }: ReadRange, length: number): [ReadRange, ReadRange] {
  const near = Math.ceil(count / length / 2) * length;
  return [
    { start, count: near },
    { start: start + near, count: count - near },
  ];
}
