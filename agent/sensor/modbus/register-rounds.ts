/**
 * Reads all values of a Modbus server, round after round. Values that the server does not give do not spoil the others. A server that
 * refuses large requests, or does not answer them, is asked in the size that it answers.
 */
import { BYTE_ORDER_DEFAULT, registersPerValue, valueOfRegisters } from '../../../shared/drivers/byte-order.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { groupBy } from '../../../shared/grouping.js';
import { decideModbusReads, halves, type ReadRange, requestMaxOf, type ValueFault } from './decide-modbus-reads.js';
import { type ModbusConnection, ModbusException } from './modbus-connection.js';
import { errorText } from '../../../shared/error-text.js';

/** Exceptions that concern the requested registers and not the server: other registers of the range may be readable. */
const ABOUT_THE_REGISTERS: ReadonlySet<number> = new Set([2, 3, 4, 8]);

/** How often one of the values without an answer is asked for again: each costs the whole wait and the connection. */
const SILENT_EVERY_MS = 100_000;
const FAULTY_SHOWN_MAX = 10;

export interface RegisterRound {
  /** The values by the address of their first register, without those that could not be read. */
  values: Map<number, number>;
  /** The fault of the server rather than of registers; null: none. */
  refusal: string | null;
}

/** The way to a server, which may be connected anew. */
export interface ModbusLink extends Pick<ModbusConnection, 'read'> {
  /**
   * Connects anew, because a question had no answer, or a wrong one. Hands over the values that were read until then, because it takes many
   * waits to find out what the server answers. Rejects when there is no connection.
   */
  renew(fault: unknown, values: RegisterRound['values']): Promise<void>;
}

export interface RegisterRounds {
  /** Reads each value once. Rejects when the link cannot be used, or when the unit answers nothing at all. */
  read(link: ModbusLink): Promise<RegisterRound>;
  /** Why values could not be read when they were last asked for, a text for each reason. */
  faults(): string[];
}

type Register = Pick<ModbusRegister, 'function' | 'max_registers' | 'byte_order'>;

interface Rounds {
  /** The addresses of the values' first registers, or of bits with functions 1 and 2. */
  addresses: readonly number[];
  /** From the beginning of a round to that of the next. */
  poll_ms: number;
}

/** One reading of all values. */
interface Reading {
  link: ModbusLink;
  values: RegisterRound['values'];
}

export function createRegisterRounds(register: Register, of: Rounds): RegisterRounds {
  const server = createServerMemory(register, of);
  const probe = createUnitProbe(of.addresses, server);

  /**
   * Reads a range, in parts if need be. Rejects for an exception that concerns the server and not the registers.
   * @param isPart of a range that was given in no other way: a silence is then believed at once
   */
  async function readRange(reading: Reading, range: ReadRange, isPart = false): Promise<void> {
    try {
      await server.ask(reading, range);
      return;
    } catch (error) {
      const isException = error instanceof ModbusException;
      if (isException && !ABOUT_THE_REGISTERS.has(error.code)) throw error;
      if (!isException && server.faultAt(range.start) === 'silent') {
        await renew(reading, error);
        return;
      }
      if (!isException) await probe.findUnit(reading, { silence: error, range });
      if (!isException && !isPart) return readRange(reading, range, true);
      if (range.count === server.length) {
        const reason = isException ? errorText(error) : 'no answer';
        server.noteFault(range.start, { fault: isException ? 'refused' : 'silent', reason });
        return;
      }
    }
    const [near, far] = halves(range, server.length);
    for (const half of [near, far]) await readRange(reading, half, true);
    server.noteSize(range, near.count);
  }

  return {
    async read(link) {
      const values: RegisterRound['values'] = new Map();
      const reading = { link, values };
      try {
        if (probe.isSilent()) await probe.askOne(reading);
        for (const range of server.nextRanges()) await readRange(reading, range);
      } catch (error) {
        // The server is busy, or the unit is not there. The connection can still be used, and the next round asks again.
        if (!(error instanceof ModbusException)) throw error;
        return { values, refusal: errorText(error) };
      }
      return { values, refusal: null };
    },
    faults: server.faults,
  };
}

/** Connects anew, and begins to collect values anew. */
async function renew({ link, values }: Reading, fault: unknown): Promise<void> {
  await link.renew(fault, new Map(values));
  values.clear();
}

/** Asks the server for values, and remembers which of them, and how many at once, it gives. */
function createServerMemory(register: Register, { addresses, poll_ms }: Rounds) {
  const { byte_order = BYTE_ORDER_DEFAULT } = register;
  const length = registersPerValue(byte_order);
  /** The values that the server does not give, with the reason. */
  const faulty = new Map<number, { fault: ValueFault; reason: string }>();
  /** How many registers it is asked for at once, and how many it has given at once. */
  let countMax = Math.max(length, Math.min(register.max_registers ?? Infinity, requestMaxOf(register.function)));
  let given = 0;
  const silentEvery = Math.ceil(SILENT_EVERY_MS / poll_ms);
  let round = 0;
  return {
    /** How many registers a value has. */
    length,
    async ask({ link, values }: Reading, range: ReadRange): Promise<void> {
      const read = await link.read({ function: register.function, range });
      given = Math.max(given, range.count);
      for (let at = 0; at < range.count; at += length) {
        faulty.delete(range.start + at);
        const value = valueOfRegisters(read.slice(at, at + length), byte_order);
        values.set(range.start + at, value);
      }
    },
    faultAt: (address: number) => faulty.get(address)?.fault,
    noteFault: (address: number, fault: { fault: ValueFault; reason: string }) => void faulty.set(address, fault),
    /** Notes that a range was given in parts only. If all of it was given, and never yet as much at once, it was too large. */
    noteSize({ start, count }: ReadRange, part: number): void {
      const isGiven = ![...faulty.keys()].some((address) => address >= start && address < start + count);
      if (!isGiven) return;
      if (count > given) countMax = Math.min(countMax, part);
      // It was given once: the next time shows whether it was an accident.
      else given = part;
    },
    /** The registers to ask for in the next round. */
    nextRanges(): ReadRange[] {
      const faults = new Map([...faulty].map(([address, { fault }]) => [address, fault]));
      return decideModbusReads({ addresses, length, countMax, silentEvery, faulty: faults, round: round++ });
    },
    faults: () =>
      [...groupBy(faulty, ([, { reason }]) => reason)].map(([reason, registers]) => faultOf(registers, reason)),
  };
}

/** Finds out whether a unit is still there: after a silence it asks for one value only. */
function createUnitProbe(addresses: readonly number[], server: ReturnType<typeof createServerMemory>) {
  /** Whether the last question had no answer: the unit may be gone. */
  let isSilent = false;
  /** How often it was silent to a single value. */
  let silences = 0;

  /**
   * Asks for one value that the server gives: the one that it answered last time, and after a silence the next one, because only this value
   * may be silent.
   * @param but not for this one
   * @returns its address; undefined: the server gives no other value
   */
  async function askOne(reading: Reading, but?: number): Promise<number | undefined> {
    const sound = addresses.filter((address) => address !== but && server.faultAt(address) === undefined);
    const start = sound[silences % sound.length];
    if (start === undefined) return undefined;
    try {
      await server.ask(reading, { start, count: server.length });
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

  return {
    isSilent: () => isSilent,
    askOne,
    /** Resolves when the unit answers anything after a silence. Rejects with the silence's own error when it does not. */
    async findUnit(reading: Reading, { silence, range }: { silence: unknown; range: ReadRange }): Promise<void> {
      isSilent = true;
      await renew(reading, silence);
      let found: number | undefined;
      try {
        found = await askOne(reading, range.count === server.length ? range.start : undefined);
      } catch (error) {
        throw error instanceof ModbusException ? error : silence;
      }
      if (found === undefined) throw silence;
    },
  };
}

function faultOf(registers: readonly (readonly [address: number, unknown])[], reason: string): string {
  const addresses = registers.map(([address]) => address).sort((a, b) => a - b);
  const more = addresses.length > FAULTY_SHOWN_MAX ? ` and ${addresses.length - FAULTY_SHOWN_MAX} more` : '';
  return `register ${addresses.slice(0, FAULTY_SHOWN_MAX).join(', ')}${more}: ${reason}`;
}
