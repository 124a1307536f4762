/** What the database's measurements say of its changes, reads and reports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CloudStore, StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { measureJournal } from '../../../cloud/kernel/store/journal-metrics.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

describe('the measurements of the database', () => {
  let directory: string;
  let clock: FakeClock;
  let registry: Registry;
  let store: CloudStore;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'store-metrics-'));
    clock = new FakeClock();
    registry = new Registry();
    const url = `sqlite:${join(directory, 'cloud.db')}`;
    store = await openMigratedStore({ url, clock, logger: silentLogger, registry });
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  /** The value of a series, as Prometheus reads it. */
  async function valueOf(series: string): Promise<number | undefined> {
    const lines = (await registry.metrics()).split('\n');
    const value = lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
    return value === undefined ? undefined : Number(value);
  }

  it('count changes by how they ended, and time their wait, work and commit', async () => {
    await store.change(async () => {
      await clock.advance(250);
    });
    await expect(store.change(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await valueOf('parking_database_changes_total{outcome="committed"}')).toBe(1);
    expect(await valueOf('parking_database_changes_total{outcome="rolled_back"}')).toBe(1);
    expect(await valueOf('parking_database_change_wait_seconds_count')).toBe(2);
    expect(await valueOf('parking_database_change_work_seconds_sum')).toBe(0.25);
    expect(await valueOf('parking_database_change_commit_seconds_count')).toBe(1);
  });

  it('show the changes that wait, and since when', async () => {
    let finish = () => {};
    const isLetGo = new Promise<void>((resolve) => (finish = resolve));
    const first = store.change(() => isLetGo);
    // As many as a database may write at once have to be under way before one waits.
    const others = Array.from({ length: 10 }, () => store.change(() => isLetGo));
    await expect.poll(() => valueOf('parking_database_changes_waiting')).toBeLessThan(11);
    await clock.advance(3_000);
    expect(await valueOf('parking_database_changes_waiting_oldest_seconds')).toBe(3);
    finish();
    await Promise.all([first, ...others]);
    expect(await valueOf('parking_database_changes_waiting')).toBe(0);
    expect(await valueOf('parking_database_change_wait_seconds_count')).toBe(11);
    expect(await valueOf('parking_database_changes_total{outcome="committed"}')).toBe(11);
  });

  it('count a change once that was tried again', async () => {
    let tries = 0;
    await store.change(async () => {
      tries += 1;
      await clock.advance(100);
      if (tries === 1) throw new StoreError('conflict', 'another one stood in the way');
    });
    expect(await valueOf('parking_database_conflicts_total{kind="database"}')).toBe(1);
    expect(await valueOf('parking_database_changes_total{outcome="committed"}')).toBe(1);
    expect(await valueOf('parking_database_change_wait_seconds_sum')).toBe(0);
    expect(await valueOf('parking_database_change_work_seconds_sum')).toBe(0.1);
  });

  it('time reads, and reports by kind', async () => {
    const one = sql`select 1`;
    await one.execute(store.reader);
    await store.reader.transaction().execute(async (moment) => {
      await one.execute(moment);
    });
    await store.report({ account_id: 1, kind: 'page', signal: new AbortController().signal }, (db) => one.execute(db));
    expect(await valueOf('parking_database_read_seconds_count')).toBe(2);
    expect(await valueOf('parking_database_report_seconds_count{kind="page"}')).toBe(1);
    expect(await valueOf('parking_database_reports_waiting')).toBe(0);
  });

  it('show what is written into the journal, how far it reaches, and its oldest event', async () => {
    measureJournal(store, { registry, clock, logger: silentLogger });
    expect(await valueOf('parking_journal_head')).toBe(0);
    expect(await valueOf('parking_journal_oldest_seconds')).toBeUndefined();
    const event = (account_id: number, isKept = true) =>
      store.change(async (tx) => {
        const payload = { uuid: 'a', status: 'online' } as const;
        tx.journal({ account_id, lot_id: 7, event: 'gateway_status', payload, isKept });
      });
    await event(1);
    await clock.advance(60_000);
    await event(2);
    await event(2);
    await event(2, false);
    await clock.advance(10_000);
    expect(await valueOf('parking_journal_events_total{event="gateway_status"}')).toBe(3);
    expect(await valueOf('parking_journal_head')).toBe(3);
    // The only event of account 1 is its newest one, too.
    expect(await valueOf('parking_journal_oldest_seconds')).toBe(10);
  });
});
