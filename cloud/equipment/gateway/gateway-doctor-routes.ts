/** GET and POST /v2/gateways/{id}/doctor */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { ApiError, NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';
import { datetime, type Endpoint, iso, MANAGERS, orNull, protectedEndpoint, visibleRow } from '../../rest/entry.js';
import type { Broker } from '../broker/broker.js';
import { gatewayDoctorSchema, representGatewayDoctor } from './gateway-doctor-payload.js';
import { findDoctorReport, noteDoctorAsked } from './gateway-doctor-queries.js';
import { GATEWAY_LIST } from './gateway-resource.js';

const ASKED_EVERY_MS = MINUTE_MS;
const PATH = '/v2/gateways/{id}/doctor';
const TAG = 'Gateways';
const keptSchema = orNull(gatewayDoctorSchema);
const askedSchema = z.strictObject({ asked_at: datetime.describe('When the gateway was asked.') });

export function gatewayDoctorEndpoints({
  store,
  clock,
  broker,
}: {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  broker: Pick<Broker, 'publish'>;
}): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: PATH,
      summary: 'What a gateway found when it last looked at itself',
      tag: TAG,
      roles: ALL_ROLES,
      answer: keptSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
      async handle({ found: { id } }) {
        const kept = await findDoctorReport(store.reader, id);
        return kept === null ? null : representGatewayDoctor(kept);
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: PATH,
      summary: 'Ask a connected gateway to look at itself',
      tag: TAG,
      roles: MANAGERS,
      answer: askedSchema,
      errors: [NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS],
      find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
      async handle({ found: { id, uuid, status }, change }) {
        const known = gatewayUuidSchema.safeParse(uuid);
        if (status !== 'online' || !known.success)
          throw new ApiError(NOT_SEEN_RECENTLY, {
            message: 'The gateway is not connected: run parking-agent doctor on it',
          });
        const now = clock.now();
        await change(async (tx) => {
          const waitMs = await noteDoctorAsked(tx, { gateway_id: id, now, everyMs: ASKED_EVERY_MS });
          if (waitMs === null) return;
          const message = 'It was asked within the last minute: its report comes within seconds';
          throw new RetryLaterError(TOO_MANY_REQUESTS, { message, retryAfterS: Math.ceil(waitMs / 1_000) });
        });
        await broker.publish(known.data, 'doctor', '{}');
        return { asked_at: iso(now) };
      },
    }),
  ];
}
