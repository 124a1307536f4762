/** Displays and their rules as REST shows them. */
import { z } from '@hono/zod-openapi';
import { type DisplayRule, RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import type { ConfigItem } from '../../../shared/gateway-config.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/http/answer-schemas.js';
import { maskedAddress } from '../../rest/resource/masked-secret-codec.js';
import type { Row } from '../../kernel/entry.js';

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
    template: z.string(),
    stale_text: z.string(),
    ...times,
  })
  .openapi('RgbDisplay');

/** Hides the password in the address. */
export function representRgbDisplay(row: Row<'rgb_displays'>): z.infer<typeof rgbDisplaySchema> {
  const { name, account_id, lot_id, zone_id, gateway_id, driver, template, stale_text } = row;
  return {
    id: row.id,
    name,
    account_id,
    lot_id,
    zone_id,
    gateway_id,
    driver,
    address: maskedAddress(row.address),
    template,
    stale_text,
    ...timesOf(row),
  };
}

/** Only `between` uses `occupied_value_to`. */
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

export function representRgbDisplayRule(row: Row<'rgb_display_rules'>): z.infer<typeof rgbDisplayRuleSchema> {
  const { name, operator, occupied_value, occupied_value_to, display_text, order } = row;
  const shown = { start_time: isoOrNull(row.start_time), end_time: isoOrNull(row.end_time) };
  const values = { operator, occupied_value, occupied_value_to };
  return { id: row.id, name, ...values, display_text, order, ...shown, ...timesOf(row) };
}

/** The rule as the decision on a display's text takes it. */
export function displayRuleOf(row: Row<'rgb_display_rules'>): DisplayRule {
  const { operator, occupied_value, occupied_value_to, display_text, order, start_time, end_time } = row;
  const values = { operator, occupied_value, occupied_value_to };
  return { id: row.id, ...values, display_text, order, start_ms: start_time, end_ms: end_time };
}

/** A display with its rules in the configuration of the gateway that writes to it. */
export function displayConfigItem(
  row: Row<'rgb_displays'>,
  rules: readonly Row<'rgb_display_rules'>[],
): ConfigItem<'displays'> {
  const { name, zone_id, driver, address, template, stale_text } = row;
  return { id: row.id, name, zone_id, driver, address, template, stale_text, rules: rules.map(displayRuleOf) };
}
