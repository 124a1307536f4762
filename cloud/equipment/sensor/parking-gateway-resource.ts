/** Parking gateways, which parking sensors report to. A parking gateway stays in its lot; the gateway that reads it is in the same lot. */
import {
  sensorDriverDefaults,
  sensorDriverSchema,
  sensorNameProblem,
  sensorSettingProblems,
} from '../../../shared/drivers/sensor-drivers.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import {
  type Columns,
  defineResource,
  keptAddress,
  listTable,
  MASK,
  maskRefused,
  refuseMasked,
  representationOf,
  rule,
  type Values,
  valuesOfRow,
  withheldProblem,
} from '../../rest/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { reportedFault } from '../gateway/reported-fault.js';
import { isPushKey, maskedApplication, PARKING_GATEWAY_FIELDS } from './parking-gateway-fields.js';
import { keepParkingGateways, keepWatches, parkingGatewaysByIds, watchedSensors } from './parking-gateway-queries.js';

export const PARKING_GATEWAY_LIST = listTable({
  from: 'parking_gateways',
  id: 'parking_gateways.id',
  scope: { account_id: 'parking_gateways.account_id', lot_id: 'parking_gateways.lot_id' },
  fields: PARKING_GATEWAY_FIELDS,
  rows: parkingGatewaysByIds,
  scopeOf: (row) => row,
});

export const PARKING_GATEWAY_ANSWER = representationOf('ParkingGateway', PARKING_GATEWAY_FIELDS);

const driverHasItsSettings = rule(PARKING_GATEWAY_FIELDS, ['driver', 'address', 'register', 'mapping'], (settings) =>
  sensorSettingProblems(settings.driver, settings),
);

/** The settings that a driver has by default. Empty for a driver that no list knows, which only old rows have. */
function usualSettings(values: Values): { unit?: number | null; heartbeat_s?: number } {
  const driver = sensorDriverSchema.safeParse(values.driver);
  if (!driver.success) return {};
  const usual = sensorDriverDefaults(driver.data);
  const given = values as { unit?: number | null; heartbeat_s?: number };
  return {
    // A driver without units ignores a given one.
    unit: usual.unit === null ? null : (given.unit ?? usual.unit),
    heartbeat_s: given.heartbeat_s ?? usual.heartbeat_s,
  };
}

/** The settings that follow when the driver changes: the unit, and the heartbeat unless somebody chose it. */
function followingSettings(given: Values, row: Row<'parking_gateways'>): Columns {
  if (given.driver === undefined && given.unit === undefined) return {};
  const isUsual = row.heartbeat_s === usualSettings({ driver: row.driver }).heartbeat_s;
  const chosen = given.heartbeat_s ?? (isUsual ? undefined : row.heartbeat_s);
  const usual = usualSettings({ ...row, ...given, heartbeat_s: chosen });
  return {
    ...(usual.unit === undefined ? {} : { unit: usual.unit }),
    ...(usual.heartbeat_s === undefined ? {} : { heartbeat_s: usual.heartbeat_s }),
  };
}

/**
 * Keeps the key of pushes when a client sends its mask back. With another driver, which shows its application, the key is not kept.
 * @throws ApiError VALIDATION on `application` for a mask that stands for no key
 */
function keptKey(given: Values, row: Row<'parking_gateways'>): Columns {
  const driver = given.driver ?? row.driver;
  const wasKey = isPushKey(row);
  if (given.application === undefined) return wasKey && !isPushKey({ driver }) ? { application: null } : {};
  if (given.application !== MASK || !(wasKey || isPushKey({ driver }))) return {};
  if (isPushKey({ driver }) && maskedApplication(row.application, row) === MASK)
    return { application: row.application };
  throw maskRefused('application');
}

/**
 * Checks the sensors of its places when its driver, register or mapping changes. A problem that they had before is not reported.
 * @throws ApiError VALIDATION naming one of the places
 */
async function checkSensors(tx: Db, given: Values, row: Row<'parking_gateways'>): Promise<void> {
  const before = valuesOfRow(PARKING_GATEWAY.fields, row);
  const { driver, register, mapping: layout } = { ...before, ...given };
  if (given.driver === undefined && given.register === undefined && given.mapping === undefined) return;
  for (const { name, sensor } of await watchedSensors(tx, row.id)) {
    const reason = sensorNameProblem(sensor, { driver, register, mapping: layout });
    if (reason === undefined) continue;
    const { driver: formerDriver, register: formerRegister, mapping: former } = before;
    const formerReason = sensorNameProblem(sensor, {
      driver: formerDriver,
      register: formerRegister,
      mapping: former,
    });
    if (formerReason !== undefined) continue;
    const field = driver !== formerDriver ? 'driver' : given.mapping === undefined ? 'register' : 'mapping';
    throw new ApiError(VALIDATION, { field, message: `The sensor of place ${name ?? ''} ${reason}` });
  }
}

export const PARKING_GATEWAY = defineResource({
  table: 'parking_gateways',
  one: 'parking gateway',
  many: 'parking gateways',
  fields: PARKING_GATEWAY_FIELDS,
  rules: [driverHasItsSettings],
  complete: (values) => ({ ...values, ...usualSettings(values) }),
  initially: () => ({ status: 'offline', last_seen: null }),
  unique: [{ field: 'name', within: 'lot', isRefusedOverRest: true }],
  lot: { from: ['lot'], isColumn: true, mayMove: false },
  deletion: { before: keepWatches, kept: { with: 'lot', keep: keepParkingGateways } },
  rest: {
    path: '/v2/parking-gateways',
    tag: 'Parking gateways',
    list: PARKING_GATEWAY_LIST,
    item: PARKING_GATEWAY_ANSWER.schema,
    items: (rows) =>
      rows.map((row) =>
        PARKING_GATEWAY_ANSWER.of(row, {
          problem: withheldProblem(row) ?? reportedFault(row.gateway_health, { kind: 'parking_gateway', id: row.id }),
        }),
      ),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert(_tx, { given }): Promise<Columns> {
      refuseMasked(given);
      if (isPushKey(given) && given.application === MASK) throw maskRefused('application');
      return Promise.resolve({});
    },
    async beforeUpdate(tx, { given, row }): Promise<Columns> {
      await checkSensors(tx, given, row);
      return { ...followingSettings(given, row), ...keptAddress(given, row.address), ...keptKey(given, row) };
    },
  },
  file: { at: ['lots', 'parking_gateways'] },
});
