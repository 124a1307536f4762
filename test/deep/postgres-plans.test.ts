/**
 * Lists and sums over a million rows on PostgreSQL, and what is asked for every record, request and webhook: they read no more rows than
 * they need, and go through no big table.
 */
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { AUDIT_LOG_LIST } from '../../cloud/rest/audit-log/audit-log-routes.js';
import {
  findCommand,
  runningAttemptCounts,
  runningAttempts,
  runningAttemptsOf,
} from '../../cloud/equipment/command/command-queries.js';
import {
  endIdempotencyKey,
  findIdempotencyKey,
  pruneIdempotencyKeys,
} from '../../cloud/rest/request/idempotency-queries.js';
import { knownUids } from '../../cloud/traffic/ingest/ingest-queries.js';
import { loadKnown } from '../../cloud/traffic/ingest/known-queries.js';
import type { Condition, Sort } from '../../cloud/rest/list/filter-parser.js';
import { type ListTable, readPage } from '../../cloud/rest/list/list-table.js';
import { exitsWithoutSession, lotEntriesOfExits } from '../../cloud/traffic/lot-entry/lot-entry-queries.js';
import { LOT_ENTRY_LIST } from '../../cloud/traffic/lot-entry/lot-entry-routes.js';
import { PLATE_READING_LIST } from '../../cloud/traffic/reading/plate-reading-list.js';
import { SIGHTING_LIST } from '../../cloud/traffic/reading/sighting-routes.js';
import {
  countEndedSessions,
  listVehicles,
  newestReadings,
  sumBegunSessions,
} from '../../cloud/traffic/session/session-analytics-queries.js';
import { SESSION_LIST } from '../../cloud/traffic/session/session-list.js';
import { findOpenSessions, sessionsOfReads } from '../../cloud/traffic/session/session-queries.js';
import type { CloudStore, Db } from '../../cloud/kernel/store/cloud-store.js';
import { eventsAfter, eventsBetween } from '../../cloud/kernel/store/journal-queries.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { leasedLots, leaseDueDeliveries, webhooksWithDue } from '../../cloud/doors/webhook/webhook-turn-queries.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { BENCH_NOW_MS, seedBenchSite } from '../bench/session-rows.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { DAY_MS } from '../../shared/durations.js';

const DATABASE = 'parking';
const ROWS = 1_000_000;
/** As many as the plan needs to be chosen by: to fill all tables with a million takes minutes. */
const FEWER_ROWS = 200_000;
const LOTS = 4;
const YEAR_MS = 365 * 24 * 3_600_000;
const PLATES = 200_000;
/** A page of ten may have to skip rows of other lots, and its rows are joined with others. */
const PAGE_ROWS_MAX = 500;
/** What is under way, a thousandth of all, may be looked at. */
const HOT_ROWS_MAX = ROWS / 1_000 + PAGE_ROWS_MAX;

const GATEWAYS = 1_000;
const WEBHOOKS = 10;

/** SQL of row `n`. */
const began = `${BENCH_NOW_MS - YEAR_MS} + n * ${Math.floor(YEAR_MS / ROWS)}`;
const plate = `'ZG' || (n * 7919 % ${PLATES})`;
const lot = `n % ${LOTS} + 1`;
const common = { id: 'n', account_id: '1', lot_id: lot, zone_id: lot, created_at: began, updated_at: began };
/** When it ended; of each so many one has not. */
const openEach = (rows: number) => `case when n % ${rows} = 0 then null else ${began} + 1000 end`;
const plates = { plate, plate_normalised: plate, raw_plate: plate };
const TABLES: Readonly<Record<string, { rows: number; columns: Readonly<Record<string, string>> }>> = {
  plate_readings: { rows: ROWS, columns: { ...common, ...plates, session_id: 'n' } },
  sessions: {
    rows: ROWS,
    columns: {
      ...common,
      ...plates,
      entry_reading_id: 'n',
      ended_at: `case when n % 97 = 0 then null else ${began} + 3600000 end`,
    },
  },
  lot_entries: {
    rows: FEWER_ROWS,
    columns: { ...common, plate_reading_id: 'n', direction: "'out'", is_allowed: '1' },
  },
  sightings: { rows: FEWER_ROWS, columns: common },
  audit_log: { rows: FEWER_ROWS, columns: { ...common, details: "'{}'" } },
  events: { rows: FEWER_ROWS, columns: { ...common, event: "'plate_reading_create'", payload: "'{}'" } },
  webhook_deliveries: {
    rows: FEWER_ROWS,
    columns: {
      ...common,
      webhook_id: `n % ${WEBHOOKS} + 1`,
      journal_id: 'n',
      payload: "'{}'",
      attempts: '1',
      next_attempt_at: began,
      ended_at: openEach(1_000),
    },
  },
  ingest_uids: {
    rows: FEWER_ROWS,
    columns: { uid: "'uid ' || n", gateway_id: `n % ${GATEWAYS} + 1`, created_at: began },
  },
  idempotency_keys: {
    rows: FEWER_ROWS,
    columns: { ...common, caller: "'user ' || n % 100", route: "'POST /v2/members'", key: "'key ' || n" },
  },
  commands: {
    rows: FEWER_ROWS,
    columns: { ...common, event_id: "'command ' || n", product_id: 'n % 40 + 1', ended_at: openEach(1_000) },
  },
  command_attempts: {
    rows: FEWER_ROWS,
    columns: { ...common, event_id: "'command ' || n", gateway_id: `n % ${GATEWAYS} + 1`, ended_at: openEach(1_000) },
  },
};
/** Few, and small. */
const SMALL_TABLES: typeof TABLES = {
  webhooks: { rows: WEBHOOKS, columns: { ...common, events: '\'["plate_reading_create"]\'', has_own_lots: '0' } },
};

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

interface Step {
  node: string;
  table: string;
  /** How many rows were looked at. */
  rows: number;
  condition: string;
}

const ofLots = (lots: number[] | null) => ({ account_id: 1, lot_ids: lots === null ? null : new Set(lots) });
const nobody = new AbortController().signal;

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  let server: PostgresServer;
  let store: CloudStore;
  beforeAll(async () => {
    server = await startPostgres({
      settings: ['shared_buffers=256MB', 'max_wal_size=4GB', 'maintenance_work_mem=128MB'],
    });
    await server.run(`create database ${DATABASE}`);
    store = await createPostgresStore({ url: server.url(DATABASE), clock: systemClock, logger: silentLogger });
    await store.migrate(MIGRATIONS);
    await seedBenchSite(store);
    for (const [table, { rows, columns }] of Object.entries({ ...TABLES, ...SMALL_TABLES }))
      await fill(table, rows, columns);
    await server.run('vacuum analyze', DATABASE);
  }, 600_000);
  afterAll(async () => {
    await store?.close();
    await server?.remove();
  });

  /** Fills a table; a column that is not given gets any value of its type, or none. */
  async function fill(table: string, rows: number, given: Readonly<Record<string, string>>): Promise<void> {
    const columns = (await server.run(
      `select column_name, data_type, is_nullable from information_schema.columns where table_name = '${table}'`,
      DATABASE,
    )) as { column_name: string; data_type: string; is_nullable: string }[];
    const values = columns.map(({ column_name: name, data_type, is_nullable }) => {
      if (name in given) return given[name];
      if (is_nullable === 'YES') return 'null';
      return data_type === 'text' ? `'${name} ' || n` : '1';
    });
    const names = columns.map(({ column_name }) => column_name).join(', ');
    // Without the triggers of foreign keys: the rows that they refer to are not there.
    await server.run(
      `set session_replication_role = replica;
      insert into ${table} (${names}) select ${values.join(', ')} from generate_series(1::bigint, ${rows}) as numbers(n)`,
      DATABASE,
    );
  }

  /** What each query of `work` does with the big tables. */
  const stepsOf = (work: (db: Db) => Promise<unknown>): Promise<Step[][]> =>
    store.report({ account_id: 0, kind: 'sum', signal: nobody }, (db) => stepsIn(db, work));

  /** The same of what writes; it is undone. */
  async function stepsOfChange(work: (db: Db) => Promise<unknown>): Promise<Step[][]> {
    let steps: Step[][] = [];
    const undone = new Error('undone');
    const change = store.change(async (tx) => {
      steps = await stepsIn(tx, work);
      throw undone;
    });
    await expect(change).rejects.toBe(undone);
    return steps;
  }

  async function stepsIn(db: Db, work: (db: Db) => Promise<unknown>): Promise<Step[][]> {
    const nodes: RootOperationNode[] = [];
    const listening: KyselyPlugin = {
      transformQuery({ node }) {
        nodes.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await work(db.withPlugin(listening));
    const steps: Step[][] = [];
    for (const node of nodes) {
      const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'plan' });
      const asked = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(asked);
      steps.push(rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => bigSteps(Plan))));
    }
    return steps;
  }

  function bigSteps(node: PlanNode): Step[] {
    const table = node['Relation Name'] ?? '';
    const looked = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    const step = { node: node['Node Type'], table, rows: looked, condition: node['Index Cond'] ?? '' };
    return [...(table in TABLES ? [step] : []), ...(node.Plans ?? []).flatMap(bigSteps)];
  }

  /** They use indices, and look at no more rows than this in all. */
  function expectFew(steps: readonly Step[], most: number): void {
    const shown = JSON.stringify(steps, null, 1);
    expect(steps.length, shown).toBeGreaterThan(0);
    expect(
      steps.filter(({ node }) => /Seq Scan/.test(node)),
      shown,
    ).toEqual([]);
    expect(
      steps.reduce((sum, { rows }) => sum + rows, 0),
      shown,
    ).toBeLessThanOrEqual(most);
  }

  const NEWEST: Sort = { field: 'id', direction: 'desc' };
  const LISTS: Readonly<Record<string, ListTable<never, never>>> = {
    sessions: SESSION_LIST as never,
    plate_readings: PLATE_READING_LIST as never,
    lot_entries: LOT_ENTRY_LIST as never,
    sightings: SIGHTING_LIST as never,
    audit_log: AUDIT_LOG_LIST as never,
  };
  const CALLERS = [
    ['of one lot', { account_id: 1, lot_ids: new Set([1]) }],
    ['of two lots', { account_id: 1, lot_ids: new Set([1, 2]) }],
    ['of all lots', { account_id: 1, lot_ids: new Set([1, 2, 3, 4]) }],
  ] as const;

  describe.each(CALLERS)('for a caller %s', (_who, caller) => {
    /** How the ids of a page are found. */
    const pageOf = async (name: string, conditions: Condition[], sort = NEWEST): Promise<Step[]> => {
      const request = { caller, conditions, sort, page: 1, size: 10, now: BENCH_NOW_MS };
      const [ids = []] = await stepsOf((db) => readPage(db, LISTS[name] as never, request));
      return ids;
    };
    const within: Condition[] = [
      { field: 'date_from', rule: 'eq', values: [BENCH_NOW_MS - 40 * DAY_MS] },
      { field: 'date_to', rule: 'eq', values: [BENCH_NOW_MS - 40 * DAY_MS + 3_600_000] },
    ];

    it.each(Object.keys(LISTS))('the newest %s', async (name) => {
      expectFew(await pageOf(name, []), PAGE_ROWS_MAX);
    });

    it.each(['sessions', 'plate_readings'])('%s of a plate', async (name) => {
      const steps = await pageOf(name, [{ field: 'plate', rule: 'eq', values: ['ZG42'] }]);
      expectFew(steps, PAGE_ROWS_MAX);
      expect(steps.map(({ condition }) => condition).join()).toContain('plate_normalised');
    });

    it.each(['sessions', 'plate_readings'])('%s of an hour', async (name) => {
      // All of the hour are sorted by id.
      expectFew(await pageOf(name, within), (2 * ROWS) / 365 / 24 + PAGE_ROWS_MAX);
    });

    it.each(['sessions', 'plate_readings'])('%s by their beginning', async (name) => {
      expectFew(await pageOf(name, [], { field: 'created_at', direction: 'desc' }), PAGE_ROWS_MAX);
    });

    const from_ms = BENCH_NOW_MS - 40 * DAY_MS;
    const day = { origin_ms: from_ms, step_ms: 3_600_000, from_ms, to_ms: from_ms + DAY_MS };
    const asked = { caller, conditions: [] };
    const rowsOfDay = ROWS / 365;

    it.each<[string, (db: Db) => Promise<unknown>, number]>([
      ['what plates were last read as', (db) => newestReadings(db, caller, ['ZG1', 'ZG2']), PAGE_ROWS_MAX],
      ['begun sessions of a day', (db) => sumBegunSessions(db, asked, day), 1.5 * rowsOfDay],
      ['ended sessions of a day', (db) => countEndedSessions(db, asked, day), 1.5 * rowsOfDay],
    ])('%s', async (_name, work, most) => {
      expectFew((await stepsOf(work)).flat(), most);
    });
  });

  const now = BENCH_NOW_MS;
  const plateTimes = ['ZG7', 'ZG4711'].map((plate_normalised) => ({
    lot_id: 1,
    plate_normalised,
    at: now - DAY_MS,
  }));
  const idempotencyKey = { caller: 'user 7', route: 'POST /v2/members', key: 'key 500007' };
  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['events after a cursor', (db) => eventsAfter(db, { scope: ofLots(null), cursor: ROWS / 2, limit: 100 })],
    ['events of a lot after a cursor', (db) => eventsAfter(db, { scope: ofLots([1]), cursor: ROWS / 2, limit: 100 })],
    ['events up to one', (db) => eventsBetween(db, { account_id: 1, after: 1_000, upTo: 900_000, limit: 100 })],
    ['webhooks with a delivery due', (db) => webhooksWithDue(db, now)],
    ['lots of webhooks with an attempt under way', (db) => leasedLots(db, now)],
    ['attempts at commands that run', (db) => runningAttempts(db)],
    ['attempts at commands that run at a gateway', (db) => runningAttemptsOf(db, 1)],
    ['how many attempts run at gateways', (db) => runningAttemptCounts(db, [1, 2, 3])],
    ['a command', (db) => findCommand(db, 'command 1000')],
    ['records that came before', (db) => knownUids(db, ['uid 1', 'uid 500000', 'uid of nobody'])],
    ['the answer to an earlier request', (db) => findIdempotencyKey(db, { ...idempotencyKey, since: 0 })],
    [
      'what batches are compared with',
      (db) => loadKnown(db, { uuids: ['uuid 1'], epochs: ['epoch 1'], uids: ['uid 1', 'uid 500000', 'uid of nobody'] }),
    ],
    [
      'sessions that reads may belong to',
      (db) => sessionsOfReads(db, { uids: ['uid 7'], open: plateTimes, around: plateTimes }),
    ],
    ['exits without a session', (db) => exitsWithoutSession(db, plateTimes)],
    ['last entries of plates', (db) => lotEntriesOfExits(db, { reading_ids: [7], plates: plateTimes })],
    ['open sessions of plates', (db) => findOpenSessions(db, { lot_id: 1, plates_normalised: ['ZG1', 'ZG2'] })],
  ])('%s', async (_what, work) => {
    expectFew((await stepsOf(work)).flat(), HOT_ROWS_MAX);
  });

  it.each<[string, (db: Db) => Promise<unknown>]>([
    [
      'deliveries that are due',
      (db) =>
        leaseDueDeliveries(db, {
          target: { id: 1, url: '', secrets_sealed: [] },
          now,
          leaseEndsAt: now + 60_000,
          limit: 10,
          busyLots: [],
        }),
    ],
    [
      'the end of an answer',
      (db) => endIdempotencyKey(db, { ...idempotencyKey, status: 200, response: '', etag: null }),
    ],
    ['answers that are too old', (db) => pruneIdempotencyKeys(db, now - YEAR_MS)],
  ])('%s', async (_what, work) => {
    expectFew((await stepsOfChange(work)).flat(), HOT_ROWS_MAX);
  });

  it('an account without a vehicle does not go through those of others', async () => {
    const page = { sort: 'visits_count', direction: 'desc', limit: 10, offset: 0 } as const;
    const caller = { account_id: 2, lot_ids: new Set([9]) };
    const steps = (await stepsOf((db) => listVehicles(db, { caller, conditions: [] }, page))).flat();
    expectFew(steps, PAGE_ROWS_MAX);
  });
});
