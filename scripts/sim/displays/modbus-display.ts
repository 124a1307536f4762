/** A display behind Modbus TCP: its registers hold its text. */
import type { CarParkDisplay } from '../car-park.js';
import { serveModbus } from '../sensors/modbus-server.js';
import type { DisplayOptions } from './display-options.js';

const ILLEGAL_ADDRESS = 2;

export async function startModbusDisplay(
  { address }: CarParkDisplay,
  { clock, onText }: DisplayOptions,
): Promise<{ close(): Promise<void> }> {
  const url = new URL(address);
  const isNumber = url.searchParams.get('mode') === 'number';
  const server = await serveModbus({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 502),
    unit: Number(url.pathname.replace(/^\//, '') || 1),
    clock,
    read: () => ({ exception: ILLEGAL_ADDRESS }),
    write(_start, values) {
      const bytes = Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
      onText(isNumber ? String(values[0] ?? 0) : bytes.toString('latin1').trimEnd());
    },
  });
  return { close: () => server.close() };
}
