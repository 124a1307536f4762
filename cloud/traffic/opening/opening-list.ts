/** GET /v2/openings. */
import { OPENING_CAUSES, OPENING_OUTCOMES } from '../../../shared/opening-words.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';
import { choiceField, integerField, listTable, personField, textField, timeField } from '../../rest/entry.js';
import { openingsByIds } from './opening-queries.js';

export const OPENING_LIST = listTable({
  from: 'openings',
  id: 'openings.id',
  datedBy: 'openings.at',
  scope: { account_id: 'openings.account_id', lot_id: 'openings.lot_id', lotless: true },
  filters: {
    lot_id: integerField('openings.lot_id'),
    product_id: integerField('openings.product_id'),
    gateway_id: integerField('openings.gateway_id'),
    plate_reading_id: integerField('openings.plate_reading_id'),
    operation: choiceField('openings.operation', PRODUCT_OPERATIONS),
    cause: choiceField('openings.cause', OPENING_CAUSES),
    by: personField('openings.given_by'),
    outcome: choiceField('openings.outcome', OPENING_OUTCOMES),
    event_id: textField('openings.event_id'),
    at: timeField('openings.at'),
  },
  sorts: { at: 'openings.at' },
  rows: openingsByIds,
  scopeOf: (row) => row,
});
