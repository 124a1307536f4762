import { z } from '@hono/zod-openapi';
import { ALL_ROLES } from '../../kernel/auth/role-schemas.js';
import type { Commands } from './commands.js';
import { givenFlag } from '../../rest/http/answer-schemas.js';
import { type Endpoint, protectedEndpoint } from '../../rest/http/endpoint.js';
import { visibleTo } from '../../rest/http/visibility.js';
import type { CloudStore } from '../../kernel/store/cloud-store.js';
import { findLotScope } from '../../site/lot/lot-queries.js';

const releaseSchema = z.strictObject({ hold: givenFlag.default(0) });
const clearSchema = z.strictObject({});
const acceptedSchema = z.strictObject({ event_ids: z.array(z.string()) });

/** POST /v2/lots/{id}/release and /release/clear */
export function lotReleaseEndpoints({ store, commands }: { store: CloudStore; commands: Commands }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/lots/{id}/release',
      summary: 'Open every product of a lot in an emergency',
      tag: 'Commands',
      roles: ALL_ROLES,
      body: releaseSchema,
      auditValues: ['hold'],
      answer: acceptedSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
      handle: async ({ found, body, requestId }) => ({
        event_ids: await commands.releaseLot({ lot_id: found.lot_id, hold: body.hold === 1 }, requestId),
      }),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/lots/{id}/release/clear',
      summary: 'End the emergency of a lot',
      tag: 'Commands',
      roles: ALL_ROLES,
      body: clearSchema,
      answer: acceptedSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
      handle: async ({ found, requestId }) => ({ event_ids: await commands.clearRelease(found.lot_id, requestId) }),
    }),
  ];
}
