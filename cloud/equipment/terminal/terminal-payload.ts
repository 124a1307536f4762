/** Terminals as REST shows them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const TERMINAL_TYPES = ['entry', 'exit', 'pof', 'lp_pof', 'lp_exit'] as const;

export const terminalSchema = z
  .strictObject({
    id,
    zone_id: id.nullable(),
    name: z.string(),
    status: z.enum(PRESENCE_STATES),
    device_id: z.string(),
    ip_address: z.string().nullable().describe('The IP address that the terminal reported; null before it did.'),
    version: z.string().nullable(),
    mac: z.string(),
    is_master: z.boolean().describe('Whether it is the master among the terminals of its lot.'),
    type: z.enum(TERMINAL_TYPES).describe('What the terminal is for: entry, exit, or paying.'),
    pos_serial_number: z.string().nullable().describe('The serial number of the payment terminal; null without one.'),
    electronic_device_id: z
      .string()
      .nullable()
      .describe('The identifier of the electronic device for taxes; null without one.'),
    system_currency: z
      .string()
      .nullable()
      .describe('The currency that the terminal works with; null when it is not known.'),
    last_seen: datetime.nullable(),
    ...times,
  })
  .openapi('Terminal');

export function representTerminal(row: Row<'terminals'>): z.infer<typeof terminalSchema> {
  const { zone_id, name, status, device_id, ip_address, version, mac } = row;
  const { pos_serial_number, electronic_device_id, system_currency } = row;
  return {
    id: row.id,
    zone_id,
    name,
    status,
    device_id,
    ip_address,
    version,
    mac,
    is_master: row.is_master === 1,
    type: row.type,
    pos_serial_number,
    electronic_device_id,
    system_currency,
    last_seen: isoOrNull(row.last_seen),
    ...timesOf(row),
  };
}
