/** What a caller is answered when the database fails, by what PostgreSQL and SQLite say of it. */
import { describe, expect, it } from 'vitest';
import { knownError } from '../../../cloud/rest/request/envelope.js';
import { RetryLaterError } from '../../../cloud/kernel/limit/retry-later-error.js';
import { StoreError, type StoreErrorCode } from '../../../cloud/kernel/store/cloud-store.js';
import { databaseFault, isStoreFault } from '../../../cloud/kernel/store/database-faults.js';
import {
  isConnectionLost,
  isPlanOutdated,
  toStoreError,
} from '../../../cloud/kernel/store/postgres/postgres-errors.js';

const STATEMENT = 'update accounts set name = $1';
const REPORTED = Object.assign(new Error('the reason of the server'), { severity: 'ERROR' });
const saidWith = (code: string) =>
  toStoreError(Object.assign(new Error(REPORTED.message), { ...REPORTED, code }), STATEMENT);

describe('an error of PostgreSQL', () => {
  it.each<[sqlState: string, what: string, code: StoreErrorCode]>([
    ['08006', 'the connection broke', 'io'],
    ['57P01', 'the server was asked to stop', 'io'],
    ['57P02', 'the server crashed', 'io'],
    ['57P03', 'the server starts or stops', 'io'],
    ['57014', 'somebody ended the statement, or statement_timeout did', 'io'],
    ['25P03', 'the transaction stood still for too long', 'io'],
    ['53300', 'too many connections', 'no_connection'],
    ['53100', 'the disk is full', 'full'],
    ['53200', 'out of memory', 'io'],
    ['58030', 'the disk fails', 'io'],
    ['XX001', 'the data is damaged', 'io'],
    ['25006', 'a standby, or set to read only', 'read_only'],
    ['28P01', 'the password was changed', 'io'],
    ['3D000', 'the database was removed', 'io'],
    ['42501', 'rights were revoked', 'io'],
    ['55P03', 'a lock is held for too long', 'locked'],
    ['40001', "changes stand in each other's way", 'conflict'],
    ['40P01', 'changes wait for each other', 'conflict'],
  ])('%s (%s) is answered 503', (sqlState, _what, code) => {
    const error = saidWith(sqlState);
    expect(error.code).toBe(code);
    const answer = knownError(error);
    expect(answer).toBeInstanceOf(RetryLaterError);
    expect(answer).toMatchObject({ status: 503, errors: [{ code: 500 }] });
    expect((answer as RetryLaterError).retryAfterS).toBeGreaterThan(0);
    // The log has what the server said; the answer says nothing of the inside.
    expect(JSON.stringify(answer?.envelope())).not.toMatch(/update|accounts|reason of the server/);
  });

  it.each(['42601', '42P01', '42703'])('%s is a mistake of the program', (sqlState) => {
    expect([databaseFault(saidWith(sqlState)), knownError(saidWith(sqlState))]).toEqual([null, null]);
  });

  it.each(['0A000', '26000', '42P05'])(
    '%s of a prepared statement is tried again on another connection, whatever the server calls it',
    (code) => {
      expect(isPlanOutdated({ code, severity: 'FEHLER' })).toBe(true);
      expect(saidWith(code).code).toBe('conflict');
    },
  );

  it.each([
    ['42703', true],
    ['42P01', true],
    ['42804', true],
    ['P0001', true],
    ['0A000', true],
    ['53100', true],
    ['25006', true],
    ['XX000', true],
    ['22003', false],
    ['23514', false],
    ['54000', false],
  ])('%s is a fault of the store, and not of what it was given: %s', (code, expected) => {
    expect(isStoreFault(saidWith(code))).toBe(expected);
  });

  it.each(['23505', '23503', '23514'])('%s is for the request to explain', (sqlState) => {
    expect(databaseFault(saidWith(sqlState))).toBeNull();
  });

  it('without a state is a connection that is lost', () => {
    const error = toStoreError(
      Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' }),
      'connect',
    );
    expect(error.code).toBe('io');
    expect(JSON.stringify(knownError(error)?.envelope())).not.toContain('10.0.0.5');
  });

  it.each([
    ['57P01', true],
    ['25P03', true],
    ['25006', true],
    ['53100', false],
    ['40001', false],
  ])('%s: the connection is given up: %s', (code, expected) => {
    expect(isConnectionLost({ code, severity: 'ERROR' })).toBe(expected);
  });
});

it('a report that takes too long says so itself', () => {
  const answer = knownError(new StoreError('stopped', 'It took longer than 30 s: ask for less, or again later'));
  expect(answer).toMatchObject({ status: 503, errors: [{ message: expect.stringContaining('30 s') }] });
});

it('a cloud that stops sends callers to another one', () => {
  expect(knownError(new StoreError('closed', 'The database is closed'))).toMatchObject({ status: 503, retryAfterS: 1 });
});
