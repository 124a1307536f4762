import { z } from '@hono/zod-openapi';
import { ApiError, INTERNAL } from '../../shared/errors.js';
import type { Broker } from '../broker/broker.js';
import { type Endpoint, publicEndpoint } from '../http/endpoint.js';

/** GET /healthz: the process is up. GET /readyz: it can work. @param deps.pingDatabase rejects when the database does not answer */
export function healthEndpoints(deps: {
  pingDatabase: () => Promise<void>;
  broker: Pick<Broker, 'ready'>;
  /** Whether it was told to stop: it still answers, and is to be sent nobody any more. */
  isStopping: () => boolean;
}): Endpoint[] {
  const status = z.strictObject({ status: z.literal('ok') });
  return [
    publicEndpoint({
      method: 'get',
      path: '/healthz',
      summary: 'Whether the process is up',
      tag: 'Health',
      answer: status,
      handle: async () => ({ status: 'ok' as const }),
    }),
    publicEndpoint({
      method: 'get',
      path: '/readyz',
      summary: 'Whether database and broker are reachable, and it is not about to stop',
      tag: 'Health',
      answer: status,
      otherStatuses: { 503: 'code 500: not reachable' },
      handle: async () => {
        if (deps.isStopping()) throw new ApiError(INTERNAL, { status: 503, message: 'The service is stopping' });
        await deps.pingDatabase().catch((cause: unknown) => {
          throw new ApiError(INTERNAL, { status: 503, message: 'The database is not reachable', cause });
        });
        if (!deps.broker.ready) throw new ApiError(INTERNAL, { status: 503, message: 'The broker is not reachable' });
        return { status: 'ok' as const };
      },
    }),
  ];
}
