/** GET /v2/sessions and every route that accepts its filters. */
import { SESSION_SOURCES } from '../../../shared/events/event-schemas.js';
import { amountPaid, durationUntil, SESSION_IS, sessionsByIds } from './session-detail-queries.js';
import { caseField, choiceField, codeField, integerField, listTable, plateField } from '../../rest/entry.js';

export const SESSION_LIST = listTable({
  from: 'sessions',
  id: 'sessions.id',
  scope: { account_id: 'sessions.account_id', lot_id: 'sessions.lot_id' },
  filters: {
    account_id: integerField('sessions.account_id'),
    lot_id: integerField('sessions.lot_id'),
    zone_id: integerField('sessions.zone_id'),
    public_id: codeField('sessions.public_id'),
    plate: plateField('sessions.plate_normalised'),
    status: caseField(SESSION_IS),
    entry_type: choiceField('sessions.entry_type', SESSION_SOURCES),
    exit_type: choiceField('sessions.exit_type', SESSION_SOURCES),
  },
  sorts: {
    created_at: 'sessions.created_at',
    ended_at: 'sessions.ended_at',
    duration: durationUntil,
    amount_paid: amountPaid,
  },
  rows: sessionsByIds,
});
