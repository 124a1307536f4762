/** Alerts, displays, terminals and weblinks as REST answers show them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../shared/events/event-schemas.js';
import { PRODUCT_OPERATIONS, type ProductOperation } from '../../shared/uplink.js';
import { TERMINAL_TYPES } from '../site/kinds/terminals.js';
import type { AlertRow } from '../store/queries/records.js';
import type { Row } from '../store/schema.js';

const id = z.number().int();
const datetime = z.iso.datetime({ precision: 3 });
const times = { created_at: datetime, updated_at: datetime };

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
const timesOf = (row: { created_at: number; updated_at: number }) => ({
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** `zone` null: all zones of the account. */
export const licensePlateAlertSchema = z
  .strictObject({
    id,
    name: z.string(),
    ...times,
    plates: z.array(z.string()),
    min_minutes_between_emails: z.number().int(),
    zone: z.strictObject({ id, name: z.string() }).nullable(),
    receivers: z.array(z.strictObject({ id, name: z.string(), receiver_email: z.string() })),
  })
  .openapi('LicensePlateAlert');

export function licensePlateAlertRecord(row: AlertRow): z.infer<typeof licensePlateAlertSchema> {
  const { name, plates, min_minutes_between_emails, zone, receivers } = row;
  return { id: row.id, name, ...timesOf(row), plates, min_minutes_between_emails, zone, receivers };
}

export const rgbDisplaySchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    lot_id: id,
    zone_id: id.nullable(),
    gateway_id: id.nullable(),
    driver: z.string(),
    address: z.string(),
    stale_text: z.string(),
    ...times,
  })
  .openapi('RgbDisplay');

export function rgbDisplayRecord(row: Row<'rgb_displays'>): z.infer<typeof rgbDisplaySchema> {
  const { name, account_id, lot_id, zone_id, gateway_id, driver, address, stale_text } = row;
  return { id: row.id, name, account_id, lot_id, zone_id, gateway_id, driver, address, stale_text, ...timesOf(row) };
}

export const RULE_OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between'] as const;

/** `occupied_value_to` belongs to `between`: null with any other operator. */
export const rgbDisplayRuleSchema = z
  .strictObject({
    id,
    name: z.string(),
    operator: z.enum(RULE_OPERATORS),
    occupied_value: z.number().int(),
    occupied_value_to: z.number().int().nullable(),
    display_text: z.string(),
    order: z.number().int(),
    start_time: datetime.nullable(),
    end_time: datetime.nullable(),
    ...times,
  })
  .openapi('RgbDisplayRule');

export function rgbDisplayRuleRecord(row: Row<'rgb_display_rules'>): z.infer<typeof rgbDisplayRuleSchema> {
  const { name, operator, occupied_value, occupied_value_to, display_text, order } = row;
  const shown = { start_time: isoOrNull(row.start_time), end_time: isoOrNull(row.end_time) };
  const values = { operator, occupied_value, occupied_value_to };
  return { id: row.id, name, ...values, display_text, order, ...shown, ...timesOf(row) };
}

export const terminalSchema = z
  .strictObject({
    id,
    zone_id: id.nullable(),
    name: z.string(),
    status: z.enum(PRESENCE_STATES),
    device_id: z.string(),
    ip_address: z.string().nullable(),
    version: z.string().nullable(),
    mac: z.string(),
    is_master: z.boolean(),
    type: z.enum(TERMINAL_TYPES),
    pos_serial_number: z.string().nullable(),
    electronic_device_id: z.string().nullable(),
    system_currency: z.string().nullable(),
    last_seen: datetime.nullable(),
    ...times,
  })
  .openapi('Terminal');

export function terminalRecord(row: Row<'terminals'>): z.infer<typeof terminalSchema> {
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
    type: row.type as (typeof TERMINAL_TYPES)[number],
    pos_serial_number,
    electronic_device_id,
    system_currency,
    last_seen: isoOrNull(row.last_seen),
    ...timesOf(row),
  };
}

/** Its token is in the answer that makes it only. */
export const weblinkSchema = z
  .strictObject({
    id: z.string(),
    product_id: id,
    name: z.string(),
    operations: z.array(z.enum(PRODUCT_OPERATIONS)),
    start_time: datetime,
    end_time: datetime.nullable(),
    used_count: z.number().int(),
    revoked_at: datetime.nullable(),
    ...times,
  })
  .openapi('Weblink');

/** `token` and `url` are null when the answer is a replay of the first one. */
export const newWeblinkSchema = weblinkSchema
  .extend({ token: z.string().nullable(), url: z.string().nullable() })
  .openapi('NewWeblink');

export function weblinkRecord(row: Row<'weblinks'>): z.infer<typeof weblinkSchema> {
  const { product_id, name, used_count } = row;
  const shown = { start_time: iso(row.start_time), end_time: isoOrNull(row.end_time) };
  const operations = weblinkOperations(row);
  return {
    id: row.id,
    product_id,
    name,
    operations,
    ...shown,
    used_count,
    revoked_at: isoOrNull(row.revoked_at),
    ...timesOf(row),
  };
}

/** What the link allows. */
export const weblinkOperations = (row: Pick<Row<'weblinks'>, 'operations'>): ProductOperation[] =>
  JSON.parse(row.operations) as ProductOperation[];
