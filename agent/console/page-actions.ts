/**
 * Carries out the actions of people at the local console on products, sightings and the whole lot. Each is reported to
 * the cloud's audit log.
 */
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { PRODUCT_OPERATIONS } from '../../shared/uplink-orders.js';
import type { Asking } from '../command/local-actions.js';
import type { LocalOperations, OperationResult } from '../command/local-operations.js';
import type { LotRelease } from '../command/lot-release.js';
import { readBody, refuse } from './api-answers.js';
import type { PageDoor } from './page-door.js';

const operationSchema = z.strictObject({ operation: z.enum(PRODUCT_OPERATIONS) });

/**
 * `POST /api/products/{device_id}/operations` `{operation}`, `POST /api/sightings/{uid}/let-in`, and of a refused read
 * `POST /api/reads/{uid}/let-in` or, at an exit, `let-out` answer `{is_done, type, problem}`, the last one with `stay` (`OperationOutcome`); `POST /api/release` and `/api/release/clear` the outcome at each product.
 */
export function createActionRoutes(
  door: Pick<PageDoor, 'signedIn'>,
  { operations, release }: { operations: LocalOperations; release: Pick<LotRelease, 'release' | 'clear'> },
): Hono {
  const app = new Hono();
  app.post('/api/products/:deviceId/operations', door.signedIn, async (context) => {
    const body = await readBody(context, operationSchema);
    if (body instanceof Response) return body;
    const { operation } = body;
    return answer(context, await operations.operate(context.req.param('deviceId'), operation, askingPerson(context)));
  });
  for (const path of ['/api/sightings/:uid/let-in', '/api/reads/:uid/let-in', '/api/reads/:uid/let-out'] as const) {
    app.post(path, door.signedIn, async (context) =>
      answer(context, await operations.letIn(context.req.param('uid'), askingPerson(context))),
    );
  }
  app.post('/api/release', door.signedIn, async (context) =>
    context.json(await release.release(askingPerson(context))),
  );
  app.post('/api/release/clear', door.signedIn, async (context) =>
    context.json(await release.clear(askingPerson(context))),
  );
  return app;
}

function answer(context: Context, result: OperationResult): Response {
  if ('is_done' in result) return context.json(result);
  const { status, message, retryAfterS } = result;
  return refuse(context, status, message, retryAfterS === undefined ? {} : { retryAfterS });
}

/** Describes the signed-in person who asks. */
export const askingPerson = (context: Context): Asking => ({
  by: 'console',
  address: getConnInfo(context).remote.address ?? '',
});
