/** One connection to a Modbus TCP server with a time limit for every step: in `modbus-serial` a request waits for ever when its socket is gone. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import type Library from 'modbus-serial';
import type { Clock } from '../../../shared/clock.js';
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

export interface ModbusConnectionOptions {
  host: string;
  port: number;
  unit: number;
  clock: Clock;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  signal: AbortSignal;
}

export async function connectModbusTcp(options: ModbusConnectionOptions): Promise<ModbusConnection> {
  const { host, port, unit, clock, signal } = options;
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  const socket = new Socket();
  const limits = createLimits(socket, { peer: `${host}:${port}`, clock });
  const close = () => void socket.destroy();
  signal.addEventListener('abort', close, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', close));
  if (signal.aborted) close();
  try {
    await limits.within(options.connectTimeoutMs, 'the connection', () => {
      socket.connect({ host, port });
      return once(socket, 'connect');
    });
    const client = new library.default();
    await client.linkTCP(socket, { port });
    client.setID(unit);
    return {
      read: ({ function: code, range }) => {
        const what = `function ${code}, unit ${unit}, ${range.count} from ${range.start}`;
        return limits.within(options.requestTimeoutMs, what, async () => {
          try {
            return valuesOf(await READERS[code](client, range), range);
          } catch (error) {
            const exception = (error as { modbusCode?: number }).modbusCode;
            throw exception === undefined ? error : new ModbusException(exception);
          }
        });
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Runs one step at a time; its limit or the end of the socket ends it. */
function createLimits(socket: Socket, { peer, clock }: { peer: string; clock: Clock }) {
  let failStep: (error: Error) => void = () => {};
  let gone: Error | null = null;
  const fail = (error: Error) => {
    gone ??= error;
    failStep(gone);
  };
  socket.on('error', (cause) => fail(new Error(`${peer}: ${cause.message}`, { cause })));
  socket.once('close', () => fail(new Error(`${peer}: the connection was closed`)));
  return {
    within<Value>(limitMs: number, what: string, step: () => Promise<Value>): Promise<Value> {
      if (gone !== null) return Promise.reject(gone);
      return new Promise<Value>((resolve, reject) => {
        const limit = clock.setTimer(limitMs, () =>
          reject(new Error(`${peer}: no answer within ${limitMs} ms (${what})`)),
        );
        failStep = (error) => {
          limit.cancel();
          reject(error);
        };
        step()
          .then(resolve, (cause: Error) =>
            reject(cause instanceof ModbusException ? cause : prefixed(cause, peer, what)),
          )
          .finally(() => limit.cancel());
      });
    },
  };
}

function prefixed(cause: Error, peer: string, what: string): Error {
  return new Error(`${peer}: ${cause.message} (${what})`, { cause });
}

type Client = InstanceType<(typeof Library)['default']>;
type Answer = { data: readonly (boolean | number)[] };

const READERS: Record<ModbusRegister['function'], (client: Client, range: ReadRange) => Promise<Answer>> = {
  1: (client, { start, count }) => client.readCoils(start, count),
  2: (client, { start, count }) => client.readDiscreteInputs(start, count),
  3: (client, { start, count }) => client.readHoldingRegisters(start, count),
  4: (client, { start, count }) => client.readInputRegisters(start, count),
};

/** Bits come in whole bytes, so there may be more of them than were asked for. */
function valuesOf({ data }: Answer, { count }: ReadRange): number[] {
  if (data.length < count) throw new Error(`${data.length} values came`);
  return data.slice(0, count).map(Number);
}
