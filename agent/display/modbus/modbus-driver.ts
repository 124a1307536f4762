/**
 * Driver of displays behind Modbus TCP: `modbus://HOST:PORT/UNIT?register=0&length=8&mode=text`. In the mode `text` two characters are
 * written into each of so many registers, blanks behind the text; in the mode `number` the first number of the text into one register.
 */
import type Library from 'modbus-serial';
import { type ModbusDisplay, modbusDisplayOf } from '../../../shared/drivers/display-drivers.js';
import type { DisplayDriver } from '../display.js';

const REGISTER_MAX = 65_535;

export function createModbusDisplayDriver(): DisplayDriver {
  return {
    name: 'modbus',
    async show({ address }, text, signal) {
      const settings = modbusDisplayOf(address);
      if (settings === null) throw new Error(`${address} is no address of a display`);
      const registers = registersOf(text, settings);
      // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
      const { default: library } = await import('modbus-serial');
      const client = new library.default();
      const end = () => client.destroy(() => {});
      signal.addEventListener('abort', end, { once: true });
      try {
        await Promise.race([
          write(client, settings, registers),
          new Promise<never>((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
          ),
        ]);
      } finally {
        signal.removeEventListener('abort', end);
        end();
      }
    },
  };
}

async function write(
  client: InstanceType<(typeof Library)['default']>,
  { host, port, unit, register }: ModbusDisplay,
  registers: number[],
): Promise<void> {
  await client.connectTCP(host, { port });
  client.setID(unit);
  await client.writeRegisters(register, registers);
}

function registersOf(text: string, { mode, length }: ModbusDisplay): number[] {
  if (mode === 'number') return [Math.min(REGISTER_MAX, Number(/\d+/.exec(text)?.[0] ?? 0))];
  const characters = Buffer.from(text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, ''), 'latin1');
  return Array.from(
    { length },
    (_, index) => (characters[index * 2] ?? 0x20) * 256 + (characters[index * 2 + 1] ?? 0x20),
  );
}
