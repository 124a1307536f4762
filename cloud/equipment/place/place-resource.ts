/** Parking places. A place cannot move to another lot; its parking gateway is in the same lot. */
import { sensorNameKey } from '../../../shared/drivers/hex-names.js';
import { sensorNameProblem } from '../../../shared/drivers/sensor-drivers.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import {
  type AnswerOf,
  type Columns,
  defineResource,
  isoOrNull,
  listTable,
  type Problem,
  representationOf,
  sentence,
  type Values,
} from '../../rest/entry.js';
import { findParkingGateway } from '../sensor/parking-gateway-queries.js';
import { decodeMapping, decodeRegister } from '../sensor/register-codec.js';
import { PLACE_FIELDS } from './place-fields.js';
import { keepPlaces, placesByIds } from './place-queries.js';

export const PLACE_LIST = listTable({
  from: 'parking_places',
  id: 'parking_places.id',
  scope: { account_id: 'parking_places.account_id', lot_id: 'parking_places.lot_id' },
  fields: PLACE_FIELDS,
  rows: placesByIds,
  scopeOf: (row) => row,
});

export const PLACE_ANSWER = representationOf('ParkingPlace', PLACE_FIELDS);

export function representPlace(row: Row<'parking_places'>): AnswerOf<typeof PLACE_FIELDS> {
  const isWatched = row.parking_gateway_id !== null && row.sensor !== null;
  return PLACE_ANSWER.of(row, {
    first_heard_at: isoOrNull(row.first_heard_at),
    stale_since: isoOrNull(isWatched ? row.stale_since : null),
  });
}

/** Checks a sensor's name with the settings of its parking gateway. */
function sensorProblems(
  sensor: unknown,
  gateway: { driver?: unknown; register?: unknown; mapping?: unknown } | undefined,
): Problem[] {
  if (gateway === undefined || typeof sensor !== 'string') return [];
  const { driver, register, mapping } = gateway;
  const reason = sensorNameProblem(sensor.trim(), { driver, register, mapping });
  return reason === undefined ? [] : [{ field: 'sensor', reason }];
}

/** A site file requires both or neither. REST may set one after the other. */
function pairProblems({ parking_gateway = null, sensor = null }: Values): Problem[] {
  const hasGateway = typeof parking_gateway === 'string';
  if (hasGateway && sensor === null) return [{ field: 'sensor', reason: 'is required with a parking_gateway' }];
  if (parking_gateway !== null || sensor === null) return [];
  return [{ field: 'parking_gateway', reason: 'is required with a sensor' }];
}

export const PLACE = defineResource({
  table: 'parking_places',
  one: 'parking place',
  many: 'parking places',
  fields: PLACE_FIELDS,
  initially: () => ({ occupancy_status: 'free', changed_at: null }),
  unique: [
    { field: 'name', within: 'lot', word: 'place', isRefusedOverRest: true },
    {
      field: 'sensor',
      within: 'lot',
      together: 'parking_gateway',
      word: 'place of the parking gateway',
      isRefusedOverRest: true,
      normalise: sensorNameKey,
      isShownAsGiven: true,
    },
  ],
  lot: { from: ['zone'], isColumn: true, mayMove: false },
  deletion: { kept: { with: 'zone', keep: keepPlaces } },
  rest: {
    path: '/v2/parking-places',
    tag: 'Parking places',
    list: PLACE_LIST,
    item: PLACE_ANSWER.schema,
    items: (rows) => rows.map(representPlace),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert: (tx, { given }) => checkSensor(tx, given, {}),
    beforeUpdate: (tx, { given, row }) =>
      checkSensor(tx, given, { parking_gateway: row.parking_gateway_id, sensor: row.sensor }),
  },
  file: {
    at: ['lots', 'zones', 'places'],
    word: 'place',
    check: (item, named) => [...pairProblems(item), ...sensorProblems(item.sensor, named('parking_gateway'))],
  },
});

/** Checks the sensor if the body gives it or the parking gateway. @throws ApiError VALIDATION */
async function checkSensor(tx: Db, given: Values, before: Values): Promise<Columns> {
  if (given.sensor === undefined && given.parking_gateway === undefined) return {};
  const { sensor, parking_gateway } = { ...before, ...given };
  const row = typeof parking_gateway === 'number' ? await findParkingGateway(tx, parking_gateway) : undefined;
  const gateway =
    row === undefined
      ? undefined
      : { driver: row.driver, register: decodeRegister(row.register), mapping: decodeMapping(row.mapping) };
  const [problem] = sensorProblems(sensor, gateway);
  if (problem === undefined) return {};
  throw new ApiError(VALIDATION, { field: 'sensor', message: sentence(problem.reason) });
}
