/**
 * Driver of displays behind Modbus TCP: `modbus://HOST:PORT/UNIT?register=0&length=8&mode=text`. In the mode `text` two characters are
 * written into each of so many registers, blanks behind the text; in the mode `number` the first number of the text into one register.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';
import { type ModbusDisplay, modbusDisplayOf } from '../../../shared/drivers/display-drivers.js';
import { type DisplayDriver, NotConfirmed } from '../display.js';

const REGISTER_MAX = 65_535;

export function createModbusDisplayDriver(): DisplayDriver {
  return {
    name: 'modbus',
    async show({ address }, text, signal) {
      const settings = modbusDisplayOf(address);
      if (settings === null) throw new Error(`${address} is no address of a display`);
      const registers = registersOf(text, settings);
      const socket = new Socket();
      try {
        await Promise.race([write(socket, settings, registers), ended(socket, signal)]);
      } catch (error) {
        // A display that refuses says so in an exception.
        const isRefused = (error as { modbusCode?: number }).modbusCode !== undefined;
        throw socket.bytesRead > 0 && !isRefused ? new NotConfirmed(error) : error;
      } finally {
        socket.destroy();
      }
    },
  };
}

async function write(
  socket: Socket,
  { host, port, unit, register }: ModbusDisplay,
  registers: number[],
): Promise<void> {
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  if (socket.destroyed) return;
  socket.connect({ host, port });
  await once(socket, 'connect');
  const client = new library.default();
  await client.linkTCP(socket, { port });
  client.setID(unit);
  await client.writeRegisters(register, registers);
}

/** Rejects when the connection ends, which the signal may cause. */
const ended = (socket: Socket, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', onAbort);
      reject(reason instanceof Error ? reason : new Error(String(reason)));
      socket.destroy();
    };
    const onAbort = () => fail(signal.reason);
    socket.on('error', fail);
    socket.once('close', () => fail(new Error('the display closed the connection')));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });

function registersOf(text: string, { mode, length }: ModbusDisplay): number[] {
  if (mode === 'number') return [Math.min(REGISTER_MAX, Number(/\d+/.exec(text)?.[0] ?? 0))];
  const characters = Buffer.from(text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, ''), 'latin1');
  return Array.from(
    { length },
    (_, index) => (characters[index * 2] ?? 0x20) * 256 + (characters[index * 2 + 1] ?? 0x20),
  );
}
