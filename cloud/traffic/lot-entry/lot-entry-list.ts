/** GET /v2/lot-entries. */
import { integerField, listTable } from '../../rest/entry.js';
import { lotEntriesByIds } from './lot-entry-queries.js';

export const LOT_ENTRY_LIST = listTable({
  from: 'lot_entries',
  id: 'lot_entries.id',
  scope: { account_id: 'lot_entries.account_id', lot_id: 'lot_entries.lot_id' },
  filters: {
    lot_id: integerField('lot_entries.lot_id'),
    lpr_camera_id: integerField('lot_entries.lpr_camera_id'),
  },
  sorts: {},
  rows: lotEntriesByIds,
});
