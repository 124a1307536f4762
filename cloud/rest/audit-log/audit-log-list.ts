import { choiceField, integerField, textField } from '../list/list-fields.js';
import { listTable } from '../list/list-table.js';
import { rowsByIds } from '../../kernel/store/entry.js';

export const AUDIT_ACTORS = ['user', 'api_token', 'operator', 'public', 'system', 'gateway'] as const;

/** GET /v2/audit-log */
export const AUDIT_LOG_LIST = listTable({
  from: 'audit_log',
  id: 'audit_log.id',
  // A row is not changed.
  changedAt: 'audit_log.created_at',
  scope: {
    account_id: 'audit_log.account_id',
    lot_id: 'audit_log.lot_id',
    lotless: true,
    // Who asks without naming a lot may have asked about any: who has one of the lots must not read what the others search for.
    confidential: 'audit_log.is_read',
  },
  filters: {
    action: textField('audit_log.action'),
    target: textField('audit_log.target'),
    actor_type: choiceField('audit_log.actor_type', AUDIT_ACTORS),
    actor_id: integerField('audit_log.actor_id'),
    lot_id: integerField('audit_log.lot_id'),
  },
  sorts: {},
  rows: (db, ids) => rowsByIds(db, 'audit_log', ids),
});
