/** Cameras that read plates. A camera is in the lot of its zone, and its product and gateway are in the same lot. */
import { cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import {
  defineResource,
  integerField,
  keptAddress,
  listTable,
  refuseMasked,
  representationOf,
  rule,
  withheldProblem,
} from '../../rest/entry.js';
import { CAMERA_FIELDS } from './camera-fields.js';
import { camerasByIds, camerasWithZones, keepCameras } from './camera-queries.js';
import { connectedDeviceType } from './event-camera-payload.js';

export const CAMERA_LIST = listTable({
  from: camerasWithZones,
  id: 'lpr_cameras.id',
  scope: { account_id: 'lpr_cameras.account_id', lot_id: 'zones.lot_id' },
  fields: CAMERA_FIELDS,
  filters: { lot_id: integerField('zones.lot_id') },
  rows: camerasByIds,
});

export const LPR_CAMERA = representationOf('LprCamera', CAMERA_FIELDS);

const driverHasItsSettings = rule(CAMERA_FIELDS, ['driver', 'address', 'username', 'timezone', 'mapping'], (settings) =>
  cameraSettingProblems(settings.driver, settings),
);

export const CAMERA = defineResource({
  table: 'lpr_cameras',
  one: 'camera',
  many: 'cameras',
  fields: CAMERA_FIELDS,
  rules: [driverHasItsSettings],
  initially: () => ({ status: 'offline' }),
  unique: [{ field: 'device_id', within: 'account', column: 'device_id' }],
  lot: { from: ['zone'], isColumn: false, mayMove: true },
  deletion: { kept: { with: 'zone', keep: keepCameras } },
  rest: {
    path: '/v2/lpr-cameras',
    tag: 'LPR cameras',
    list: CAMERA_LIST,
    item: LPR_CAMERA.schema,
    items: (rows) =>
      rows.map((row) =>
        LPR_CAMERA.of(row, {
          problem: withheldProblem(row) ?? row.problem,
          connected_device_type: connectedDeviceType(row.product_type_id),
        }),
      ),
    gatewaysOf: ({ lot_id }) => [lot_id],
    beforeInsert(_tx, { given }) {
      refuseMasked(given);
      return Promise.resolve({});
    },
    beforeUpdate: (_tx, { given, row }) => Promise.resolve(keptAddress(given, row.address)),
  },
  file: { at: ['lots', 'zones', 'lpr_cameras'] },
});
