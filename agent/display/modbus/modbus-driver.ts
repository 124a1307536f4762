/**
 * Driver of displays behind Modbus TCP: `modbus://HOST:PORT/UNIT?register=0&length=8&mode=text`. In the mode `text` two characters are
 * written into each of so many registers, blanks behind the text; in the mode `number` the first number of the text into one register.
 */
import type Library from 'modbus-serial';
import { z } from 'zod';
import type { DisplayItem } from '../../../shared/gateway-config.js';
import type { DisplayDriver } from '../display.js';

const PORT_DEFAULT = 502;
const REGISTER_MAX = 65_535;
/** What one request may write (Modbus Application Protocol, 6.12). */
const REGISTERS_MAX = 123;
const FORM = 'address must be such as modbus://192.168.1.70:502/1?register=0&length=8&mode=text';

const settingsSchema = z.object({
  host: z.string().min(1),
  port: z.number().int(),
  unit: z.coerce.number().int().min(0).max(255),
  register: z.coerce.number().int().min(0).max(REGISTER_MAX).default(0),
  length: z.coerce.number().int().min(1).max(REGISTERS_MAX).default(8),
  mode: z.enum(['text', 'number']).default('text'),
});

function settingsOf({ address }: Pick<DisplayItem, 'address'>): z.output<typeof settingsSchema> | null {
  if (!address.startsWith('modbus://') || !URL.canParse(address)) return null;
  const url = new URL(address);
  return (
    settingsSchema.safeParse({
      ...Object.fromEntries(url.searchParams),
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? PORT_DEFAULT : Number(url.port),
      unit: url.pathname.replace(/^\//, '') || '1',
    }).data ?? null
  );
}

export function createModbusDisplayDriver(): DisplayDriver {
  return {
    name: 'modbus',
    settingsFault: (item) => (settingsOf(item) === null ? FORM : null),
    async show(item, text, signal) {
      const settings = settingsOf(item);
      if (settings === null) throw new Error(FORM);
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
  { host, port, unit, register }: z.output<typeof settingsSchema>,
  registers: number[],
): Promise<void> {
  await client.connectTCP(host, { port });
  client.setID(unit);
  await client.writeRegisters(register, registers);
}

function registersOf(text: string, { mode, length }: z.output<typeof settingsSchema>): number[] {
  if (mode === 'number') return [Math.min(REGISTER_MAX, Number(/\d+/.exec(text)?.[0] ?? 0))];
  const characters = Buffer.from(text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, ''), 'latin1');
  return Array.from(
    { length },
    (_, index) => (characters[index * 2] ?? 0x20) * 256 + (characters[index * 2 + 1] ?? 0x20),
  );
}
