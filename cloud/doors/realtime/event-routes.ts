import { z } from '@hono/zod-openapi';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import { type CloudStore, eventsAfter, type JournalRow } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  isoTime,
  jsonItems,
  OVERLOAD,
  sendingEndpoint,
  successPieces,
  successResponse,
} from '../../rest/entry.js';
import { parseCursor } from './cursor.js';
import { eventScopeOf } from './event-scope.js';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
/** How many events are read and written at once: each may have many thousand characters. */
const PIECE_ROWS = 50;

const querySchema = z.object({
  since: z.string().optional().openapi({ description: 'The id of an event: those after it are answered' }),
  limit: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(LIMIT_MAX))
    .default(LIMIT_DEFAULT)
    .openapi({ type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
});

const itemSchema = z
  .strictObject({
    id: z
      .string()
      .describe('The cursor: ask with it as `since`, or connect with it as `last_event_id`, to get what followed.'),
    event: z.enum(Object.keys(EVENT_SCHEMAS) as [EventName, ...EventName[]]),
    lot_id: z.number().int(),
    /** The payload, which the realtime connection carries as text; /asyncapi.json has its shapes. */
    data: z
      .record(z.string(), z.unknown())
      .describe('The payload, with the keys that the realtime event of this name has.'),
    created_at: z.iso.datetime({ precision: 3 }).describe('When it happened.'),
  })
  .openapi('Event');
const itemsSchema = z.array(itemSchema);

/** GET /v2/events: the journal of the realtime connection over REST, with the realtime connection's scope. */
export function eventEndpoints({ store }: { store: CloudStore }): Endpoint[] {
  return [
    sendingEndpoint({
      method: 'get',
      path: '/v2/events',
      summary: 'Events after a cursor, oldest first',
      tag: 'Events',
      roles: ALL_ROLES,
      query: querySchema,
      answer: itemsSchema,
      otherStatuses: OVERLOAD,
      async send(c, { caller, query, signal }, { imageLinks }) {
        const over = signal();
        const cursor = query.since === undefined ? null : parseCursor(query.since);
        const scope = eventScopeOf(caller);
        const read = (after: number | null, limit: number) =>
          store.report({ account_id: caller.account_id, kind: 'page', signal: over }, (db) =>
            eventsAfter(db, { scope, cursor: after, limit: Math.min(limit, PIECE_ROWS) }),
          );
        const write = (rows: JournalRow[]) => jsonItems(c, rows, (row) => imageLinks.signJson(eventJson(row)));
        const rows = query.since !== undefined && cursor === null ? null : await read(cursor, query.limit);
        if (rows === null) {
          const message = 'Unknown cursor, or older than the events that are kept: read the state anew';
          throw new ApiError(VALIDATION, { field: 'since', message });
        }
        if (rows.length < PIECE_ROWS || query.limit === PIECE_ROWS) return successResponse(c, `[${await write(rows)}]`);
        async function* pieces(first: JournalRow[]): AsyncGenerator<string> {
          yield `[${await write(first)}`;
          let left = query.limit - first.length;
          let last = first.at(-1)?.id ?? null;
          while (left > 0) {
            // An event that is no longer kept ends the answer: who asks for what follows it is told so.
            const more = (await read(last, left)) ?? [];
            if (more.length > 0) yield `,${await write(more)}`;
            if (more.length < PIECE_ROWS) break;
            left -= more.length;
            last = more.at(-1)?.id ?? null;
          }
          yield ']';
        }
        return successPieces(c, pieces(rows));
      },
    }),
  ];
}

/** The payload stays the text that it is: a thousand of them may be megabytes. */
const eventJson = ({ id, event, lot_id, payload, created_at }: JournalRow): string =>
  `{"id":"${id}","event":"${event}","lot_id":${lot_id},"data":${payload},"created_at":"${isoTime(created_at)}"}`;
