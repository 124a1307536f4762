import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, listEndpoint, protectedEndpoint, visibleTo } from '../../rest/entry.js';
import { createBillOf } from './session-bill.js';
import { findSessionDetails, readingsOfSession } from './session-detail-queries.js';
import { SESSION_LIST } from './session-list.js';
import {
  representSession,
  representSessionWithReadings,
  sessionSchema,
  sessionWithReadingsSchema,
} from './session-rest-payload.js';

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
        const context = { now, billOf: createBillOf() };
        return rows.map((row) => representSession(row, context));
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/sessions/{id}',
      summary: 'Get a session',
      tag: 'Sessions',
      roles: ALL_ROLES,
      answer: sessionWithReadingsSchema,
      moving: ['duration', 'amount_due', 'overpaid', 'price_lines'],
      find: async ({ caller, ids }) => visibleTo(caller, await findSessionDetails(store.reader, ids.id)),
      async handle({ found }) {
        const context = { now: clock.now(), billOf: createBillOf() };
        return representSessionWithReadings(found, await readingsOfSession(store.reader, found.session), context);
      },
    }),
  ];
}
