/** GET /v2/license-plate-alerts, /v2/rgb-displays, /v2/rgb-display-rules, /v2/terminals, /v2/weblinks. */
import { sql } from 'kysely';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { alertsByIds, displayRulesByIds, displaysByIds, terminalsByIds, weblinksByIds } from '../queries/records.js';
import { anyField, choiceField, integerField, plateField, textField, type Where } from './list-fields.js';
import { listTable } from './list-table.js';

const somePlate = (where: Where): Where =>
  sql`exists (select 1 from alert_plates where license_plate_alert_id = license_plate_alerts.id and ${where})`;

/** Of its plates, normalised: the first in order. */
const FIRST_PLATE = sql`coalesce(
  (select min(plate_normalised) from alert_plates where license_plate_alert_id = license_plate_alerts.id), ''
)`;

/** An alert without a zone is one of all zones: it belongs to the whole account. */
export const ALERT_LIST = listTable({
  from: (db) => db.selectFrom('license_plate_alerts').leftJoin('zones', 'zones.id', 'license_plate_alerts.zone_id'),
  id: 'license_plate_alerts.id',
  scope: { account_id: 'license_plate_alerts.account_id', lot_id: 'zones.lot_id', lotless: true },
  filters: {
    id: integerField('license_plate_alerts.id'),
    account_id: integerField('license_plate_alerts.account_id'),
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('license_plate_alerts.zone_id'),
    name: textField('license_plate_alerts.name'),
    plate: anyField(plateField('alert_plates.plate_normalised'), somePlate),
  },
  sorts: { id: 'license_plate_alerts.id', name: 'license_plate_alerts.name', plate: FIRST_PLATE },
  rows: alertsByIds,
});

export const DISPLAY_LIST = listTable({
  from: (db) => db.selectFrom('rgb_displays'),
  id: 'rgb_displays.id',
  scope: { account_id: 'rgb_displays.account_id', lot_id: 'rgb_displays.lot_id' },
  filters: {
    id: integerField('rgb_displays.id'),
    account_id: integerField('rgb_displays.account_id'),
    lot_id: integerField('rgb_displays.lot_id'),
    zone_id: integerField('rgb_displays.zone_id'),
    gateway_id: integerField('rgb_displays.gateway_id'),
    name: textField('rgb_displays.name'),
  },
  sorts: { id: 'rgb_displays.id', name: 'rgb_displays.name' },
  rows: displaysByIds,
});

export const DISPLAY_RULE_LIST = listTable({
  from: (db) =>
    db.selectFrom('rgb_display_rules').innerJoin('rgb_displays', 'rgb_displays.id', 'rgb_display_rules.rgb_display_id'),
  id: 'rgb_display_rules.id',
  scope: { account_id: 'rgb_displays.account_id', lot_id: 'rgb_displays.lot_id' },
  filters: {
    id: integerField('rgb_display_rules.id'),
    account_id: integerField('rgb_displays.account_id'),
    lot_id: integerField('rgb_displays.lot_id'),
    zone_id: integerField('rgb_displays.zone_id'),
    rgb_display_id: integerField('rgb_display_rules.rgb_display_id'),
    name: textField('rgb_display_rules.name'),
  },
  sorts: { id: 'rgb_display_rules.id', name: 'rgb_display_rules.name', order: 'rgb_display_rules.order' },
  rows: displayRulesByIds,
});

/** A terminal is in no zone until it is put into one. */
export const TERMINAL_LIST = listTable({
  from: (db) => db.selectFrom('terminals').leftJoin('zones', 'zones.id', 'terminals.zone_id'),
  id: 'terminals.id',
  scope: { account_id: 'terminals.account_id', lot_id: 'zones.lot_id', lotless: true },
  filters: {
    id: integerField('terminals.id'),
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('terminals.zone_id'),
    status: choiceField('terminals.status', PRESENCE_STATES),
    device_id: textField('terminals.device_id'),
    name: textField('terminals.name'),
  },
  sorts: { id: 'terminals.id', name: 'terminals.name' },
  rows: terminalsByIds,
});

/** Those that were not revoked. */
export const WEBLINK_LIST = listTable({
  from: (db) =>
    db
      .selectFrom('weblinks')
      .innerJoin('products', 'products.id', 'weblinks.product_id')
      .where('weblinks.revoked_at', 'is', null),
  id: 'weblinks.id',
  scope: { account_id: 'weblinks.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    id: textField('weblinks.id'),
    account_id: integerField('weblinks.account_id'),
    lot_id: integerField('products.lot_id'),
    product_id: integerField('weblinks.product_id'),
    name: textField('weblinks.name'),
  },
  sorts: { id: 'weblinks.id', name: 'weblinks.name' },
  rows: weblinksByIds,
});
