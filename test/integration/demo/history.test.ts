import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyOfZone } from '../../../cloud/traffic/occupancy/occupancy-history.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { sessionAnalytics } from '../../../cloud/traffic/session/session-analytics.js';
import { listVehicles } from '../../../cloud/traffic/session/session-analytics-queries.js';
import { applySite } from '../../../cloud/doors/site-file/apply-site.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createPastClock, type HistoryOptions, writeHistory } from '../../../scripts/demo/history/write-history.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { trafficLotsOf } from '../../../scripts/sim/traffic/traffic-lots.js';
import { createTestLog } from '../../world/test-log.js';
import { HOUR_MS } from '../../../shared/durations.js';

const SITE_FILE = fileURLToPath(new URL('../../../../scripts/demo-site.yaml', import.meta.url));
const UNTIL_MS = Date.UTC(2026, 4, 15, 12, 20);
const SEED = 5;
const DAYS = 4;

describe("the past of the demo's car park", () => {
  const clock = createPastClock();
  const { lines, logger } = createTestLog();
  let directory: string;
  let store: CloudStore;
  let options: HistoryOptions;
  let written: Awaited<ReturnType<typeof writeHistory>>;
  const write = () => writeHistory({ store, imagesDirectory: join(directory, 'images'), clock, logger }, options);
  const count = async (
    table: 'sessions' | 'plate_readings' | 'events' | 'dead_letters' | 'early_records' | 'mails',
  ) => {
    const { rows } = await store.reader
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number | string>().as('rows'))
      .executeTakeFirstOrThrow();
    return Number(rows);
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'demo-history-'));
    store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger });
    const site = readSiteFile('demo-site.yaml', await readFile(SITE_FILE, 'utf8'));
    const [lot] = trafficLotsOf(site.site);
    if (lot === undefined) throw new Error('the demo has no lot');
    options = { lot, seed: SEED, from_ms: UNTIL_MS - DAYS * 24 * HOUR_MS, until_ms: UNTIL_MS };
    clock.set(options.from_ms);
    const secrets = createSecrets(new Uint8Array(32).fill(1));
    await applySite(
      site,
      { store, secrets, passwords: quickPasswords, clock, baseUrl: 'http://127.0.0.1' },
      { prune: false, dryRun: false },
    );
    written = await write();
    process.stdout.write(`seed ${SEED}: ${JSON.stringify(written)}\n`);
  });
  afterAll(async () => {
    await store?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const caller = { account_id: 1, lot_ids: new Set([1]) };

  it('is taken by the ingest without a complaint, and mails nobody', async () => {
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect([await count('dead_letters'), await count('early_records'), await count('mails')]).toEqual([0, 0, 0]);
    expect(await count('plate_readings')).toBeGreaterThan(100);
  });

  it('lies in the past: nothing of it is of now, and the journal of events is as old', async () => {
    const { newest } = await store.reader
      .selectFrom('events')
      .select(({ fn }) => fn.max('created_at').as('newest'))
      .executeTakeFirstOrThrow();
    expect(Number(newest)).toBeLessThanOrEqual(UNTIL_MS);
    const { first, last } = await store.reader
      .selectFrom('plate_readings')
      .select(({ fn }) => [fn.min('created_at').as('first'), fn.max('created_at').as('last')])
      .executeTakeFirstOrThrow();
    expect(Number(first)).toBeGreaterThanOrEqual(options.from_ms);
    expect(Number(first)).toBeLessThan(options.from_ms + 12 * HOUR_MS);
    expect(Number(last)).toBeGreaterThan(UNTIL_MS - 6 * HOUR_MS);
  });

  it('shows something in every plot of a console', async () => {
    const { series, totals } = await sessionAnalytics(store.reader, {
      caller,
      conditions: [{ field: 'date_from', rule: 'eq', values: [options.from_ms] }],
      group_by: 'day',
      now: UNTIL_MS,
    });
    const full = series.filter(({ entries_count }) => entries_count > 0);
    expect(full.length).toBeGreaterThanOrEqual(DAYS);
    expect(totals.sessions_count).toBeGreaterThan(60);
    expect(totals.amount_paid).toBeGreaterThan(50);
    expect(totals.open_count).toBeGreaterThan(0);

    const { vehicles } = await listVehicles(
      store.reader,
      { caller, conditions: [] },
      { sort: 'visits_count', direction: 'desc', limit: 5, offset: 0 },
    );
    expect(vehicles[0]?.visits).toBeGreaterThan(1);

    const zone = await store.reader.selectFrom('zones').selectAll().executeTakeFirstOrThrow();
    const history = await historyOfZone(store.reader, zone, {
      from: options.from_ms,
      to: UNTIL_MS,
      step: 'hour',
      now: UNTIL_MS,
    });
    expect(history.series.length).toBeGreaterThan(DAYS * 24 - 2);
    expect(new Set(history.series.map(({ max_occupied }) => max_occupied)).size).toBeGreaterThan(4);

    const signals = await store.reader.selectFrom('product_signals').selectAll().execute();
    expect(new Set(signals.map(({ product_id }) => product_id)).size).toBe(6);
    expect(signals.length).toBeGreaterThan(6 * 2 * 72);
    const days = await store.reader.selectFrom('lpr_camera_days').selectAll().execute();
    expect(days.filter(({ reads_count }) => reads_count > 0).length).toBeGreaterThanOrEqual(2 * DAYS);
    expect(days.some(({ clock_drift_ms }) => Math.abs(clock_drift_ms ?? 0) > 100)).toBe(true);
  });

  it('has refused vehicles with what their decisions saw, and places as full as its sessions', async () => {
    const refused = await store.reader
      .selectFrom('plate_readings')
      .select(['access_decision_reason', 'decision_trace'])
      .where('access_decision', '=', 'denied')
      .execute();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ decision_trace }) => decision_trace !== null)).toBe(true);
    const occupied = await store.reader
      .selectFrom('parking_places')
      .select('id')
      .where('occupancy_status', '=', 'occupied')
      .execute();
    const open = await store.reader.selectFrom('sessions').select('id').where('ended_at', 'is', null).execute();
    expect(Math.abs(occupied.length - open.length)).toBeLessThanOrEqual(3);
  });

  it('is not written twice', async () => {
    const before = [await count('sessions'), await count('plate_readings')];
    expect(await write()).toMatchObject({ records: written.records, payments: 0 });
    expect([await count('sessions'), await count('plate_readings')]).toEqual(before);
  });
});
