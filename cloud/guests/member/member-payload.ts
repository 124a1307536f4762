/** The representation of members in the REST interface. */
import { z } from '@hono/zod-openapi';
import { id, named, times, timesOf } from '../../rest/request/answer-schemas.js';
import type { MemberRow } from './member-queries.js';

export const memberSchema = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    email: z.string(),
    license_plate: z.string(),
    account_id: id,
    groups: z.array(named).describe('The groups that the member is in.'),
    ...times,
  })
  .openapi('Member');

export type Member = z.infer<typeof memberSchema>;

export function representMember(row: MemberRow): Member {
  const { name, description, email, license_plate, account_id, groups } = row;
  return { id: row.id, name, description, email, license_plate, account_id, groups, ...timesOf(row) };
}
