/** GET /v2/lots, /v2/zones, /v2/parking-places, /v2/parking-gateways, /v2/gateways. */
import { OCCUPANCY_STATES, PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { gatewaysByIds, lotsByIds, parkingGatewaysByIds, placesByIds, zonesByIds } from '../queries/site-records.js';
import { choiceField, integerField, textField } from './list-fields.js';
import { listTable } from './list-table.js';

export const LOT_LIST = listTable({
  from: (db) => db.selectFrom('lots'),
  id: 'lots.id',
  scope: { account_id: 'lots.account_id', lot_id: 'lots.id' },
  filters: { id: integerField('lots.id'), name: textField('lots.name'), account_id: integerField('lots.account_id') },
  sorts: { id: 'lots.id', name: 'lots.name' },
  rows: lotsByIds,
});

export const ZONE_LIST = listTable({
  from: (db) => db.selectFrom('zones'),
  id: 'zones.id',
  scope: { account_id: 'zones.account_id', lot_id: 'zones.lot_id' },
  filters: {
    id: integerField('zones.id'),
    name: textField('zones.name'),
    lot_id: integerField('zones.lot_id'),
    account_id: integerField('zones.account_id'),
  },
  sorts: { id: 'zones.id', name: 'zones.name' },
  rows: zonesByIds,
  scopeOf: (row) => row,
});

export const PLACE_LIST = listTable({
  from: (db) => db.selectFrom('parking_places'),
  id: 'parking_places.id',
  scope: { account_id: 'parking_places.account_id', lot_id: 'parking_places.lot_id' },
  filters: {
    id: integerField('parking_places.id'),
    lot_id: integerField('parking_places.lot_id'),
    zone_id: integerField('parking_places.zone_id'),
    parking_gateway_id: integerField('parking_places.parking_gateway_id'),
    occupancy_status: choiceField('parking_places.occupancy_status', OCCUPANCY_STATES),
    name: textField('parking_places.name'),
  },
  sorts: { id: 'parking_places.id', name: 'parking_places.name' },
  rows: placesByIds,
  scopeOf: (row) => row,
});

export const PARKING_GATEWAY_LIST = listTable({
  from: (db) => db.selectFrom('parking_gateways'),
  id: 'parking_gateways.id',
  scope: { account_id: 'parking_gateways.account_id', lot_id: 'parking_gateways.lot_id' },
  filters: {
    id: integerField('parking_gateways.id'),
    name: textField('parking_gateways.name'),
    lot_id: integerField('parking_gateways.lot_id'),
    gateway_id: integerField('parking_gateways.gateway_id'),
    account_id: integerField('parking_gateways.account_id'),
  },
  sorts: { id: 'parking_gateways.id', name: 'parking_gateways.name' },
  rows: parkingGatewaysByIds,
  scopeOf: (row) => row,
});

export const GATEWAY_LIST = listTable({
  from: (db) => db.selectFrom('gateways'),
  id: 'gateways.id',
  scope: { account_id: 'gateways.account_id', lot_id: 'gateways.lot_id', lotless: true },
  filters: {
    id: integerField('gateways.id'),
    lot_id: integerField('gateways.lot_id'),
    status: choiceField('gateways.status', PRESENCE_STATES),
    uuid: textField('gateways.uuid'),
    name: textField('gateways.name'),
    account_id: integerField('gateways.account_id'),
  },
  sorts: { id: 'gateways.id', name: 'gateways.name' },
  rows: gatewaysByIds,
  scopeOf: (row) => row,
});
