import { describe, expect, it } from 'vitest';
import { decideServerFit, type ServerFacts } from '../../../cloud/kernel/store/postgres/decide-server-fit.js';

const ASKED = { lock_timeout: 30_000 };
const EMPTY: ServerFacts = {
  is_session_kept: true,
  lock_timeout: 30_000,
  version: 15,
  version_text: '15.18 (Debian 15.18-0+deb12u1)',
  encoding: 'UTF8',
  user_name: 'parking',
  database_name: 'site',
  schema_name: 'public',
  may_create: true,
  is_read_only: false,
  tables: 0,
  has_migrations: false,
  closed_table: null,
};
const USED: ServerFacts = { ...EMPTY, tables: 60, has_migrations: true };

describe('a PostgreSQL database', () => {
  it.each([
    ['an empty one', EMPTY],
    ["this program's own", USED],
    ['one of a later server', { ...USED, version: 18 }],
    ['one whose tables somebody else may change', { ...USED, may_create: false }],
  ])('can be worked with: %s', (_title, facts) => {
    expect(decideServerFit(facts, ASKED)).toBeNull();
  });

  it.each<[string, Partial<ServerFacts>, RegExp]>([
    [
      'behind a pooler by transaction',
      { is_session_kept: false },
      /a connection pooler \(such as PgBouncer\) .* shares connections between transactions.* address of the server itself/,
    ],
    ['behind a pooler by session', { lock_timeout: 0 }, /a connection pooler .* drops the settings/],
    ['of an older server', { version: 14, version_text: '14.9' }, /PostgreSQL 14\.9, and 15 is the oldest/],
    ['in another encoding', { encoding: 'SQL_ASCII' }, /encoding is SQL_ASCII\. Create another one/],
    ['without a schema', { schema_name: null, may_create: false }, /may use no schema of it\. Grant it/],
    ['of a standby', { is_read_only: true }, /only be read, .* Give the address of the primary/],
    ["of another program's", { tables: 3 }, /3 tables of another program\. Create a database of its own/],
    ['without rights', { may_create: false }, /user parking may not create tables\. Grant it: alter database site/],
    [
      'whose tables are closed',
      { tables: 60, has_migrations: true, closed_table: 'audit_log' },
      /may not read and write its table audit_log\. Grant it/,
    ],
  ])('cannot be worked with: one %s', (_title, facts, problem) => {
    expect(decideServerFit({ ...EMPTY, ...facts }, ASKED)).toMatch(problem);
  });
});
