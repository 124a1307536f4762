import type { ErrorEntry } from '../../../shared/errors.js';
import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { Values } from '../../rest/entry.js';
import type { ImportLineStatus, ImportStatus } from './member-import-payload.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof MEMBER_IMPORTS> {}
}

export const MEMBER_IMPORTS = {
  /** Files of members that were sent whole, and how far they are. */
  member_imports: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      /** Who began it, as the audit log names actors: it goes on when that sign-in has ended. */
      actor_type: 'text' as Text<'user' | 'api_token'>,
      actor_id: 'integer',
      actor_name: 'text',
      file_name: 'text',
      status: 'text' as Text<ImportStatus>,
      lines_count: 'integer',
      made_count: 'integer',
      changed_count: 'integer',
      refused_count: 'integer',
      created_at: 'bigint',
      updated_at: 'bigint',
      ended_at: 'bigint null',
    },
    indices: [['account_id', 'id'], ['status'], ['created_at']],
  },
  member_import_lines: {
    columns: {
      id: 'id',
      import_id: { partOf: 'member_imports' },
      account_id: { partOf: 'accounts' },
      /** In the file, from 1. */
      line: 'integer',
      member_id: 'integer null',
      name: 'text',
      /** What is to be written; null once that was tried. */
      body: 'text null' as Text<JsonColumn<Values, null>>,
      status: 'text' as Text<ImportLineStatus>,
      /** Why it was refused, as REST says it. */
      errors: 'text null' as Text<JsonColumn<readonly ErrorEntry[], null>>,
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['import_id', 'status', 'id'], ['account_id']],
  },
} satisfies Tables;
