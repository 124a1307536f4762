/**
 * Reads all values of a Modbus server, round after round. Values that it does not give do not spoil the others, and one that refuses large
 * requests, or is silent to them, is asked in the size that it answers.
 */
import {
  BYTE_ORDER_DEFAULT,
  type ByteOrder,
  registersPerValue,
  valueOfRegisters,
} from '../../../shared/drivers/byte-order.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { groupBy } from '../../../shared/grouping.js';
import { decideModbusReads, halves, type ReadRange, requestMaxOf, type ValueFault } from './decide-modbus-reads.js';
import { type ModbusConnection, ModbusException } from './modbus-connection.js';

/** Exceptions that concern the requested registers and not the server: other registers of the range may be readable. */
const ABOUT_THE_REGISTERS: ReadonlySet<number> = new Set([2, 3, 4, 8]);

/** A value without an answer costs the whole wait and the connection: one of them is asked for again so seldom. */
const SILENT_EVERY_MS = 100_000;
const FAULTY_SHOWN_MAX = 10;

export interface RegisterRound {
  /** The values by the address of their first register, without those that could not be read. */
  values: Map<number, number>;
  /** What concerns the server and not the registers; null: nothing. */
  refusal: string | null;
}

/** The way to a server, as often as it has to be begun anew. */
export interface ModbusLink extends Pick<ModbusConnection, 'read'> {
  /**
   * Connects anew, because a question had no answer, or none that is one. Hands over what was read until then, as it takes many waits to
   * find out what the server answers. Rejects when there is no connection.
   */
  renew(fault: unknown, values: RegisterRound['values']): Promise<void>;
}

export interface RegisterRounds {
  /** Reads each value once. Rejects when the link cannot be used, or when the unit answers nothing at all. */
  read(link: ModbusLink): Promise<RegisterRound>;
  /** Why values could not be read when they were last asked for, by reason. */
  faults(): string[];
}

/**
 * @param of.addresses of the first registers of the values, or of bits with functions 1 and 2
 * @param of.poll_ms from the beginning of a round to that of the next
 */
export function createRegisterRounds(of: {
  function: ModbusRegister['function'];
  addresses: readonly number[];
  poll_ms: number;
  max_registers?: number | undefined;
  byte_order?: ByteOrder | undefined;
}): RegisterRounds {
  const { byte_order = BYTE_ORDER_DEFAULT } = of;
  const length = registersPerValue(byte_order);
  /** The values that the server does not give, with the reason. */
  const faulty = new Map<number, { fault: ValueFault; reason: string }>();
  /** How many registers it is asked for at once, and how many it has given at once. */
  let countMax = Math.max(length, Math.min(of.max_registers ?? Infinity, requestMaxOf(of.function)));
  let given = 0;
  const silentEvery = Math.ceil(SILENT_EVERY_MS / of.poll_ms);
  let round = 0;
  /** The last question had no answer: the unit may be gone. */
  let isSilent = false;
  /** How often it was silent to a single value. */
  let silences = 0;

  async function ask(link: ModbusLink, range: ReadRange, values: RegisterRound['values']): Promise<void> {
    const read = await link.read({ function: of.function, range });
    given = Math.max(given, range.count);
    for (let at = 0; at < range.count; at += length) {
      faulty.delete(range.start + at);
      const value = valueOfRegisters(read.slice(at, at + length), byte_order);
      values.set(range.start + at, value);
    }
  }

  /**
   * Asks for one value: a unit that is gone is asked for no more than that. It is the one that answered last time; after a silence comes
   * another, because only that one may be silent.
   * @param but not for this one; the server gives no other: undefined
   */
  async function probe(link: ModbusLink, values: RegisterRound['values'], but?: number): Promise<number | undefined> {
    const sound = of.addresses.filter((address) => address !== but && !faulty.has(address));
    const start = sound[silences % sound.length];
    if (start === undefined) return undefined;
    try {
      await ask(link, { start, count: length }, values);
    } catch (error) {
      // A unit that refuses is there.
      if (!(error instanceof ModbusException)) {
        silences += 1;
        throw error;
      }
      if (!ABOUT_THE_REGISTERS.has(error.code)) throw error;
    }
    isSilent = false;
    return start;
  }

  async function renew(link: ModbusLink, fault: unknown, values: RegisterRound['values']): Promise<void> {
    await link.renew(fault, new Map(values));
    values.clear();
  }

  /** After a silence: whether the unit answers anything. Rejects with the silence's own error when it does not. */
  async function findUnit(
    link: ModbusLink,
    { silence, values, range }: { silence: unknown; values: RegisterRound['values']; range: ReadRange },
  ): Promise<void> {
    isSilent = true;
    await renew(link, silence, values);
    let found: number | undefined;
    try {
      found = await probe(link, values, range.count === length ? range.start : undefined);
    } catch (error) {
      throw error instanceof ModbusException ? error : silence;
    }
    if (found === undefined) throw silence;
  }

  /**
   * Reads a range, in parts if need be. Rejects for an exception that concerns the server and not the registers.
   * @param isPart of one that was given in no other way: a silence is then believed at once
   */
  async function readRange(
    link: ModbusLink,
    range: ReadRange,
    { values, isPart = false }: { values: RegisterRound['values']; isPart?: boolean },
  ): Promise<void> {
    try {
      await ask(link, range, values);
      return;
    } catch (error) {
      const isException = error instanceof ModbusException;
      if (isException && !ABOUT_THE_REGISTERS.has(error.code)) throw error;
      if (!isException && faulty.get(range.start)?.fault === 'silent') {
        await renew(link, error, values);
        return;
      }
      if (!isException) await findUnit(link, { silence: error, values, range });
      if (!isException && !isPart) return readRange(link, range, { values, isPart: true });
      if (range.count === length) {
        const reason = isException ? error.message : 'no answer';
        faulty.set(range.start, { fault: isException ? 'refused' : 'silent', reason });
        return;
      }
    }
    const [near, far] = halves(range, length);
    for (const half of [near, far]) await readRange(link, half, { values, isPart: true });
    rememberSize(range, near.count);
  }

  /** A range was not given as a whole. If all of it was given in parts, and never yet as much at once, it was too large. */
  function rememberSize({ start, count }: ReadRange, part: number): void {
    const isGiven = ![...faulty.keys()].some((address) => address >= start && address < start + count);
    if (!isGiven) return;
    if (count > given) countMax = Math.min(countMax, part);
    // It was given once: the next time shows whether it was an accident.
    else given = part;
  }

  return {
    async read(link) {
      const values: RegisterRound['values'] = new Map();
      try {
        if (isSilent) await probe(link, values);
        const faults = new Map([...faulty].map(([address, { fault }]) => [address, fault]));
        const ranges = decideModbusReads({ ...of, length, countMax, silentEvery, faulty: faults, round: round++ });
        for (const range of ranges) await readRange(link, range, { values });
      } catch (error) {
        // The server is busy, or the unit is not there. The connection can still be used, and the next round asks again.
        if (!(error instanceof ModbusException)) throw error;
        return { values, refusal: error.message };
      }
      return { values, refusal: null };
    },
    faults: () =>
      [...groupBy(faulty, ([, { reason }]) => reason)].map(([reason, registers]) => faultOf(registers, reason)),
  };
}

function faultOf(registers: readonly (readonly [address: number, unknown])[], reason: string): string {
  const addresses = registers.map(([address]) => address).sort((a, b) => a - b);
  const more = addresses.length > FAULTY_SHOWN_MAX ? ` and ${addresses.length - FAULTY_SHOWN_MAX} more` : '';
  return `register ${addresses.slice(0, FAULTY_SHOWN_MAX).join(', ')}${more}: ${reason}`;
}
