import { z } from '@hono/zod-openapi';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { Commands } from './commands.js';
import { type Endpoint, givenFlag, protectedEndpoint, visibleTo } from '../../rest/entry.js';
import { findLotScope } from '../../site/entry.js';

const releaseSchema = z.strictObject({
  hold: givenFlag.default(0).describe('Whether the products stay open until the release is cleared: 1 or 0.'),
});
const clearSchema = z.strictObject({});
const acceptedSchema = z.strictObject({ event_ids: z.array(z.string()) });

/** POST /v2/lots/{id}/release and /release/clear */
export function lotReleaseEndpoints({ store, commands }: { store: CloudStore; commands: Commands }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/lots/{id}/release',
      isCommand: true,
      summary: 'Open every product of a lot in an emergency',
      tag: 'Commands',
      roles: ALL_ROLES,
      body: releaseSchema,
      auditValues: ['hold'],
      answer: acceptedSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
      handle: async ({ caller, found: { lot_id }, body, requestId, change }) => ({
        event_ids: await commands.releaseLot(change, { lot_id, hold: body.hold === 1, by: caller }, requestId),
      }),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/lots/{id}/release/clear',
      isCommand: true,
      summary: 'End the emergency of a lot',
      tag: 'Commands',
      roles: ALL_ROLES,
      body: clearSchema,
      answer: acceptedSchema,
      find: async ({ caller, ids }) => visibleTo(caller, await findLotScope(store.reader, ids.id)),
      handle: async ({ caller, found: { lot_id }, requestId, change }) => ({
        event_ids: await commands.clearRelease(change, { lot_id, by: caller }, requestId),
      }),
    }),
  ];
}
