/** Lists and sums of one lot over years: what they are asked for comes from an index, for a caller of one lot as for one of several. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_LOG_LIST } from '../../../cloud/rest/audit-log/audit-log-routes.js';
import { type ListTable, readPage } from '../../../cloud/rest/list/list-table.js';
import type { Condition, Sort } from '../../../cloud/rest/list/filter-parser.js';
import { LOT_ENTRY_LIST } from '../../../cloud/traffic/lot-entry/lot-entry-routes.js';
import { PLATE_READING_LIST } from '../../../cloud/traffic/reading/plate-reading-list.js';
import { SIGHTING_LIST } from '../../../cloud/traffic/reading/sighting-routes.js';
import {
  countEndedSessions,
  listVehicles,
  newestReadings,
  sumBegunSessions,
} from '../../../cloud/traffic/session/session-analytics-queries.js';
import { SESSION_LIST } from '../../../cloud/traffic/session/session-list.js';
import { OPENING_LIST } from '../../../cloud/traffic/opening/opening-list.js';
import type { Db } from '../../../cloud/kernel/store/cloud-store.js';
import { WEBHOOK_DELIVERY_LIST } from '../../../cloud/doors/webhook/webhook-lists.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { plansOf } from './query-plans.js';
import { onPostgres } from '../../world/postgres-databases.js';

let cloud: CloudWorld;
beforeAll(async () => {
  cloud = await startCloudWorld();
});
afterAll(() => cloud.close());

/** Accounts have one lot or several: the planner takes one for an equality. */
const CALLERS = [
  ['of one lot', { account_id: 1, lot_ids: new Set([1]) }],
  ['of two lots', { account_id: 1, lot_ids: new Set([1, 2]) }],
] as const;

const NEWEST: Sort = { field: 'id', direction: 'desc' };
const LISTS: Readonly<Record<string, ListTable<never, never>>> = {
  sessions: SESSION_LIST as never,
  plate_readings: PLATE_READING_LIST as never,
  lot_entries: LOT_ENTRY_LIST as never,
  sightings: SIGHTING_LIST as never,
  audit_log: AUDIT_LOG_LIST as never,
  openings: OPENING_LIST as never,
};

describe.skipIf(onPostgres()).each(CALLERS)('for a caller %s', (_who, caller) => {
  /** How the ids of a page are found. */
  const planOf = async (name: string, conditions: Condition[], sort = NEWEST): Promise<string[]> => {
    const request = { caller, conditions, sort, page: 1, size: 10, now: cloud.clock.now() };
    const [ids = []] = await plansOf(cloud.store, (db) => readPage(db, LISTS[name] as never, request));
    return ids;
  };

  it.each(Object.keys(LISTS))('the newest %s come in the order of an index', async (name) => {
    expect(await planOf(name, [])).toEqual([expect.stringMatching(new RegExp(`^SEARCH ${name} USING `))]);
  });

  it.each(['sessions', 'plate_readings'])('%s of a plate are looked for by the plate', async (name) => {
    const [step] = await planOf(name, [{ field: 'plate', rule: 'eq', values: ['ZG1'] }]);
    expect(step).toMatch(/\(account_id=\? AND plate_normalised=\?\)$/);
  });

  it.each(Object.keys(LISTS))('%s of a time are looked for by the time', async (name) => {
    const between: Condition[] = [
      { field: 'date_from', rule: 'eq', values: [1] },
      { field: 'date_to', rule: 'eq', values: [2] },
    ];
    const [step] = await planOf(name, between);
    expect(step).toMatch(/(created_at|at)>\? AND (created_at|at)<\?\)$/);
  });

  it('plate_readings of a pattern are looked for among those that begin alike', async () => {
    const [step] = await planOf('plate_readings', [{ field: 'plate', rule: 'match', values: ['ZG?1*'] }]);
    expect(step).toMatch(/plate_normalised>\? AND plate_normalised<\?\)$/);
  });

  it.each(['sessions', 'plate_readings'])('%s by their beginning come in the order of an index', async (name) => {
    const plan = await planOf(name, [], { field: 'created_at', direction: 'desc' });
    expect(plan).toEqual([expect.stringContaining('created_at')]);
  });

  const page = { sort: 'visits_count', direction: 'desc', limit: 10, offset: 0 } as const;
  const buckets = { origin_ms: 0, step_ms: 3_600_000, from_ms: 1, to_ms: 2 };
  const asked = { caller, conditions: [] };

  it.each<[string, (db: Db) => Promise<unknown>, RegExp]>([
    ['what plates were last read as', (db) => newestReadings(db, caller, ['ZG1', 'ZG2']), /plate_normalised=\?\)$/],
    ['begun sessions', (db) => sumBegunSessions(db, asked, buckets), /created_at>\? AND created_at<\?\)$/],
    ['ended sessions', (db) => countEndedSessions(db, asked, buckets), /ended_at>\? AND ended_at<\?\)$/],
    ['visits of vehicles', (db) => listVehicles(db, asked, page), /COVERING INDEX sessions_vehicles \(account_id=/],
  ])('%s: the sum reads no more than it needs', async (_name, work, expected) => {
    const steps = (await plansOf(cloud.store, work)).flat();
    const searches = steps.filter((step) => /^(SEARCH|SCAN) (sessions|reading) /.test(step));
    expect(searches.length).toBeGreaterThan(0);
    for (const step of searches) expect(step).toMatch(expected);
  });
});

it('the deliveries of a webhook come in the order of an index', async () => {
  const conditions: Condition[] = [{ field: 'webhook_id', rule: 'eq', values: [1] }];
  const caller = { account_id: 1, lot_ids: new Set([1]) };
  const request = { caller, conditions, sort: NEWEST, page: 1, size: 10, now: cloud.clock.now() };
  const [ids = []] = await plansOf(cloud.store, (db) => readPage(db, WEBHOOK_DELIVERY_LIST, request));
  expect(ids).not.toContainEqual(expect.stringContaining('TEMP B-TREE'));
});
