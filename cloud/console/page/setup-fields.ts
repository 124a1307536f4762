/** What the forms have in common in which a car park is set up. */
import { ZONE_NAMES } from '../../../shared/zone-names.js';
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { named, type Option } from './fields.js';
import type { Display } from './display-sign.js';
import type { ParkingGateway } from './records.js';
import { client } from './session.js';
import { all, cameras, gateways, type Lot, products, type Zone, zones } from './store.js';

export interface SetupFormProps {
  lot: Lot;
  onClose: (notice: string) => void;
}

export const wholeFault = (name: string, text: string, { least, most }: { least: number; most: number }): Faults =>
  /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
    ? {}
    : { [name]: words.forms.number(least, most) };

/** @param text of a choice; empty: none */
export const idOf = (text: string): number | null => (text === '' ? null : Number(text));

export const zonesOf = (lot: Lot) => zones.value.filter(({ lot_id }) => lot_id === lot.id);
export const firstZone = (lot: Lot): string => String(zonesOf(lot)[0]?.id ?? '');

/** In which zone something stands. @param isOptional it may stand in none */
export const zoneOptions = (lot: Lot, isOptional = false): Option[] =>
  named(zonesOf(lot), isOptional ? '–' : undefined);

/** An id or secret as the service takes it: it is printed on the product in pairs, and in capitals. */
export const printedId = (text: string): string => text.replaceAll(/[\s:.-]/g, '').toLowerCase();

/** The cameras that stand in one of these zones. */
export const camerasIn = (own: readonly Pick<Zone, 'id'>[]) =>
  cameras.value.filter(({ zone_id }) => own.some(({ id }) => id === zone_id));

const OF_LOT_PAGE = 100;
const listOf = ({ id }: Lot) => ({ filter: [`lot_id:eq:${id}`], sort: 'id:asc' as const, size: OF_LOT_PAGE });

export const sensorsIn = (lot: Lot, signal: AbortSignal): Promise<ParkingGateway[]> =>
  all(client().list('/v2/parking-gateways', { query: listOf(lot), signal }));

export const displaysIn = (lot: Lot, signal: AbortSignal): Promise<Display[]> =>
  all(client().list('/v2/rgb-displays', { query: listOf(lot), signal }));

/** How many zones, barriers and gates, cameras, and gateways go with a lot. */
export function countsOfLot(lot: Lot): [zones: number, products: number, cameras: number, gateways: number] {
  const own = zonesOf(lot);
  const ofLot = ({ lot_id }: { lot_id: number | null }) => lot_id === lot.id;
  return [own.length, products.value.filter(ofLot).length, camerasIn(own).length, gateways.value.filter(ofLot).length];
}

/** The time zones that have an area and a place, UTC, and the one that is set, whatever its name. */
export const timezoneOptions = (chosen: string): Option[] =>
  [...new Set(['UTC', ...ZONE_NAMES.filter((name) => name.includes('/')), chosen])]
    .toSorted()
    .map((value) => ({ value, text: value.replaceAll('_', ' ') }));
