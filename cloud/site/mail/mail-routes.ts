/** GET /v2/mails, POST /v2/mails/{id}/retry */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import {
  choiceField,
  type Endpoint,
  integerField,
  listEndpoint,
  listTable,
  MANAGERS,
  personField,
  protectedEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { MAIL_KINDS, MAIL_STATES, mailSchema, representMail } from './mail-payload.js';
import { mailsByIds, retryMail } from './mail-queries.js';
import { WITHDRAWN } from './mail-withdrawal-queries.js';

const TAG = 'Mails';

const MAIL_LIST = listTable({
  from: 'mails',
  id: 'mails.id',
  scope: { account_id: 'mails.account_id', lot_id: 'mails.lot_id', lotless: true },
  filters: {
    account_id: integerField('mails.account_id'),
    lot_id: integerField('mails.lot_id'),
    kind: choiceField('mails.kind', MAIL_KINDS),
    status: choiceField('mails.status', MAIL_STATES),
    receiver_email: personField('mails.receiver_email'),
  },
  sorts: {},
  rows: mailsByIds,
  scopeOf: (mail) => mail,
});

export function mailEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/mails',
      summary: 'List mails, and what became of them',
      tag: TAG,
      roles: MANAGERS,
      store,
      clock,
      table: MAIL_LIST,
      item: mailSchema,
      items: (rows) => rows.map(representMail),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/mails/{id}/retry',
      summary: 'Try a mail again that was not sent, now and for another two days',
      tag: TAG,
      roles: MANAGERS,
      answer: mailSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, MAIL_LIST, { caller, id: ids.id }),
      named: representMail,
      async handle({ found: { id }, change }) {
        const row = await change(async (tx) => {
          const retried = await retryMail(tx, id, clock.now());
          if (retried !== null) return retried;
          const [mail] = await mailsByIds(tx, [id]);
          if (mail === undefined) throw new ApiError(NOT_FOUND);
          const message =
            mail.last_error === WITHDRAWN
              ? 'The mail brings no key that opens anything: send the key again when it does'
              : 'The mail was sent: there is nothing to try again';
          throw new ApiError(VALIDATION, { field: 'status', message });
        });
        return representMail(row);
      },
    }),
  ];
}
