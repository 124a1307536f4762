/** Imports of members and their lines as REST shows them. */
import { z } from '@hono/zod-openapi';
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import { datetime, id, isoOrNull, times } from '../../rest/field/answer-schemas.js';
import { isoTime } from '../../rest/field/iso-time-codec.js';

/** `stopped`: who began it may not change members any more. */
export const IMPORT_STATUSES = ['running', 'done', 'cancelled', 'stopped'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** `left_out`: the import ended before it came to the line. */
export const IMPORT_LINE_STATUSES = ['waiting', 'made', 'changed', 'refused', 'left_out'] as const;
export type ImportLineStatus = (typeof IMPORT_LINE_STATUSES)[number];

const count = z.number().int();

export const importSchema = z
  .strictObject({
    id,
    status: z
      .enum(IMPORT_STATUSES)
      .describe(
        'How far it is: `stopped` when who began it may not change members any more, which is looked at all the time.',
      ),
    file_name: z.string().describe('How the file is called; empty when nobody said.'),
    begun_by: z.string().describe('The name of the person or token that began it.'),
    lines_count: count.describe('How many lines were sent.'),
    made_count: count.describe('How many members were made of them so far.'),
    changed_count: count.describe('How many members were changed by them so far.'),
    refused_count: count.describe('How many lines were refused so far; `GET /v2/member-imports/{id}/lines` says why.'),
    ended_at: datetime.nullable(),
    ...times,
  })
  .openapi('MemberImport');

export const importLineSchema = z
  .strictObject({
    id,
    line: count.describe('The number of the line in its file, as it was sent.'),
    status: z.enum(IMPORT_LINE_STATUSES).describe('What became of it: `left_out` when the import ended before it.'),
    name: z.string().describe('The name of the member, as the line has it; empty when it has none.'),
    member_id: id.nullable().describe('The member that was made, or is changed; null for none.'),
    errors: z
      .array(z.strictObject({ code: count, message: z.string(), field: z.string().optional() }))
      .describe('Why it was refused; empty when it was not.'),
    ...times,
  })
  .openapi('MemberImportLine');

export function representImport(row: Row<'member_imports'>): z.infer<typeof importSchema> {
  const { id: import_id, status, file_name, lines_count, made_count, changed_count, refused_count } = row;
  return {
    id: import_id,
    status,
    file_name,
    begun_by: row.actor_name,
    lines_count,
    made_count,
    changed_count,
    refused_count,
    ended_at: isoOrNull(row.ended_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function representImportLine(row: Row<'member_import_lines'>): z.infer<typeof importLineSchema> {
  const { id: line_id, line, status, name, member_id, errors, created_at, updated_at } = row;
  return {
    id: line_id,
    line,
    status,
    name,
    member_id,
    errors: errors === null ? [] : [...decodeJson(errors)],
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}
