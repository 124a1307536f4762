/**
 * What no schema can say of a site file: names given twice, references to nothing, prices a currency cannot express. Looks at
 * the file as it was read, so that it finds its problems beside those of the schema.
 */
import { currencyDigits, isCurrency, minorUnits } from '../../shared/money.js';
import { referToZones } from './account-zones.js';
import { checkSensors } from './kinds/check-sensors.js';
import { checkKeyLogs } from './kinds/key-logs.js';
import { checkLicensePlateAlerts } from './kinds/license-plate-alerts.js';
import { checkRgbDisplays } from './kinds/rgb-displays.js';
import { checkWeblinks } from './kinds/weblinks.js';
import type { SiteProblem } from './site-schema.js';
import {
  descend,
  field,
  items,
  refer,
  type Report,
  type Spot,
  textOf,
  textsOf,
  unique,
  uniquePlates,
} from './site-spots.js';

/** @param raw the file's content, of any shape */
export function checkSite(raw: unknown): SiteProblem[] {
  const problems: SiteProblem[] = [];
  const report = (spot: Spot, reason: string) => void problems.push({ path: spot.path, reason });
  const accounts = items({ path: [], value: raw }, 'accounts');
  unique(accounts, 'name', 'account', report);
  unique(descend(accounts, 'users'), 'email', 'user', report);
  unique(descend(accounts, 'api_tokens'), 'token', 'API token', report);
  unique(descend(accounts, 'lots', 'gateways'), 'uuid', 'gateway', report);
  unique(descend(accounts, 'lots', 'gateways'), 'claim_code', 'gateway', report);
  unique(descend(accounts, 'lots', 'zones', 'products'), 'device_id', 'product', report);
  unique(descend(accounts, 'lots', 'zones', 'terminals'), 'device_id', 'terminal', report);
  for (const account of accounts) checkAccount(account, report);
  return problems;
}

function checkAccount(account: Spot, report: Report): void {
  const lots = items(account, 'lots');
  const tariffs = items(account, 'tariffs');
  const groups = items(account, 'groups');
  unique(lots, 'name', 'lot', report);
  unique(tariffs, 'name', 'tariff', report);
  unique(groups, 'name', 'group', report);
  unique(items(account, 'members'), 'name', 'member', report);
  unique(items(account, 'api_tokens'), 'name', 'API token', report);
  unique(descend(lots, 'zones', 'lpr_cameras'), 'device_id', 'camera', report);
  for (const tariff of tariffs) checkPrices(tariff, report);

  const named = { lot: textsOf(lots, 'name'), tariff: textsOf(tariffs, 'name'), group: textsOf(groups, 'name') };
  for (const user of items(account, 'users')) refer(items(user, 'lots'), 'lot', named.lot, report);
  for (const member of items(account, 'members')) refer(items(member, 'groups'), 'group', named.group, report);
  for (const zone of descend(lots, 'zones')) refer(items(zone, 'tariffs'), 'tariff', named.tariff, report);
  for (const group of groups) {
    refer(items(group, 'tariffs'), 'tariff', named.tariff, report);
    referToZones(items(group, 'zones'), lots, report);
  }
  for (const lot of lots) checkLot(lot, report);
  checkLicensePlateAlerts(account, report);
  checkKeyLogs(account, report);
  checkRgbDisplays(account, report);
  checkWeblinks(account, report);
}

function checkLot(lot: Spot, report: Report): void {
  const zones = items(lot, 'zones');
  const gateways = items(lot, 'gateways');
  unique(zones, 'name', 'zone', report);
  unique(gateways, 'name', 'gateway', report);
  checkSensors(lot, textsOf(gateways, 'name'), report);
  const products = textsOf(descend(zones, 'products'), 'device_id');
  for (const camera of descend(zones, 'lpr_cameras')) {
    refer([field(camera, 'product')], 'product', products, report, ' of this lot');
    refer([field(camera, 'gateway')], 'gateway', textsOf(gateways, 'name'), report, ' of this lot');
  }
  for (const product of descend(zones, 'products')) {
    uniquePlates(items(product, 'bound_licenses'), 'bound license', report);
  }
}

function checkPrices(tariff: Spot, report: Report): void {
  const currency = textOf(field(tariff, 'currency'));
  if (currency === undefined || !isCurrency(currency)) return;
  const windows = items(tariff, 'windows').map((window) => field(window, 'price'));
  for (const spot of [field(tariff, 'price'), field(tariff, 'daily_max'), ...windows]) {
    if (typeof spot.value === 'number' && minorUnits(spot.value, currency) === null) {
      report(spot, `${currency} has ${currencyDigits(currency)} decimal digits`);
    }
  }
}
