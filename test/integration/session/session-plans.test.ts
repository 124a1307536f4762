/** What is asked for every vehicle and every page goes by an index, whatever the tables hold. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseFilter } from '../../../cloud/rest/list/filter-parser.js';
import { AUDIT_LOG_LIST } from '../../../cloud/rest/audit-log/audit-log-routes.js';
import { type ListTable, readPage } from '../../../cloud/rest/list/list-table.js';
import { LOT_ENTRY_LIST } from '../../../cloud/traffic/lot-entry/lot-entry-routes.js';
import { PLATE_READING_LIST } from '../../../cloud/traffic/reading/plate-reading-list.js';
import { exitsWithoutSession, lotEntriesOfExits } from '../../../cloud/traffic/lot-entry/lot-entry-queries.js';
import {
  countOpenSessions,
  newestReadings,
  readVehiclePieces,
} from '../../../cloud/traffic/session/session-analytics-queries.js';
import { readingsOfSession } from '../../../cloud/traffic/session/session-detail-queries.js';
import { readSessionPieces } from '../../../cloud/traffic/session/session-export-queries.js';
import { SESSION_LIST } from '../../../cloud/traffic/session/session-list.js';
import { findOpenSessions, sessionsOfReads } from '../../../cloud/traffic/session/session-queries.js';
import type { Db } from '../../../cloud/kernel/store/cloud-store.js';
import { countsOfLot } from '../../../cloud/site/zone/occupancy-queries.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { plansOf as queryPlansOf } from '../list/query-plans.js';
import { endedAt, seedSessionSite, sessionRow, type SessionSite } from './session-site.js';

let cloud: CloudWorld;
let site: SessionSite;

beforeAll(async () => {
  cloud = await startCloudWorld();
  site = await seedSessionSite(cloud);
  const created_at = cloud.clock.now() - 3_600_000;
  await cloud.store.change(async (tx) => {
    await tx
      .insertInto('sessions')
      .values([sessionRow(site, { created_at }), sessionRow(site, { created_at, ...endedAt(created_at + 1) })])
      .execute();
  });
});
afterAll(() => cloud.close());

const plansOf = (work: (db: Db) => Promise<unknown>) => queryPlansOf(cloud.store, work);

const caller = () => ({ account_id: site.harbour, lot_ids: new Set([site.north, site.south]) });
const plates = () => ['ZG1', 'ZG2'].map((plate_normalised) => ({ lot_id: site.north, plate_normalised, at: 1 }));
const wantedSessions = () => ({ uids: ['x', 'y'], open: plates(), around: plates() });
const page = (...filters: string[]) => {
  const kinds = Object.fromEntries(Object.entries(SESSION_LIST.filters).map(([name, { kind }]) => [name, kind]));
  const conditions = filters.map((filter) => {
    const result = parseFilter(filter, kinds);
    if ('problem' in result) throw new Error(result.problem);
    return result.parsed;
  });
  const sort = { field: 'id', direction: 'desc' } as const;
  return { caller: caller(), conditions, sort, page: 2, size: 10, now: cloud.clock.now() };
};
const sortedBy = (field: string, ...filters: string[]) => ({
  ...page(...filters),
  sort: { field, direction: 'desc' as const },
});
const drained = async (pieces: AsyncIterable<unknown>) => {
  for await (const piece of pieces) expect(piece).toBeDefined();
};

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['open sessions of plates', (db) => findOpenSessions(db, { lot_id: site.north, plates_normalised: ['ZG1', 'ZG2'] })],
  ['sessions that reads may belong to', (db) => sessionsOfReads(db, wantedSessions())],
  ['last entries of plates', (db) => lotEntriesOfExits(db, { reading_ids: [1], plates: plates() })],
  ['exits without a session', (db) => exitsWithoutSession(db, plates())],
  ['how full zones are', (db) => countsOfLot(db, { lot_id: site.north, now: cloud.clock.now() })],
  ['sessions open at a time', (db) => countOpenSessions(db, page(), cloud.clock.now())],
  ['newest readings of plates', (db) => newestReadings(db, caller(), ['ZG1', 'ZG2'])],
  [
    'the readings of a session',
    async (db) => {
      await readingsOfSession(
        db,
        await cloud.store.reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow(),
      );
    },
  ],
  ['a page', (db) => readPage(db, SESSION_LIST, page())],
  ['a page of open ones', (db) => readPage(db, SESSION_LIST, page('status:eq:open'))],
  ['a page of a plate', (db) => readPage(db, SESSION_LIST, page('plate:eq:ZG1'))],
  [
    'a page of a time',
    (db) => readPage(db, SESSION_LIST, page('date_from:eq:2026-01-01T00:00:00Z', 'date_to:eq:2026-01-31T00:00:00Z')),
  ],
  ['the pieces of an export', (db) => drained(readSessionPieces((work) => work(db), page(), 1))],
  ['the pieces of vehicles', (db) => drained(readVehiclePieces((work) => work(db), page(), 1))],
])('%s: no table is read from end to end', async (_name, work) => {
  const steps = (await plansOf(work)).flat();
  const wholeTable =
    /^SCAN (sessions|named|standing|beside|next|last|plate_readings|reading|candidate|lot_entries|entry|exit)\b/;
  expect(steps.filter((step) => wholeTable.test(step))).toEqual([]);
});

it.each<[string, (db: Db) => Promise<unknown>, string[]]>([
  [
    'open sessions',
    (db) => findOpenSessions(db, { lot_id: site.north, plates_normalised: ['ZG1', 'ZG2'] }),
    ['sessions'],
  ],
  ['sessions that reads may belong to', (db) => sessionsOfReads(db, wantedSessions()), ['standing', 'last', 'next']],
  ['exits without a session', (db) => exitsWithoutSession(db, plates()), ['candidate']],
])('%s of plates: are looked for by the plate, not through the whole lot', async (_name, work, tables) => {
  const steps = (await plansOf(work)).flat();
  for (const table of tables) {
    expect(steps.filter((step) => step.startsWith(`SEARCH ${table} `))).toEqual([
      expect.stringMatching(/\(lot_id=\? AND plate_normalised=\?/),
    ]);
  }
});

it.each<[string, (db: Db) => Promise<unknown>, string]>([
  ['the newest', (db) => readPage(db, SESSION_LIST, page()), 'id'],
  ['those of a lot', (db) => readPage(db, SESSION_LIST, page(`lot_id:neq:${site.south}`)), 'id'],
  ['by their beginning', (db) => readPage(db, SESSION_LIST, sortedBy('created_at')), 'created_at'],
  [
    'of a time',
    (db) => readPage(db, SESSION_LIST, sortedBy('created_at', 'date_from:eq:2026-01-01T00:00:00Z')),
    'created_at',
  ],
  ['by their end', (db) => readPage(db, SESSION_LIST, sortedBy('ended_at')), 'ended_at'],
  ['open ones', (db) => readPage(db, SESSION_LIST, sortedBy('created_at', 'status:eq:open')), 'created_at_open'],
  ['the plates of vehicles', (db) => drained(readVehiclePieces((work) => work(db), page(), 1)), 'vehicles'],
])('%s: come from an index that has their order', async (_name, work, index) => {
  const plan = (await plansOf(work)).find((steps) => steps.some((step) => step.includes(' sessions USING ')));
  // That one step: no sorting follows.
  const covering = index === 'vehicles' ? 'COVERING INDEX sessions_vehicles' : `INDEX sessions_account_id_${index}`;
  expect(plan).toEqual([expect.stringContaining(`SEARCH sessions USING ${covering} (`)]);
});

it.each([
  ['sessions', SESSION_LIST],
  ['plate_readings', PLATE_READING_LIST],
  ['lot_entries', LOT_ENTRY_LIST],
  ['audit_log', AUDIT_LOG_LIST],
] as const)('%s that were changed since a time come from an index that has their order', async (name, list) => {
  const since = { field: 'updated_at', rule: 'gt', values: [1] } as const;
  const sort = { field: 'updated_at', direction: 'asc' } as const;
  const plans = await plansOf((db) =>
    readPage(db, list as ListTable<{ id: number }>, { ...page(), conditions: [since], sort }),
  );
  const column = name === 'audit_log' ? 'created_at' : 'updated_at';
  const expected = new RegExp(
    `^SEARCH ${name} USING (COVERING )?INDEX ${name}_account_id_${column} \\(account_id=\\? AND ${column}>\\?\\)$`,
  );
  expect(plans[0]).toEqual([expect.stringMatching(expected)]);
});
