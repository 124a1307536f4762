/** Parking places. A place cannot move to another lot; its parking gateway is in the same lot. */
import { codecSettingsShape, sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import { sensorNameKey } from '../../../shared/drivers/hex-names.js';
import { sensorNameProblem, sensorNameSchema } from '../../../shared/drivers/sensor-drivers.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { OCCUPANCY_STATES } from '../../../shared/events/event-schemas.js';
import {
  choiceField,
  type Columns,
  defineResource,
  integerField,
  listTable,
  nameValue,
  oneLine,
  type Problem,
  referenceTo,
  required,
  sentence,
  textField,
  type Values,
  valuesOfRow,
  withDefault,
} from '../../rest/entry.js';
import { findParkingGateway } from '../sensor/parking-gateway-queries.js';
import { decodeMapping, decodeRegister } from '../sensor/register-codec.js';
import type { Db } from '../../kernel/store/entry.js';
import { representParkingPlace, parkingPlaceSchema } from './place-payload.js';
import { keepPlaces, placesByIds } from './place-queries.js';

export const PLACE_LIST = listTable({
  from: 'parking_places',
  id: 'parking_places.id',
  scope: { account_id: 'parking_places.account_id', lot_id: 'parking_places.lot_id' },
  filters: {
    lot_id: integerField('parking_places.lot_id'),
    zone_id: integerField('parking_places.zone_id'),
    parking_gateway_id: integerField('parking_places.parking_gateway_id'),
    occupancy_status: choiceField('parking_places.occupancy_status', OCCUPANCY_STATES),
    name: textField('parking_places.name'),
  },
  sorts: { name: 'parking_places.name' },
  rows: placesByIds,
  scopeOf: (row) => row,
});

const fields = {
  name: required(nameValue),
  parking_gateway: referenceTo('parking_gateways', {
    id: 'parking_gateway_id',
    isNullable: true,
    default: null,
    among: 'lot',
  }),
  /** The name of the sensor at its parking gateway: a register, an EUI. */
  sensor: withDefault(oneLine(sensorNameSchema).nullable(), null),
  codec: withDefault(sensorCodecSchema.nullable(), null),
  occupied_below_mm: withDefault(codecSettingsShape.occupied_below_mm.nullable(), null),
  hysteresis_mm: withDefault(codecSettingsShape.hysteresis_mm.nullable(), null),
};

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
  fields,
  restFields: {
    zone: referenceTo('zones', { id: 'zone_id' }),
    /** Must be the lot of its zone. */
    lot: referenceTo('lots', { id: 'lot_id', isOptional: true }),
  },
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
    item: parkingPlaceSchema,
    items: (rows) => rows.map(representParkingPlace),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert: (tx, { given }) => checkSensor(tx, given, {}),
    beforeUpdate: (tx, { given, row }) => checkSensor(tx, given, valuesOfRow(fields, row)),
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
