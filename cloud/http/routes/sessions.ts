import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../auth/caller.js';
import { createAmountDue } from '../../session/amount-due.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { SESSION_LIST } from '../../store/lists/sessions-list.js';
import { findSessionDetails, readingsOfSession } from '../../store/queries/session-details.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { listEndpoint } from '../list-endpoint.js';
import { sessionSchema, sessionWithReadingsSchema } from '../resources.js';
import { sessionRecord, sessionWithReadings } from '../session-records.js';
import { visibleTo } from '../visibility.js';

/** GET /v2/sessions, GET /v2/sessions/{id} */
export function sessionEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/sessions',
      summary: 'List sessions',
      tag: 'Sessions',
      store,
      clock,
      table: SESSION_LIST,
      item: sessionSchema,
      items(rows, now) {
        const shown = { now, amountDue: createAmountDue() };
        return rows.map((row) => sessionRecord(row, shown));
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/sessions/{id}',
      summary: 'Get a session',
      tag: 'Sessions',
      roles: ALL_ROLES,
      answer: sessionWithReadingsSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findSessionDetails(store.reader, ids.id)),
      async handle({ found }) {
        const shown = { now: clock.now(), amountDue: createAmountDue() };
        return sessionWithReadings(found, await readingsOfSession(store.reader, found.session), shown);
      },
    }),
  ];
}
