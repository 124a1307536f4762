/** Runs calls that arrived together in one transaction: all share one fsync, and a call that fails does not undo the others. */
import type Database from 'better-sqlite3';
import { decodeJson } from '../../shared/json-text-codec.js';
import { StoreError, type RecordStamp } from './agent-store.js';
import type { Outbox } from './sqlite-agent-outbox.js';
import type { CallFailure, CallResult, StoreCall } from './sqlite-agent-protocol.js';
import type { Replica } from './sqlite-agent-replica.js';
import { errorText } from '../../shared/error-text.js';

/** These calls need no savepoint: each is at most one statement, which SQLite itself undoes when it fails. */
const SINGLE_STATEMENT: ReadonlySet<StoreCall['op']> = new Set([
  'append',
  'intent',
  'batch',
  'state',
  'waiting',
  'clock',
  'confirmed_time',
  'camera_clock',
]);
const READ_ONLY: ReadonlySet<StoreCall['op']> = new Set(['batch', 'state', 'waiting']);

interface Parts {
  outbox: Outbox;
  replica: Replica;
}

/** @param stamp of the newest record among the calls; null when there is none */
export type RunGroup = (calls: StoreCall[], stamp: RecordStamp | null) => CallResult[];

export function createGroupRunner(db: Database.Database, { outbox, replica }: Parts): RunGroup {
  const savepoint = db.prepare('SAVEPOINT one_call');
  const release = db.prepare('RELEASE one_call');
  const undo = db.prepare('ROLLBACK TO one_call');

  /** Runs one call inside the open transaction. Throws only when the transaction itself is gone. */
  function runAlone(call: StoreCall): CallResult {
    const single = SINGLE_STATEMENT.has(call.op);
    const before = single ? null : outbox.mark();
    try {
      if (!single) savepoint.run();
      const value = perform(call, { outbox, replica });
      if (!single) release.run();
      return { ok: true, value };
    } catch (error) {
      if (!db.inTransaction) throw error;
      if (before !== null) {
        undo.run();
        release.run();
        outbox.restore(before);
      }
      return { ok: false, failure: failureOf(error) };
    }
  }

  function commitTogether(calls: StoreCall[], stamp: RecordStamp | null): CallResult[] {
    const before = outbox.mark();
    try {
      db.exec('BEGIN IMMEDIATE');
      const results = calls.map(runAlone);
      if (stamp !== null) outbox.enforceBounds(stamp);
      outbox.saveCounters();
      db.exec('COMMIT');
      outbox.committed();
      return results;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      outbox.restore(before);
      const failure = failureOf(error);
      if (failure.code === 'full' && makeRoom(db, outbox)) return commitTogether(calls, stamp);
      // Perhaps only one picture does not fit: halves are tried until it is alone.
      if (failure.code === 'full' && calls.length > 1) {
        const middle = Math.ceil(calls.length / 2);
        return [...commitTogether(calls.slice(0, middle), stamp), ...commitTogether(calls.slice(middle), stamp)];
      }
      return calls.map(() => ({ ok: false, failure }));
    }
  }

  return (calls, stamp) => {
    if (!calls.every((call) => READ_ONLY.has(call.op))) return commitTogether(calls, stamp);
    return calls.map((call) => {
      try {
        return { ok: true, value: perform(call, { outbox, replica }) };
      } catch (error) {
        return { ok: false, failure: failureOf(error) };
      }
    });
  };
}

/** Deletes some of what is only kept. @returns false when nothing is, or even that fails */
function makeRoom(db: Database.Database, outbox: Outbox): boolean {
  const before = outbox.mark();
  try {
    const isMade = db.transaction(() => {
      if (!outbox.giveWay()) return false;
      outbox.saveCounters();
      return true;
    })();
    outbox.committed();
    return isMade;
  } catch {
    outbox.restore(before);
    return false;
  }
}

function perform(call: StoreCall, { outbox, replica }: Parts): unknown {
  switch (call.op) {
    case 'append':
      return outbox.append(call.lane, call.record, call.jpeg);
    case 'read': {
      const seq = outbox.append(0, call.record, null);
      replica.addRead(call.read, call.stamp);
      for (const session of call.sessions) replica.putSession(session, outbox.lastNumber());
      if (call.intent !== null) replica.addIntent(call.intent);
      return seq;
    }
    case 'refinement': {
      const seq = outbox.append(call.lane, call.record, null);
      replica.refineRead(call.read);
      for (const session of call.sessions) replica.putSession(session, outbox.lastNumber());
      if (call.intent !== null) replica.putIntent(call.intent);
      return seq;
    }
    case 'intent':
      return replica.putIntent(call.intent);
    case 'let_in': {
      const seq = outbox.append(0, call.record, null);
      for (const session of call.sessions) replica.putSession(session, outbox.lastNumber());
      replica.removeIntent(call.reading_uid);
      return seq;
    }
    case 'outcome':
      replica.removeIntent(call.reading_uid);
      return outbox.append(0, call.record, null);
    case 'sensor':
      replica.putRecorded(call.recorded);
      return outbox.append(1, call.record, null);
    case 'batch':
      return outbox.batch(call.lane, call.after_seq);
    case 'state':
      return outbox.state();
    case 'waiting':
      return outbox.waiting(call.rowsMax);
    case 'acknowledge':
      return outbox.acknowledge(call);
    case 'start_outbox_epoch':
      return outbox.startOutboxEpoch(call.goBackTo);
    case 'config':
      replica.putConfig(call.message, decodeJson(call.upsertJson));
      if (call.message.section === 'sessions') {
        replica.dropCovered(call.message.applied, { epoch: outbox.epoch(), base: outbox.base() });
      }
      if (call.message.section === 'sensors') replica.dropUnnamed();
      if (call.message.section === 'cameras') replica.dropUnnamedClocks();
      return undefined;
    case 'clock':
      return replica.raiseClockFloor(call.wall_ms);
    case 'confirmed_time':
      return replica.putConfirmedTime(call.wall_ms);
    case 'camera_clock':
      return replica.putCameraClock(call.device_id, call.clock);
  }
}

/** Translates an error of SQLite for the caller. */
export function failureOf(error: unknown): CallFailure {
  const message = errorText(error);
  if (error instanceof StoreError) return { code: error.code, damaged: false, refused: false, message };
  const sqliteCode = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (sqliteCode === 'SQLITE_FULL') {
    return {
      code: 'full',
      damaged: false,
      refused: true,
      message: `no room: the disk is full or the file at its limit (${message})`,
    };
  }
  const damaged = DAMAGE_CODES.test(sqliteCode);
  const refused = REFUSAL_CODES.test(sqliteCode);
  if (damaged || DISK_CODES.test(sqliteCode))
    return { code: 'io', damaged, refused, message: `${message} (${sqliteCode})` };
  return { code: null, damaged, refused, message };
}

const DAMAGE_CODES = /^SQLITE_(CORRUPT|NOTADB)/;
const REFUSAL_CODES = /^SQLITE_(IOERR|READONLY|CANTOPEN)/;
const DISK_CODES = /^SQLITE_(IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL|PERM|AUTH)/;
