/** A display with its rules in the configuration of the gateway that writes to it (`shared/gateway-config.ts`). */
import type { DisplayRule } from '../../../shared/display/decide-display-text.js';
import type { ConfigItem } from '../../../shared/gateway-config.js';
import { withoutSecrets } from '../../rest/field/masked-secret-codec.js';
import type { Row } from '../../kernel/store/entry.js';

/** The rule as the decision on a display's text takes it. */
export function displayRuleOf(row: Row<'rgb_display_rules'>): DisplayRule {
  const { operator, occupied_value, occupied_value_to, display_text, order, start_time, end_time } = row;
  const values = { operator, occupied_value, occupied_value_to };
  return { id: row.id, ...values, display_text, order, start_ms: start_time, end_ms: end_time };
}

/** @param withheld the fields whose secrets are not for this gateway's device */
export function displayConfigItem(
  row: Row<'rgb_displays'>,
  rules: readonly Row<'rgb_display_rules'>[],
  withheld: readonly string[],
): ConfigItem<'displays'> {
  const { name, zone_id, driver, template, stale_text } = row;
  const address = withheld.includes('address') ? withoutSecrets(row.address) : row.address;
  return { id: row.id, name, zone_id, driver, address, template, stale_text, rules: rules.map(displayRuleOf) };
}
