/** GET /v2/mails */
import { choiceField, integerField, listTable, textField } from '../../rest/entry.js';
import { MAIL_KINDS, MAIL_STATES } from './mail-payload.js';
import { mailsByIds } from './mail-queries.js';

export const MAIL_LIST = listTable({
  from: 'mails',
  id: 'mails.id',
  scope: { account_id: 'mails.account_id', lot_id: 'mails.lot_id', lotless: true },
  filters: {
    account_id: integerField('mails.account_id'),
    lot_id: integerField('mails.lot_id'),
    kind: choiceField('mails.kind', MAIL_KINDS),
    status: choiceField('mails.status', MAIL_STATES),
    receiver_email: textField('mails.receiver_email'),
  },
  sorts: {},
  rows: mailsByIds,
  scopeOf: (mail) => mail,
});
