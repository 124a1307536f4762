/**
 * Writes the lines of imports of members, a few in each transaction, so that others never wait long. What became of a line is written in
 * the transaction that wrote its member: each is done once, whatever ends this process meanwhile.
 */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, type ErrorEntry, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Logger } from '../../../shared/logger.js';
import { appendAudit } from '../../kernel/audit/entry.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { createTurnLoop } from '../../kernel/delivery/entry.js';
import { type CloudStore, type Db, includesOneOf, type Tx } from '../../kernel/store/entry.js';
import { MANAGERS, type Values, visibleIds, writableIds } from '../../rest/entry.js';
import { findCallerOfUser, findCallersOfTokens } from '../../site/entry.js';
import { GROUP_LIST } from './group-resource.js';
import {
  endImport,
  holdRunning,
  type ImportLineRow,
  type ImportRow,
  type LineOutcome,
  runningImports,
  saveOutcomes,
  waitingLines,
} from './member-import-queries.js';
import { MEMBER_LIST } from './member-resource.js';
import { insertMember, type MemberWriteDeps, plateListsChanged, updateMember } from './write-members.js';

const TABLES = ['member_imports'] as const;
/** It takes some hundredths of a second. */
const LINES_AT_ONCE = 20;
/** After the database failed. */
const AGAIN_MS = 2_000;
/** Gateways need not have each of thousands of members at once. */
const NOTIFY_EVERY_MS = 5_000;

export interface MemberImportDeps extends MemberWriteDeps {
  store: CloudStore;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Whether this process is the one that does what is done once. */
  isFirst: () => boolean;
  /** Calls back when it becomes that one: another process may have left imports behind when it died. */
  onFirst: (listener: () => void) => void;
}

/** Thrown out of a transaction whose line was refused, so that nothing of that line stays. */
class LineRefused extends Error {
  constructor(
    readonly id: number,
    readonly errors: readonly ErrorEntry[],
  ) {
    super('a line was refused');
  }
}

/** Goes on with all imports that have not ended. Close it before the store. */
export function startMemberImports(deps: MemberImportDeps): { close(): Promise<void> } {
  const { store, clock, random, logger, isFirst, onFirst } = deps;
  const { writeSome } = createLineWriter(deps);
  const loop = createTurnLoop({ clock, random }, (error) =>
    logger.error({ err: error }, 'imports of members wait for the database'),
  );
  let isClosed = false;
  /** Wall milliseconds until which an import rests after it failed: those of other accounts go on meanwhile. */
  const restsUntil = new Map<number, number>();

  /** A few lines of each import. @returns when there is more to do, wall milliseconds; null: all have ended */
  async function turn(): Promise<number | null> {
    const running = isFirst() ? await runningImports(store.reader) : [];
    const ids = new Set(running.map(({ id }) => id));
    for (const id of restsUntil.keys()) if (!ids.has(id)) restsUntil.delete(id);
    for (const each of running) {
      if (isClosed || (restsUntil.get(each.id) ?? 0) > clock.now()) continue;
      try {
        await writeSome(each);
        restsUntil.delete(each.id);
      } catch (error) {
        logger.error({ err: error, import: each.id }, 'an import of members does not go on; it is tried again');
        restsUntil.set(each.id, clock.now() + AGAIN_MS);
      }
    }
    return running.length === 0 ? null : Math.min(...running.map(({ id }) => restsUntil.get(id) ?? 0));
  }

  const forgetWritten = store.onWritten(TABLES, loop.ask);
  const forgetForeign = store.onForeignChange(({ written }) => {
    if (includesOneOf(written, TABLES)) loop.ask();
  });
  onFirst(loop.ask);
  loop.start(turn);
  return {
    async close() {
      isClosed = true;
      forgetWritten();
      forgetForeign();
      await loop.close();
    },
  };
}

function createLineWriter(deps: Omit<MemberImportDeps, 'random' | 'isFirst' | 'onFirst'>) {
  const { store, clock } = deps;
  /** When the gateways of an import's account were last notified, by the import. */
  const notifiedAt = new Map<number, number>();

  async function writeIn(tx: Tx, of: ImportRow, refused: ReadonlyMap<number, readonly ErrorEntry[]>): Promise<void> {
    const now = clock.now();
    const current = await holdRunning(tx, of);
    if (current === null) return void notifiedAt.delete(of.id);
    const caller = await callerOf(tx, current);
    if (caller === null) return end(tx, current, 'stopped');
    const lines = await waitingLines(tx, of.id, LINES_AT_ONCE);
    const outcomes = await writeLines(tx, deps, { caller, lines, refused, now });
    const after = await saveOutcomes(tx, current, { outcomes, now });
    if (lines.length < LINES_AT_ONCE) return end(tx, after, 'done');
    if (clock.monotonic() - (notifiedAt.get(of.id) ?? -Infinity) < NOTIFY_EVERY_MS) return;
    await plateListsChanged(tx, deps, of.account_id);
    tx.onCommit(() => void notifiedAt.set(of.id, clock.monotonic()));
  }

  async function end(tx: Tx, of: ImportRow, status: 'done' | 'stopped'): Promise<void> {
    const { id, account_id, actor_type, actor_id, made_count, changed_count, refused_count } = of;
    const now = clock.now();
    await endImport(tx, id, { status, now });
    await plateListsChanged(tx, deps, account_id);
    tx.onCommit(() => void notifiedAt.delete(id));
    const details = { status, made: made_count, changed: changed_count, refused: refused_count };
    const what = { action: 'member_import.end', target: `member import ${id}`, details, created_at: now };
    await appendAudit(tx, [{ account_id, actor_type, actor_id, ...what }]);
  }

  return {
    /** Writes the next lines of an import. A line that is refused goes, with the rest, into the next try. */
    async writeSome(of: ImportRow): Promise<void> {
      const refused = new Map<number, readonly ErrorEntry[]>();
      for (;;) {
        try {
          await store.change((tx) => writeIn(tx, of, refused), `account ${of.account_id}`);
          return;
        } catch (error) {
          if (!(error instanceof LineRefused)) throw error;
          refused.set(error.id, error.errors);
        }
      }
    },
  };
}

/** Who began the import, with the rights of now; null: that one may not change members any more. */
async function callerOf(db: Db, { actor_type, actor_id, account_id }: ImportRow): Promise<Caller | null> {
  const found =
    actor_type === 'user'
      ? await findCallerOfUser(db, actor_id)
      : (await findCallersOfTokens(db, [{ kind: 'api', token_id: actor_id }]))[0];
  const isAllowed = found?.account_id === account_id && MANAGERS.includes(found.role);
  return isAllowed ? found : null;
}

interface LinesToWrite {
  caller: Caller;
  lines: readonly ImportLineRow[];
  /** Those that were refused by an earlier try. */
  refused: ReadonlyMap<number, readonly ErrorEntry[]>;
  now: number;
}

async function writeLines(
  tx: Tx,
  deps: MemberWriteDeps,
  { caller, lines, refused, now }: LinesToWrite,
): Promise<LineOutcome[]> {
  const bodies = new Map(lines.map((each) => [each.id, each.body === null ? {} : decodeJson(each.body)]));
  const groups = new Set(
    await visibleIds(tx, GROUP_LIST, { caller, ids: [...new Set([...bodies.values()].flatMap(groupsIn))] }),
  );
  const ids = lines.flatMap(({ member_id }) => member_id ?? []);
  const writable = new Set(await writableIds(tx, MEMBER_LIST, { caller, ids: [...new Set(ids)] }));
  const outcomes: LineOutcome[] = [];
  for (const { id, member_id, name } of lines) {
    const body = bodies.get(id) ?? {};
    const known = refused.get(id) ?? goneThings({ member_id, body }, { groups, writable });
    if (known !== null) {
      outcomes.push({ id, status: 'refused', member_id, errors: known });
      continue;
    }
    try {
      if (member_id === null) {
        outcomes.push({
          id,
          status: 'made',
          member_id: await insertMember(tx, deps, { caller, body, now }),
          errors: [],
        });
      } else {
        const before = await updateMember(tx, deps, { caller, id: member_id, body, now });
        outcomes.push({ id, status: 'changed', member_id, ...(name === '' ? { name: before } : {}), errors: [] });
      }
    } catch (error) {
      if (error instanceof ApiError) throw new LineRefused(id, error.errors);
      throw error;
    }
  }
  return outcomes;
}

const groupsIn = ({ group_ids }: Values): number[] => (Array.isArray(group_ids) ? (group_ids as number[]) : []);

/** What the line names and is gone since it was sent; null: nothing. */
function goneThings(
  { member_id, body }: { member_id: number | null; body: Values },
  known: { groups: ReadonlySet<number>; writable: ReadonlySet<number> },
): ErrorEntry[] | null {
  if (member_id !== null && !known.writable.has(member_id)) return new ApiError(NOT_FOUND).errors;
  const gone = groupsIn(body).flatMap((id, at) =>
    known.groups.has(id) ? [] : [{ code: VALIDATION, message: 'There is no such thing', field: `group_ids.${at}` }],
  );
  return gone.length === 0 ? null : gone;
}
