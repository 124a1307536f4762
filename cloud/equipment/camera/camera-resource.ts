/** Cameras that read plates. A camera is in the lot of its zone, and its product and gateway are in the same lot. */
import { z } from 'zod';
import { cameraDriverSchema, cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import { anyMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { CAMERA_DIRECTIONS, LPR_CAMERA_STATES, PLATE_SIDES } from '../../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import {
  addressValue,
  choiceField,
  credentialValue,
  defineResource,
  flagValue,
  gatewayOfLot,
  holdsAddressSecret,
  integerField,
  keptAddress,
  listTable,
  nameValue,
  oneLine,
  referenceTo,
  refuseMasked,
  required,
  rule,
  textField,
  timezoneValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { representLprCamera, lprCameraSchema } from './camera-payload.js';
import { decodeMapping } from '../sensor/register-codec.js';
import { keepCameras, camerasByIds, camerasWithZones } from './camera-queries.js';

export const CAMERA_LIST = listTable({
  from: camerasWithZones,
  id: 'lpr_cameras.id',
  scope: { account_id: 'lpr_cameras.account_id', lot_id: 'zones.lot_id' },
  filters: {
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('lpr_cameras.zone_id'),
    status: choiceField('lpr_cameras.status', LPR_CAMERA_STATES),
    device_id: textField('lpr_cameras.device_id'),
    name: textField('lpr_cameras.name'),
  },
  sorts: { name: 'lpr_cameras.name' },
  rows: camerasByIds,
});

const fields = {
  device_id: required(cameraDeviceIdSchema),
  name: required(nameValue),
  driver: required(cameraDriverSchema),
  address: withDefault(addressValue, '', { holdsSecret: holdsAddressSecret }),
  username: withDefault(credentialValue, ''),
  password: withDefault(credentialValue, '', {
    secret: { column: 'password_sealed', purpose: 'camera_password', encoding: 'utf8', sentTo: 'address' },
  }),
  /** The secret part of the address that the camera pushes to: the camera sends it. */
  push_key: withDefault(oneLine(z.string().regex(/^[^\s/?#]{0,200}$/, 'must fit into an address')), '', {
    secret: { column: 'push_key_sealed', purpose: 'camera_push_key', encoding: 'utf8', sentTo: null },
  }),
  /** Whether it is heard at its vendor's fixed path, in which no key fits, by its address alone. */
  push_without_key: withDefault(flagValue, 0),
  timezone: withDefault(timezoneValue, 'UTC'),
  lpr_position: withDefault(z.enum(CAMERA_DIRECTIONS), 'in/out'),
  plate_side: withDefault(z.enum(PLATE_SIDES), 'front'),
  /** Seconds. */
  debounce_time: withDefault(wholeValue(0, 3_600), 15),
  direction_source: withDefault(z.enum(['reported', 'position']), 'reported'),
  /** A read that the camera is less sure of is a sighting. */
  min_confidence: withDefault(z.number().min(0).max(1), 0),
  /** How to read what it posts, as data; null: as its driver does. */
  mapping: withDefault(anyMappingSchema.nullable(), null, {
    columns: { mapping: { from: (given) => (given === null ? null : JSON.stringify(given)) } },
    read: ({ mapping: text }) => (typeof text === 'string' ? decodeMapping(text) : null),
  }),
  /** The product that it opens. */
  product: referenceTo('products', { id: 'product_id', isNullable: true, default: null, among: 'lot' }),
  gateway: gatewayOfLot(),
};

const driverHasItsSettings = rule(fields, ['driver', 'address', 'username', 'timezone', 'mapping'], (settings) =>
  cameraSettingProblems(settings.driver, settings),
);

export const CAMERA = defineResource({
  table: 'lpr_cameras',
  one: 'camera',
  many: 'cameras',
  fields,
  restFields: { zone: referenceTo('zones', { id: 'zone_id' }) },
  rules: [driverHasItsSettings],
  initially: () => ({ status: 'offline' }),
  unique: [{ field: 'device_id', within: 'account', column: 'device_id' }],
  lot: { from: ['zone'], isColumn: false, mayMove: true },
  deletion: { kept: { with: 'zone', keep: keepCameras } },
  rest: {
    path: '/v2/lpr-cameras',
    tag: 'LPR cameras',
    list: CAMERA_LIST,
    item: lprCameraSchema,
    items: (rows) => rows.map(representLprCamera),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert(_tx, { given }) {
      refuseMasked(given);
      return Promise.resolve({});
    },
    beforeUpdate: (_tx, { given, row }) => Promise.resolve(keptAddress(given, row.address)),
  },
  file: { at: ['lots', 'zones', 'lpr_cameras'] },
});
