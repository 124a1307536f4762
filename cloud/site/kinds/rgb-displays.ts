/** Signs that tell how full a zone is, and the rules by which they do. */
import { z } from 'zod';
import { referToZones, zoneFinder } from '../account-zones.js';
import { gatewayKey } from '../declare-lots.js';
import type { SiteAccount, SitePath } from '../site-schema.js';
import { field, items, refer, type Report, type Spot, textsOf, unique } from '../site-spots.js';
import { declare, type DeclaredThing, type ThingName, thingNames } from '../site-things.js';
import {
  address,
  driver,
  END_BEFORE_START,
  endsAfterStart,
  list,
  mapping,
  name,
  text,
  time,
  whole,
} from '../site-values.js';

const COUNT_MAX = 1_000_000;

const ruleSchema = mapping({
  name,
  operator: z.enum(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between']),
  occupied_value: whole(0, COUNT_MAX).default(0),
  occupied_value_to: whole(0, COUNT_MAX).nullable().default(null),
  display_text: text,
  order: whole(0, 10_000).optional(),
  start_time: time.nullable().default(null),
  end_time: time.nullable().default(null),
})
  .refine(({ operator, occupied_value_to }) => (operator === 'between') === (occupied_value_to !== null), {
    path: ['occupied_value_to'],
    error: 'belongs to the operator between, and to no other',
  })
  .refine(
    ({ occupied_value, occupied_value_to }) => occupied_value_to === null || occupied_value_to >= occupied_value,
    {
      path: ['occupied_value_to'],
      error: 'must be at least occupied_value',
    },
  )
  .refine(endsAfterStart, END_BEFORE_START);

export const rgbDisplaySchema = mapping({
  name,
  zone: z.string(),
  gateway: z.string().nullable().default(null),
  driver: z.union([z.literal(''), driver], 'must be lower-case letters, digits and dashes').default(''),
  address,
  stale_text: text,
  rules: list(ruleSchema),
});
type SiteDisplay = SiteAccount['rgb_displays'][number];

export function checkRgbDisplays(account: Spot, report: Report): void {
  const displays = items(account, 'rgb_displays');
  unique(displays, 'name', 'display', report);
  for (const display of displays) {
    unique(items(display, 'rules'), 'name', 'rule of the display', report);
    for (const lot of referToZones([field(display, 'zone')], items(account, 'lots'), report)) {
      const gateways = textsOf(items(lot, 'gateways'), 'name');
      refer([field(display, 'gateway')], 'gateway', gateways, report, " of the zone's lot");
    }
  }
}

export function declareRgbDisplays(account: SiteAccount, path: SitePath): DeclaredThing[] {
  const zoneOf = zoneFinder(account);
  return account.rgb_displays.flatMap((display, index) => {
    const zone = zoneOf(display.zone);
    if (zone === undefined) return [];
    const thingName = thingNames.rgb_displays(account.name, display.name);
    const displayPath = [...path, 'rgb_displays', index];
    const { driver: driverName, address: at, stale_text } = display;
    const thing = declare({
      table: 'rgb_displays',
      ...thingName,
      path: displayPath,
      values: { name: display.name, driver: driverName, address: at, stale_text },
      references: {
        account_id: thingNames.accounts(account.name).key,
        lot_id: thingNames.lots(account.name, zone.lot.name).key,
        zone_id: zone.key,
        gateway_id: gatewayKey(account, zone.lot, display.gateway),
      },
    });
    return [thing, ...declareRules(display, { key: thingName.key, path: displayPath })];
  });
}

function declareRules(
  display: SiteDisplay,
  { key, path }: Pick<ThingName, 'key'> & { path: SitePath },
): DeclaredThing[] {
  return display.rules.map((rule, index) =>
    declare({
      table: 'rgb_display_rules',
      ...thingNames.rgb_display_rules({ key, name: display.name }, rule.name),
      path: [...path, 'rules', index],
      values: { ...rule, order: rule.order ?? index + 1 },
      references: { rgb_display_id: key },
    }),
  );
}
