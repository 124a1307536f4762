/** GET /v2/products with their bound licenses, and /v2/lpr-cameras. */
import { LPR_CAMERA_STATES, PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { boundLicensesByIds, camerasByIds } from '../queries/site-records.js';
import { productsByIds } from '../queries/single-records.js';
import { choiceField, integerField, plateField, textField } from './list-fields.js';
import { listTable } from './list-table.js';

export const PRODUCT_LIST = listTable({
  from: (db) => db.selectFrom('products'),
  id: 'products.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    id: integerField('products.id'),
    account_id: integerField('products.account_id'),
    lot_id: integerField('products.lot_id'),
    zone_id: integerField('products.zone_id'),
    product_type_id: integerField('products.product_type_id'),
    status: choiceField('products.status', PRESENCE_STATES),
    device_id: textField('products.device_id'),
    name: textField('products.name'),
  },
  sorts: {
    id: 'products.id',
    name: 'products.name',
    battery_status: 'products.battery_status',
    rssi: 'products.rssi',
  },
  rows: productsByIds,
  scopeOf: (product) => product,
});

export const BOUND_LICENSE_LIST = listTable({
  from: (db) => db.selectFrom('bound_licenses').innerJoin('products', 'products.id', 'bound_licenses.product_id'),
  id: 'bound_licenses.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    id: integerField('bound_licenses.id'),
    product_id: integerField('bound_licenses.product_id'),
    license_plate: plateField('bound_licenses.plate_normalised'),
    name: textField('bound_licenses.name'),
  },
  sorts: { id: 'bound_licenses.id', name: 'bound_licenses.name' },
  rows: boundLicensesByIds,
});

export const CAMERA_LIST = listTable({
  from: (db) => db.selectFrom('lpr_cameras').innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id'),
  id: 'lpr_cameras.id',
  scope: { account_id: 'lpr_cameras.account_id', lot_id: 'zones.lot_id' },
  filters: {
    id: integerField('lpr_cameras.id'),
    lot_id: integerField('zones.lot_id'),
    zone_id: integerField('lpr_cameras.zone_id'),
    status: choiceField('lpr_cameras.status', LPR_CAMERA_STATES),
    device_id: textField('lpr_cameras.device_id'),
    name: textField('lpr_cameras.name'),
  },
  sorts: { id: 'lpr_cameras.id', name: 'lpr_cameras.name' },
  rows: camerasByIds,
});
