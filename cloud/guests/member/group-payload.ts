/** The representation of groups in the REST interface. */
import { z } from '@hono/zod-openapi';
import { id, named, times, timesOf } from '../../rest/request/answer-schemas.js';
import type { NamedThing } from '../../kernel/store/entry.js';
import type { GroupRow } from './group-queries.js';

export const groupSchema = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    account_id: id,
    members: z.array(named).describe('The members of the group.'),
    tariffs: z.array(named).describe('The tariffs of the group.'),
    zones: z.array(named),
    ...times,
  })
  .openapi('Group');

export type Group = z.infer<typeof groupSchema>;

/** @param zones the zones of the group that the caller can see */
export function representGroup(row: GroupRow, zones: readonly NamedThing[]): Group {
  const { name, description, account_id, members, tariffs } = row;
  const shown = zones.map((zone) => ({ id: zone.id, name: zone.name }));
  return { id: row.id, name, description, account_id, members, tariffs, zones: shown, ...timesOf(row) };
}
