import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteConnection, type SqliteConnection } from '../../../cloud/kernel/store/sqlite/sqlite-connection.js';
import { createSqliteReports } from '../../../cloud/kernel/store/sqlite/sqlite-reports.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

describe('connections for long reads', () => {
  let directory: string;
  let opened: SqliteConnection[];
  let clock: FakeClock;
  let reports: ReturnType<typeof createSqliteReports>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'reports-'));
    opened = [];
    clock = new FakeClock();
    const path = join(directory, 'some.db');
    const open = () => openSqliteConnection({ path, readonly: false, busyTimeoutMs: 1_000 });
    // Two that make the same file at once may refuse each other.
    await (await open()).close();
    reports = createSqliteReports({
      async open() {
        const connection = await open();
        opened.push(connection);
        return connection;
      },
      clock,
    });
  });
  afterEach(async () => {
    await reports.close();
    rmSync(directory, { recursive: true });
  });

  const read = () =>
    reports.run((db) => sql<{ one: number }>`select 1 as one`.execute(db), new AbortController().signal);
  const isOpen = (connection: SqliteConnection | undefined) =>
    connection === undefined
      ? Promise.resolve(false)
      : connection.query('select 1').then(
          () => true,
          () => false,
        );

  it('are as many as read at once, and used again', async () => {
    await Promise.all([read(), read()]);
    await clock.advance(5_000);
    await Promise.all([read(), read()]);
    expect(opened).toHaveLength(2);
  });

  it('end when nobody has used them for ten seconds, each by itself', async () => {
    await Promise.all([read(), read()]);
    await clock.advance(6_000);
    await read();
    await clock.advance(6_000);
    // The one that was used last is the next one to be used.
    await waitUntil('the other one to end', async () => !(await isOpen(opened[0])) || !(await isOpen(opened[1])));
    expect((await Promise.all(opened.map(isOpen))).filter(Boolean)).toHaveLength(1);
    await clock.advance(20_000);
    await waitUntil('the last one to end', async () => (await Promise.all(opened.map(isOpen))).every((is) => !is));
    expect((await read()).rows).toEqual([{ one: 1 }]);
    expect(opened).toHaveLength(3);
    expect(clock.pending).toBe(1);
    await reports.close();
    expect(clock.pending).toBe(0);
  });
});
