/** Reads and writes imports of members and their lines. */
import { DAY_MS } from '../../../shared/durations.js';
import type { ErrorEntry } from '../../../shared/errors.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import {
  type CloudStore,
  type Db,
  deleteInPieces,
  insertRow,
  insertRows,
  LOCKS,
  type Row,
  rowsByIds,
  type Tx,
} from '../../kernel/store/entry.js';
import type { Values } from '../../rest/entry.js';
import type { ImportLineStatus, ImportStatus } from './member-import-payload.js';

/** How long an import and its lines are kept. */
export const IMPORTS_KEPT_MS = 30 * DAY_MS;

export type ImportRow = Row<'member_imports'>;
export type ImportLineRow = Row<'member_import_lines'>;

/** A line as it was sent: what is to be written, and of which member; null: a new one. */
export interface SentLine {
  line: number;
  id: number | null;
  name: string;
  body: Values;
}

type NewImport = Pick<ImportRow, 'account_id' | 'actor_type' | 'actor_id' | 'actor_name' | 'file_name'>;

export const importsByIds = (db: Db, ids: readonly number[]): Promise<ImportRow[]> =>
  rowsByIds(db, 'member_imports', ids);
export const importLinesByIds = (db: Db, ids: readonly number[]): Promise<ImportLineRow[]> =>
  rowsByIds(db, 'member_import_lines', ids);

/** Stores an import with its lines. @returns its id; null: another one of the account has not ended */
export async function insertImport(
  tx: Tx,
  of: NewImport,
  { lines, now }: { lines: readonly SentLine[]; now: number },
): Promise<number | null> {
  const { account_id } = of;
  await tx.lock(LOCKS.memberImports(account_id));
  const other = await tx
    .selectFrom('member_imports')
    .select('id')
    .where('account_id', '=', account_id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (other !== undefined) return null;
  const none = { made_count: 0, changed_count: 0, refused_count: 0, ended_at: null };
  const times = { created_at: now, updated_at: now };
  const status = 'running' as const;
  const import_id = await insertRow(tx, 'member_imports', {
    ...of,
    ...none,
    ...times,
    status,
    lines_count: lines.length,
  });
  await insertRows(
    tx,
    'member_import_lines',
    lines.map(({ line, id, name, body }) => ({
      import_id,
      account_id,
      line,
      member_id: id,
      name,
      body: encodeJson(body),
      status: 'waiting' as const,
      errors: null,
      ...times,
    })),
  );
  return import_id;
}

/** Finds the imports that have not ended, the oldest first. */
export const runningImports = (db: Db): Promise<ImportRow[]> =>
  db.selectFrom('member_imports').selectAll().where('status', '=', 'running').orderBy('id').execute();

/** Is alone with the imports of the account. @returns the import, if it has not ended meanwhile */
export async function holdRunning(
  tx: Tx,
  { id, account_id }: Pick<ImportRow, 'id' | 'account_id'>,
): Promise<ImportRow | null> {
  await tx.lock(LOCKS.memberImports(account_id));
  const [row] = await importsByIds(tx, [id]);
  return row?.status === 'running' ? row : null;
}

/** Finds the next lines of an import, in the order of the file. */
export const waitingLines = (tx: Tx, import_id: number, limit: number): Promise<ImportLineRow[]> =>
  tx
    .selectFrom('member_import_lines')
    .selectAll()
    .where('import_id', '=', import_id)
    .where('status', '=', 'waiting')
    .orderBy('id')
    .limit(limit)
    .execute();

/** The end of a line. */
export interface LineOutcome {
  id: number;
  status: Extract<ImportLineStatus, 'made' | 'changed' | 'refused'>;
  member_id: number | null;
  /** Of the member, where the line has none. */
  name?: string;
  errors: readonly ErrorEntry[];
}

/** Writes how lines ended, and counts it. */
export async function saveOutcomes(
  tx: Tx,
  of: ImportRow,
  { outcomes, now }: { outcomes: readonly LineOutcome[]; now: number },
): Promise<ImportRow> {
  for (const { id, status, member_id, name, errors } of outcomes) {
    const said = errors.length === 0 ? null : encodeJson(errors);
    await tx
      .updateTable('member_import_lines')
      .set({ ...(name === undefined ? {} : { name }), status, member_id, errors: said, body: null, updated_at: now })
      .where('id', '=', id)
      .execute();
  }
  const countOf = (status: LineOutcome['status']) => outcomes.filter((each) => each.status === status).length;
  const counts = {
    made_count: of.made_count + countOf('made'),
    changed_count: of.changed_count + countOf('changed'),
    refused_count: of.refused_count + countOf('refused'),
  };
  await tx
    .updateTable('member_imports')
    .set({ ...counts, updated_at: now })
    .where('id', '=', of.id)
    .execute();
  return { ...of, ...counts };
}

/** Ends an import; what it did not come to is left out. */
export async function endImport(
  tx: Tx,
  id: number,
  { status, now }: { status: Exclude<ImportStatus, 'running'>; now: number },
): Promise<void> {
  await tx
    .updateTable('member_import_lines')
    .set({ status: 'left_out', body: null, updated_at: now })
    .where('import_id', '=', id)
    .where('status', '=', 'waiting')
    .execute();
  await tx.updateTable('member_imports').set({ status, ended_at: now, updated_at: now }).where('id', '=', id).execute();
}

/** Deletes imports that ended, with their lines. @param before wall milliseconds, of their beginning */
export async function pruneMemberImports(store: Pick<CloudStore, 'change'>, before: number): Promise<void> {
  const old = (tx: Tx) =>
    tx.selectFrom('member_imports').select('id').where('created_at', '<', before).where('status', '<>', 'running');
  await deleteInPieces(store, async (tx, limit) => {
    const lines = tx.selectFrom('member_import_lines').select('id').where('import_id', 'in', old(tx)).limit(limit);
    const { numDeletedRows } = await tx
      .deleteFrom('member_import_lines')
      .where('id', 'in', lines)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
  await store.change((tx) => tx.deleteFrom('member_imports').where('id', 'in', old(tx)).execute());
}
