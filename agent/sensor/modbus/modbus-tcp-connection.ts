/** One connection to a Modbus TCP server with a time limit for every step: in `modbus-serial` a request waits for ever when its socket is gone. */
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import { type ModbusConnection, ModbusException, readRange } from './modbus-connection.js';

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
        return limits.within(options.requestTimeoutMs, what, () => readRange(client, code, range));
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
