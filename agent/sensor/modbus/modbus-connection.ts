/** The common part of connections to Modbus servers, over TCP or a serial line. */
import type Library from 'modbus-serial';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import type { ReadRange } from './decide-modbus-reads.js';

/** The server answered that it refuses the request. */
export class ModbusException extends Error {
  /** The exception code (Modbus Application Protocol, section 7). */
  readonly code: number;

  constructor(code: number) {
    super(`Modbus exception ${code} (${EXCEPTIONS[code] ?? 'unknown'})`);
    this.name = 'ModbusException';
    this.code = code;
  }
}

const EXCEPTIONS: Record<number, string> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'server device failure',
  5: 'acknowledge',
  6: 'server device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'gateway target device failed to respond',
};

export interface ModbusConnection {
  /**
   * Reads the values of a range. Rejects with ModbusException when the server refuses; after any other error the connection cannot be
   * used any more.
   */
  read(what: { function: ModbusRegister['function']; range: ReadRange }): Promise<number[]>;
  /** Idempotent. */
  close(): void;
}

export type Client = InstanceType<(typeof Library)['default']>;
type Answer = { data: readonly (boolean | number)[] };

const READERS: Record<ModbusRegister['function'], (client: Client, range: ReadRange) => Promise<Answer>> = {
  1: (client, { start, count }) => client.readCoils(start, count),
  2: (client, { start, count }) => client.readDiscreteInputs(start, count),
  3: (client, { start, count }) => client.readHoldingRegisters(start, count),
  4: (client, { start, count }) => client.readInputRegisters(start, count),
};

/** Reads the values of a range. @throws ModbusException when the server refuses */
export async function readRange(client: Client, code: ModbusRegister['function'], range: ReadRange): Promise<number[]> {
  try {
    return valuesOf(await READERS[code](client, range), range);
  } catch (error) {
    const exception = (error as { modbusCode?: number }).modbusCode;
    throw exception === undefined ? error : new ModbusException(exception);
  }
}

/** Bits come in whole bytes, so there may be more of them than were asked for. */
function valuesOf({ data }: Answer, { count }: ReadRange): number[] {
  if (data.length < count) throw new Error(`${data.length} values came`);
  return data.slice(0, count).map(Number);
}
