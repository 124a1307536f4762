/** Reads all registers of a Modbus server, round after round. Registers that it refuses do not spoil the others. */
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { groupBy } from '../../../shared/grouping.js';
import { decideModbusReads, halves, type ReadRange } from './decide-modbus-reads.js';
import { type ModbusConnection, ModbusException } from './modbus-connection.js';

/** Exceptions that concern the requested registers and not the server: other registers of the range may be readable. */
const ABOUT_THE_REGISTERS: ReadonlySet<number> = new Set([2, 3, 4, 8]);

const FAULTY_SHOWN_MAX = 10;

export interface RegisterRound {
  /** The values by address, without registers that could not be read. */
  values: Map<number, number>;
  /** What concerns the server and not the registers; null: nothing. */
  refusal: string | null;
}

export interface RegisterRounds {
  /** Reads each register once. Rejects when the connection cannot be used any more. */
  read(connection: ModbusConnection): Promise<RegisterRound>;
  /** Why registers could not be read when they were last asked for, by reason. */
  faults(): string[];
}

/** @param of.addresses of registers, or of bits with functions 1 and 2 */
export function createRegisterRounds(of: {
  function: ModbusRegister['function'];
  addresses: readonly number[];
}): RegisterRounds {
  /** The registers that the server refuses, with the reason. */
  const faulty = new Map<number, string>();
  let round = 0;

  /** Rejects for an exception that concerns the server and not the registers. */
  async function readRange(
    connection: ModbusConnection,
    range: ReadRange,
    values: RegisterRound['values'],
  ): Promise<void> {
    let read: number[];
    try {
      read = await connection.read({ function: of.function, range });
    } catch (error) {
      if (!(error instanceof ModbusException) || !ABOUT_THE_REGISTERS.has(error.code)) throw error;
      if (range.count === 1) {
        faulty.set(range.start, error.message);
        return;
      }
      for (const half of halves(range)) await readRange(connection, half, values);
      return;
    }
    read.forEach((value, index) => {
      faulty.delete(range.start + index);
      values.set(range.start + index, value);
    });
  }

  return {
    async read(connection) {
      const values: RegisterRound['values'] = new Map();
      const ranges = decideModbusReads({ ...of, faulty: new Set(faulty.keys()), round: round++ });
      try {
        for (const range of ranges) await readRange(connection, range, values);
      } catch (error) {
        // The server is busy, or the unit is not there. The connection can still be used, and the next round asks again.
        if (!(error instanceof ModbusException)) throw error;
        return { values, refusal: error.message };
      }
      return { values, refusal: null };
    },
    faults: () => [...groupBy(faulty, ([, reason]) => reason)].map(([reason, registers]) => faultOf(registers, reason)),
  };
}

function faultOf(registers: readonly (readonly [address: number, unknown])[], reason: string): string {
  const addresses = registers.map(([address]) => address).sort((a, b) => a - b);
  const more = addresses.length > FAULTY_SHOWN_MAX ? ` and ${addresses.length - FAULTY_SHOWN_MAX} more` : '';
  return `register ${addresses.slice(0, FAULTY_SHOWN_MAX).join(', ')}${more}: ${reason}`;
}
