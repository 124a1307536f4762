/** Decides the lot of a thing, and checks that the things it names are in the same lot. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import type { Reference, Values } from '../field/field.js';
import { restFieldsOf, type LotRule, type Resource } from './resource.js';
import type { Db } from '../../kernel/store/entry.js';
import { lotOf, lotOfZone, onlyGatewayOf } from './resource-lot-queries.js';

type Placed = Pick<Resource, 'fields' | 'restFields'> & { lot: LotRule };

/**
 * Decides the lot of a new thing.
 * @param given the values of the body; references are ids
 * @returns its lot, and `given`, to which the lot's only gateway is added if none is given
 * @throws ApiError VALIDATION when the body gives neither a zone nor a lot, or names a thing of another lot
 */
export async function placeNew(tx: Db, resource: Placed, given: Values): Promise<{ lot_id: number; given: Values }> {
  const lot_id = await lotFrom(tx, resource.lot, given);
  if (lot_id === undefined) throw new ApiError(VALIDATION, { field: 'lot_id', message: 'Needed without a zone_id' });
  const completed: Record<string, unknown> = { ...given };
  for (const [name, { reference }] of Object.entries(restFieldsOf(resource))) {
    if (reference?.isOnlyOneOfLot && given[name] === undefined) completed[name] = await onlyGatewayOf(tx, lot_id);
  }
  checkSameLot(lot_id, await lotsNamed(tx, resource, completed));
  return { lot_id, given: completed };
}

/**
 * Checks that a changed thing and the things it names are in one lot.
 * @param change.given the values of the body; references are ids
 * @param change.all the values of the thing after the change
 * @param change.lot_id its lot before the change
 * @throws ApiError VALIDATION when it would leave its lot although it may not, or names a thing of another lot
 */
export async function placeChanged(
  tx: Db,
  resource: Placed,
  change: { given: Values; all: Values; lot_id: number },
): Promise<void> {
  const lot_id = resource.lot.mayMove ? await lotFrom(tx, resource.lot, change.all) : change.lot_id;
  if (lot_id === undefined) return;
  checkSameLot(lot_id, await lotsNamed(tx, resource, resource.lot.mayMove ? change.all : change.given));
}

async function lotFrom(tx: Db, { from }: LotRule, values: Values): Promise<number | undefined> {
  for (const name of from) {
    const id = values[name];
    if (typeof id === 'number') return name === 'lot' ? id : lotOfZone(tx, id);
  }
  return undefined;
}

/** Finds the lots of the things that it names, by the fields' names in REST. */
async function lotsNamed(
  tx: Db,
  resource: Pick<Resource, 'fields' | 'restFields'>,
  values: Values,
): Promise<Record<string, number | null>> {
  const lots: Record<string, number | null> = {};
  for (const [name, { reference }] of Object.entries(restFieldsOf(resource))) {
    const id = values[name];
    if (reference === undefined || typeof id !== 'number') continue;
    const lot_id = await lotOfNamed(tx, reference, id);
    if (lot_id !== undefined) lots[reference.id] = lot_id;
  }
  return lots;
}

/** undefined: things of this table have no lot. */
async function lotOfNamed(tx: Db, { to }: Reference, id: number): Promise<number | null | undefined> {
  switch (to) {
    case 'lots':
      return id;
    case 'zones':
    case 'products':
    case 'gateways':
    case 'parking_gateways':
      return lotOf(tx, to, id);
    default:
      return undefined;
  }
}

/** @throws ApiError VALIDATION with every field whose thing is in another lot */
export function checkSameLot(lot_id: number | null, lots: Readonly<Record<string, number | null | undefined>>): void {
  const elsewhere = Object.entries(lots).filter(([, lot]) => lot !== undefined && lot !== lot_id);
  if (elsewhere.length === 0) return;
  throw ApiError.validation(elsewhere.map(([field]) => ({ field, message: 'Is, or would be, in another lot' })));
}
