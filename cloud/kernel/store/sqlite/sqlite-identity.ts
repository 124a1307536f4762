/** What tells a SQLite file from its copies, and the ids that its tables have given. */
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { type Db, StoreError } from '../cloud-store.js';
import type { DatabaseIdentity } from '../database-adapter.js';
import { ADOPTED_MARK } from './backup-mark.js';

/** A file that was put in the place of another one has a number of its own, unless a program wrote over the old one. */
export async function identify(db: Db): Promise<DatabaseIdentity> {
  const { rows: files } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db);
  const main = files.find(({ name }) => name === 'main');
  if (main === undefined) throw new StoreError('query', 'SQLite does not say which file it has open');
  const { rows } = await sql<{ application_id: number }>`pragma application_id`.execute(db);
  return { identity: `file ${statSync(main.file).ino}`, isBackup: rows[0]?.application_id === ADOPTED_MARK };
}

export async function endBackupMark(db: Db): Promise<void> {
  await sql`pragma application_id = 0`.execute(db);
}

export async function lastIds(db: Db): Promise<Map<string, number>> {
  // A table has a row there from its first own id on.
  const { rows } = await sql<{ name: string; seq: number }>`
    select tables.name, coalesce(given.seq, 0) as seq
    from sqlite_master as tables left join sqlite_sequence as given on given.name = tables.name
    where tables.type = 'table' and tables.sql like '%autoincrement%'
  `.execute(db);
  return new Map(rows.map(({ name, seq }) => [name, seq]));
}

export async function setLastIds(db: Db, last: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, seq] of last) {
    if (seq === 0) continue;
    // The table of these has no key.
    await sql`delete from sqlite_sequence where name = ${name}`.execute(db);
    await sql`insert into sqlite_sequence (name, seq) values (${name}, ${seq})`.execute(db);
  }
}
