/** Imports of members and their lines as REST shows them. */
import { z } from '@hono/zod-openapi';
import type { ErrorEntry } from '../../../shared/errors.js';
import { choiceField, datetime, id, integerField, iso, isoOrNull, listTable, times } from '../../rest/entry.js';
import { type ImportLineRow, importLinesByIds, type ImportRow, importsByIds } from './member-import-queries.js';
import { IMPORT_LINE_STATUSES, IMPORT_STATUSES } from './member-import-tables.js';

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

export function representImport(row: ImportRow): z.infer<typeof importSchema> {
  const { account_id, actor_type, actor_id, actor_name, ended_at, created_at, updated_at, ...shown } = row;
  return {
    ...shown,
    begun_by: actor_name,
    ended_at: isoOrNull(ended_at),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}

export function representImportLine(row: ImportLineRow): z.infer<typeof importLineSchema> {
  const { id: line_id, line, status, name, member_id, errors, created_at, updated_at } = row;
  return {
    id: line_id,
    line,
    status,
    name,
    member_id,
    errors: errors === null ? [] : (JSON.parse(errors) as ErrorEntry[]),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}

export const IMPORT_LIST = listTable<ImportRow>({
  from: 'member_imports',
  id: 'member_imports.id',
  scope: { account_id: 'member_imports.account_id' },
  filters: { status: choiceField('member_imports.status', IMPORT_STATUSES) },
  rows: importsByIds,
});

export const IMPORT_LINE_LIST = listTable<ImportLineRow>({
  from: 'member_import_lines',
  id: 'member_import_lines.id',
  scope: { account_id: 'member_import_lines.account_id' },
  filters: {
    import_id: integerField('member_import_lines.import_id'),
    line: integerField('member_import_lines.line'),
    status: choiceField('member_import_lines.status', IMPORT_LINE_STATUSES),
  },
  sorts: { line: 'member_import_lines.line' },
  rows: importLinesByIds,
});
