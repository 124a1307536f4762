/** Displays and their rules as REST shows them. */
import { z } from '@hono/zod-openapi';
import { type DisplayRule, RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import type { ConfigItem } from '../../../shared/gateway-config.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import { maskedAddress, withoutSecrets } from '../../rest/field/masked-secret-codec.js';
import { withheldProblem } from '../../rest/resource/secret-holder-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import type { DisplayRow } from './display-queries.js';

export const rgbDisplaySchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    lot_id: id,
    zone_id: id
      .nullable()
      .describe('The zone whose occupied places the display shows; null for those of the whole lot.'),
    gateway_id: id.nullable(),
    driver: z.string(),
    address: z
      .string()
      .describe('The address of the display: host name or IP address, with a port where it is not the usual one.'),
    template: z.string().describe('How the text is sent: `{text}` stands for it; empty for the way of the driver.'),
    stale_text: z.string().describe('What the display shows when the number of occupied places is not known.'),
    problem: z.string().nullable().openapi({
      description:
        'Why the display does not work as it should: that its secret is wanted, because another device is its gateway now; null: nothing is known against it.',
    }),
    ...times,
  })
  .openapi('RgbDisplay');

/** Hides the password in the address. */
export function representRgbDisplay(row: DisplayRow): z.infer<typeof rgbDisplaySchema> {
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
    problem: withheldProblem(row),
    ...timesOf(row),
  };
}

/** Only `between` uses `occupied_value_to`. */
export const rgbDisplayRuleSchema = z
  .strictObject({
    id,
    name: z.string(),
    operator: z.enum(RULE_OPERATORS).describe('How the number of occupied places is compared.'),
    occupied_value: z.number().int().describe('The number of occupied places that the operator compares with.'),
    occupied_value_to: z
      .number()
      .int()
      .nullable()
      .describe('The upper end of `between`, with `occupied_value` as the lower; null with other operators.'),
    display_text: z.string().describe('The text that the display shows.'),
    order: z
      .number()
      .int()
      .describe('The place of the rule among those of its display: the first one that fits is shown.'),
    start_time: datetime.nullable().describe('When the rule begins to apply; null for always.'),
    end_time: datetime.nullable().describe('When the rule stops applying; null for never.'),
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

/**
 * A display with its rules in the configuration of the gateway that writes to it.
 * @param withheld the fields whose secrets are not for this gateway's device
 */
export function displayConfigItem(
  row: Row<'rgb_displays'>,
  rules: readonly Row<'rgb_display_rules'>[],
  withheld: readonly string[],
): ConfigItem<'displays'> {
  const { name, zone_id, driver, template, stale_text } = row;
  const address = withheld.includes('address') ? withoutSecrets(row.address) : row.address;
  return { id: row.id, name, zone_id, driver, address, template, stale_text, rules: rules.map(displayRuleOf) };
}
