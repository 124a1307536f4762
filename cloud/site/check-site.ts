/**
 * What no schema can say of a site file: names given twice, references to nothing, prices a currency cannot express. Looks at
 * the file as it was read, so that it finds its problems beside those of the schema.
 */
import { currencyDigits, isCurrency, minorUnits } from '../../shared/money.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { isModbus, type SitePath, type SiteProblem } from './site-schema.js';

/** A place in the file and what stands there. */
interface Spot {
  path: SitePath;
  value: unknown;
}

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
  for (const account of accounts) checkAccount(account, report);
  return problems;
}

type Report = (spot: Spot, reason: string) => void;

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
    checkZonesOfGroup(items(group, 'zones'), lots, report);
  }
  for (const lot of lots) checkLot(lot, report);
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
    const plates = items(product, 'bound_licenses').map((plate) => {
      return { path: plate.path, value: { plate: normalisePlate(textOf(plate) ?? '') || undefined } };
    });
    unique(plates, 'plate', 'bound license', report, { atItem: true });
  }
}

const REGISTER_MAX = 65_535;

/** Places and the parking gateways whose sensors watch them. */
function checkSensors(lot: Spot, gatewayNames: ReadonlySet<string>, report: Report): void {
  const parkingGateways = items(lot, 'parking_gateways');
  const places = descend(items(lot, 'zones'), 'places');
  unique(parkingGateways, 'name', 'parking gateway', report);
  unique(places, 'name', 'place', report);
  const byName = new Map(parkingGateways.map((each) => [textOf(field(each, 'name')), each]));
  for (const each of parkingGateways) {
    refer([field(each, 'gateway')], 'gateway', gatewayNames, report, ' of this lot');
    if (isModbus(field(each, 'driver').value)) checkModbus(each, report);
  }
  const watched = new Map<string | undefined, Spot[]>();
  for (const place of places) {
    const reference = field(place, 'parking_gateway');
    const name = textOf(reference);
    refer([reference], 'parking gateway', textsOf(parkingGateways, 'name'), report, ' of this lot');
    const sensor = field(place, 'sensor');
    if (name !== undefined && isMissing(sensor)) report(sensor, 'is required with a parking_gateway');
    if (name === undefined && !isMissing(sensor) && isMissing(reference)) {
      report(reference, 'is required with a sensor');
    }
    if (name !== undefined) watched.set(name, [...(watched.get(name) ?? []), place]);
    const parkingGateway = byName.get(name);
    if (parkingGateway !== undefined) checkRegister(sensor, parkingGateway, report);
  }
  for (const ofOne of watched.values()) unique(ofOne, 'sensor', 'place of the parking gateway', report);
}

function checkModbus(parkingGateway: Spot, report: Report): void {
  const address = field(parkingGateway, 'address');
  const isTcp = field(parkingGateway, 'driver').value === 'modbus-tcp';
  if (isMissing(address)) report(address, 'is required for Modbus');
  else if (isTcp && !/^(\[[^\]]+\]|[^\s:/[\]]+)(:\d{1,5})?$/.test(textOf(address) ?? '')) {
    report(address, 'must be host:port, such as 192.168.1.30:502');
  }
  const register = field(parkingGateway, 'register');
  if (isMissing(register)) report(register, 'is required for Modbus');
}

/** A Modbus sensor is a number that counts from the register's base. */
function checkRegister(sensor: Spot, parkingGateway: Spot, report: Report): void {
  const text = textOf(sensor);
  if (text === undefined || !isModbus(field(parkingGateway, 'driver').value)) return;
  const { value: base } = field(field(parkingGateway, 'register'), 'base');
  const last = REGISTER_MAX - (typeof base === 'number' && base <= REGISTER_MAX ? base : 0);
  if (!/^\d+$/.test(text) || Number(text) > last) report(sensor, `must be a register from 0 to ${last}, in quotes`);
}

function isMissing({ value }: Spot): boolean {
  return value === undefined || value === null;
}

/** Zones are named in their lot: a name that several lots have is written with its lot in front. */
function checkZonesOfGroup(references: Spot[], lots: Spot[], report: Report): void {
  const zones = lots.map((lot) => ({ lot: textOf(field(lot, 'name')), names: textsOf(items(lot, 'zones'), 'name') }));
  for (const reference of references) {
    const name = textOf(reference);
    if (name === undefined) continue;
    const found = zones.filter(({ names }) => names.has(name));
    if (found.length === 0 && !zones.some(({ lot, names }) => [...names].some((zone) => `${lot}/${zone}` === name))) {
      report(reference, `there is no zone ${name}`);
    }
    if (found.length > 1) {
      const choices = found.map(({ lot }) => `${lot}/${name}`).join(' or ');
      report(reference, `several lots have a zone ${name}: write ${choices}`);
    }
  }
}

function checkPrices(tariff: Spot, report: Report): void {
  const currency = textOf(field(tariff, 'currency'));
  if (currency === undefined || !isCurrency(currency)) return;
  for (const name of ['price', 'daily_max']) {
    const spot = field(tariff, name);
    if (typeof spot.value === 'number' && minorUnits(spot.value, currency) === null) {
      report(spot, `${currency} has ${currencyDigits(currency)} decimal digits`);
    }
  }
}

function unique(spots: Spot[], key: string, what: string, report: Report, options: { atItem?: true } = {}): void {
  const seen = new Set<string>();
  for (const spot of spots) {
    const place = field(spot, key);
    const value = textOf(place);
    if (value === undefined) continue;
    const compared = key === 'email' ? value.toLowerCase() : value;
    const shown = key === 'token' || key === 'claim_code' ? 'this' : value;
    if (seen.has(compared)) report(options.atItem ? spot : place, `another ${what} has ${shown} already`);
    seen.add(compared);
  }
}

function refer(references: Spot[], what: string, names: ReadonlySet<string>, report: Report, where = ''): void {
  for (const reference of references) {
    const name = textOf(reference);
    if (name !== undefined && !names.has(name)) report(reference, `there is no ${what} ${name}${where}`);
  }
}

function field(spot: Spot, key: string): Spot {
  const value =
    typeof spot.value === 'object' && spot.value !== null && Object.hasOwn(spot.value, key)
      ? (spot.value as Record<string, unknown>)[key]
      : undefined;
  return { path: [...spot.path, key], value };
}

/** The items of a list; none when there is no list. */
function items(spot: Spot, key: string): Spot[] {
  const { path, value } = field(spot, key);
  return Array.isArray(value) ? value.map((item: unknown, index) => ({ path: [...path, index], value: item })) : [];
}

function descend(spots: Spot[], ...keys: string[]): Spot[] {
  return keys.reduce((found, key) => found.flatMap((spot) => items(spot, key)), spots);
}

function textOf({ value }: Spot): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined;
}

function textsOf(spots: Spot[], key: string): ReadonlySet<string> {
  return new Set(spots.flatMap((spot) => textOf(field(spot, key)) ?? []));
}
