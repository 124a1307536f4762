import { z } from '@hono/zod-openapi';
import { INTERNAL } from '../../../shared/errors.js';
import type { Broker } from '../../equipment/entry.js';
import { type Endpoint, publicEndpoint } from '../../rest/entry.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';

const BROKER_RETRY_S = 5;
const DISK_RETRY_S = 5;
const STOP_RETRY_S = 5;
const statusSchema = z.strictObject({ status: z.literal('ok') });
const readySchema = statusSchema.extend({
  unknown_timezones: z
    .array(z.string())
    .optional()
    .openapi({ description: 'Time zones of lots that the tables of this server do not have: these lots count in UTC' }),
});

/** GET /healthz: the process is up. GET /readyz: it can work. @param deps.pingDatabase rejects with a StoreError when the database does not answer */
export function healthEndpoints(deps: {
  pingDatabase: () => Promise<void>;
  /** Lists the time zones of lots that this machine does not know. */
  unknownZones: () => Promise<string[]>;
  /** `refusal` returns why the database's disk accepts no writes; null: the database has no disk of its own. */
  writes: { refusal(): string | null } | null;
  broker: Pick<Broker, 'ready'>;
  /** Whether the service is stopping: it still answers, but should get no new requests. */
  isStopping: () => boolean;
}): Endpoint[] {
  return [
    publicEndpoint({
      method: 'get',
      path: '/healthz',
      summary: 'Whether the process is up',
      tag: 'Health',
      answer: statusSchema,
      handle: async () => ({ status: 'ok' as const }),
    }),
    publicEndpoint({
      method: 'get',
      path: '/readyz',
      summary: 'Whether database and broker are reachable, the disk takes changes, and it is not about to stop',
      tag: 'Health',
      answer: readySchema,
      otherStatuses: {
        503: `code ${INTERNAL}: The broker is not reachable, the disk refuses to write, or the service is stopping`,
      },
      handle: async () => {
        if (deps.isStopping()) {
          const message = 'The service is stopping';
          throw new RetryLaterError(INTERNAL, { status: 503, message, retryAfterS: STOP_RETRY_S });
        }
        await deps.pingDatabase();
        if (deps.writes !== null && deps.writes.refusal() !== null) {
          const message = 'The disk of the database refuses to write: the log says why';
          throw new RetryLaterError(INTERNAL, { status: 503, message, retryAfterS: DISK_RETRY_S });
        }
        if (!deps.broker.ready) {
          const message = 'The broker is not reachable';
          throw new RetryLaterError(INTERNAL, { status: 503, message, retryAfterS: BROKER_RETRY_S });
        }
        const unknown_timezones = await deps.unknownZones();
        return { status: 'ok' as const, ...(unknown_timezones.length === 0 ? {} : { unknown_timezones }) };
      },
    }),
  ];
}
