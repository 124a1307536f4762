/** Places and the parking gateways whose sensors watch them. */
import { isModbus } from './parking-gateways.js';
import { descend, field, items, refer, type Report, type Spot, textOf, textsOf, unique } from '../site-spots.js';

const REGISTER_MAX = 65_535;

export function checkSensors(lot: Spot, gatewayNames: ReadonlySet<string>, report: Report): void {
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
