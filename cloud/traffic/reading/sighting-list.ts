/** GET /v2/sightings. */
import { integerField, listTable } from '../../rest/entry.js';
import { sightingsByIds } from './sighting-queries.js';

export const SIGHTING_LIST = listTable({
  from: 'sightings',
  id: 'sightings.id',
  // Sightings never change.
  changedAt: 'sightings.created_at',
  scope: { account_id: 'sightings.account_id', lot_id: 'sightings.lot_id' },
  filters: {
    lot_id: integerField('sightings.lot_id'),
    zone_id: integerField('sightings.zone_id'),
    lpr_camera_id: integerField('sightings.lpr_camera_id'),
  },
  sorts: {},
  rows: sightingsByIds,
});
