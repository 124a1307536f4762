/** POST /v2/zones/{id}/recount: stores how many vehicles a person counted in a zone, which corrects the count of its sessions. */
import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import {
  type Endpoint,
  MANAGERS,
  protectedEndpoint,
  reasonValue,
  type ResourceDeps,
  wholeValue,
  writableRow,
} from '../../rest/entry.js';
import { LOCKS } from '../../kernel/store/entry.js';
import { decideRecount } from './decide-recount.js';
import { insertRecount, openSessionsBegun } from './recount-queries.js';
import { zonesByIds } from './zone-queries.js';
import { itemsOfZones, ZONE_ANSWER, ZONE_LIST } from './zone-resource.js';

const COUNT_MAX = 1_000_000;
const recountBody = z.strictObject({
  occupied_count: wholeValue(0, COUNT_MAX),
  reason: reasonValue.describe('Why the count was corrected, for the audit log.'),
});

export function recountEndpoint({ store, clock, configChanged }: ResourceDeps): Endpoint {
  return protectedEndpoint({
    method: 'post',
    path: '/v2/zones/{id}/recount',
    summary: "Correct the number of vehicles that a zone's sessions count, with a reason for the audit log",
    tag: 'Zones',
    roles: MANAGERS,
    body: recountBody,
    auditValues: ['occupied_count', 'reason'],
    answer: ZONE_ANSWER.schema,
    find: ({ caller, ids }) => writableRow(store.reader, ZONE_LIST, { caller, id: ids.id }),
    async handle({ found: { id, lot_id }, body: { occupied_count }, change }) {
      const now = clock.now();
      return change(async (tx) => {
        // The lock keeps sessions from beginning or ending meanwhile. They would be counted twice, or not at all.
        await tx.lock(LOCKS.openSessions(lot_id));
        const [zone] = await zonesByIds(tx, [id]);
        if (zone === undefined) throw new ApiError(NOT_FOUND);
        const begun = await openSessionsBegun(tx, { ...zone, now });
        const recount = { zone_id: id, occupied_count, ...decideRecount(begun, occupied_count), counted_at: now };
        await insertRecount(tx, recount);
        tx.onCommit(() => configChanged({ lot_id }, ['zones']));
        const [item] = await itemsOfZones([zone], { db: tx, now });
        return item as NonNullable<typeof item>;
      });
    },
  });
}
