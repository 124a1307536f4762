/** The fields of uplinks that network servers write alike. */
import { z } from 'zod';
import type { Uplink } from '../codecs/sensor-codec.js';

/** Some write it in capitals. */
export const devEuiSchema = z
  .string()
  .regex(/^[0-9a-fA-F]{16}$/)
  .toLowerCase();

/** null: the text is no base64. */
export function decodeBase64(text: string): Uint8Array | null {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64') : null;
}

/** Port 0 carries what the network and the radio have to say to each other, and so does an uplink without a payload. */
export const payloadOf = (port: number, bytes: Uint8Array): Uplink | null =>
  port === 0 || bytes.length === 0 ? null : { port, bytes };

/** null: it is no time. */
export function millisecondsOf(time: string | null | undefined): number | null {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) || at < 0 ? null : at;
}
