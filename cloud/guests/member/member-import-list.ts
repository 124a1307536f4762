/** GET /v2/member-imports and /v2/member-imports/{id}/lines. */
import { choiceField, integerField, listTable } from '../../rest/entry.js';
import { IMPORT_LINE_STATUSES, IMPORT_STATUSES } from './member-import-payload.js';
import { type ImportLineRow, importLinesByIds, type ImportRow, importsByIds } from './member-import-queries.js';

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
