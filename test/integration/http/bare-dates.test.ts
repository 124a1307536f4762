/** Bare dates of every filter and query are whole days of the lot, also when its clocks change (REST contract, "Lists"). */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchDocument, type OpenApiDocument } from '../../contract/openapi-document.js';
import { readCsv } from '../session/read-csv.js';
import { sessionRow } from '../session/session-site.js';
import type { AskOptions } from './http-world.js';
import { createEverything, type Things, sendAs, servedIn } from './rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';

/** The days on which clocks are put forward and back in Zagreb, by UTC. */
const DAYS = [
  { date: '2026-03-29', from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z', seconds: 82_800 },
  { date: '2026-10-25', from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z', seconds: 90_000 },
] as const;
const DATED = ['date_from', 'date_to', 'from', 'to', 'start', 'end', 'at'];
/** What no lot is concerned in: their days are those of UTC. */
const ACCOUNT_WIDE =
  /^\/v2\/(account-users|api-tokens|tariffs|members|groups|member-imports(\/\{id\}\/lines)?|webhooks(\/\{id\}\/deliveries)?)$/;

let world: RestWorld;
let document: OpenApiDocument;
let things: Things;
let lists: string[];
beforeAll(async () => {
  world = await startRestWorld();
  const { cloud } = world;
  await cloud.store.change(
    async (tx) => void (await tx.updateTable('lots').set({ timezone: 'Europe/Zagreb' }).execute()),
  );
  document = await fetchDocument(cloud.base);
  things = await createEverything(sendAs(cloud, OWNER_TOKEN), servedIn(document.paths));
  lists = parametersOf('filter')
    .filter(({ operation }) => JSON.stringify(operation).includes('date_from'))
    .map(({ path }) => path)
    .filter((path) => !path.endsWith('/export'));
});
afterAll(() => world.cloud.close());

const parametersOf = (name: string) =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    operations.get?.parameters?.some((each) => each.name === name && each.in === 'query')
      ? [{ path, operation: operations.get }]
      : [],
  );

const ask = async (path: string, options: AskOptions = {}) => {
  const own = things.get(path.split('/{', 1)[0] ?? '') ?? world.site.zone;
  const { status, body } = await world.cloud.ask('GET', path.replaceAll(/\{\w+\}/g, String(own)), {
    token: OWNER_TOKEN,
    ...options,
  });
  return {
    status,
    body: body as { meta?: { total: number }; timezone?: string; data?: unknown; errors?: { field: string }[] },
  };
};

/** Moves everything that lists date to a moment. */
async function moveEverything(at: number): Promise<void> {
  const { store } = world.cloud;
  const tables = await store.change((tx) => tx.introspection.getTables());
  await store.change(async (tx) => {
    for (const { name, columns } of tables) {
      // Nobody changes the audit log, and the caller's own token has to last.
      if (name.startsWith('deleted_') || ['user_tokens', 'audit_log'].includes(name)) continue;
      for (const column of ['created_at', 'start_time'])
        if (columns.some((each) => each.name === column && !each.isNullable))
          await sql`update ${sql.table(name)} set ${sql.ref(column)} = ${at}`.execute(tx);
    }
  });
}

describe.each(DAYS)('$date', ({ date, from, to, seconds }) => {
  const span = { begin: Date.parse(from), end: Date.parse(to) };
  const utc = { begin: Date.parse(`${date}T00:00:00Z`), end: Date.parse(`${date}T00:00:00Z`) + 86_400_000 };
  const wholeDay = `filter=date_from:eq:${date}&filter=date_to:eq:${date}`;

  it.each([span.begin - 1, span.begin, span.end - 1, span.end, utc.begin, utc.end - 1])(
    'holds in every list what was in it (%d)',
    async (at) => {
      await moveEverything(at);
      const wrong: string[] = [];
      let filled = 0;
      for (const path of lists) {
        const all = await ask(path);
        const found = await ask(`${path}?${wholeDay}`);
        const zone = ACCOUNT_WIDE.test(path) ? 'UTC' : 'Europe/Zagreb';
        const day = zone === 'UTC' ? utc : span;
        const total =
          all.body.meta?.total ??
          (all.body.data as { totals?: { sessions_count: number } } | undefined)?.totals?.sessions_count ??
          0;
        if (/\/(analytics|counts)$/.test(path) || path === '/v2/audit-log') continue;
        if (total > 0) filled += 1;
        const expected = { status: 200, timezone: zone, total: at >= day.begin && at < day.end ? total : 0 };
        const shown = { status: found.status, timezone: found.body.timezone, total: found.body.meta?.total };
        if (JSON.stringify(shown) !== JSON.stringify(expected))
          wrong.push(`${path}: ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`);
        if (all.body.timezone !== undefined) wrong.push(`${path} has a timezone without a date`);
      }
      expect(wrong).toEqual([]);
      expect(filled).toBeGreaterThan(20);
    },
  );

  it('is the same stays in the list, its file, the sums and the vehicles', async () => {
    const { site, cloud } = world;
    const times = [span.begin - 1, span.begin, span.end - 1, span.end];
    const rows = times.map((created_at, index) =>
      sessionRow(site, { created_at, plate_normalised: `ZG${date.slice(5, 7)}${index}`, lot_id: site.north }),
    );
    await moveEverything(1);
    await cloud.store.change(async (tx) => void (await tx.insertInto('sessions').values(rows).execute()));
    const listed = await ask(`/v2/sessions?${wholeDay}`);
    const ids = (listed.body.data as { id: number }[]).map(({ id }) => id).toSorted();
    expect(ids).toHaveLength(2);
    const file = await fetch(`${cloud.base}/v2/sessions/export?${wholeDay}`, {
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
    });
    expect(
      readCsv(await file.text())
        .map(({ id }) => Number(id))
        .toSorted(),
    ).toEqual(ids);
    const sums = await ask(`/v2/sessions/analytics?date_from=${date}&date_to=${date}&group_by=hour`);
    expect(sums.body).toMatchObject({ timezone: 'Europe/Zagreb', data: { totals: { sessions_count: 2 } } });
    expect((sums.body.data as { series: unknown[] }).series).toHaveLength(seconds / 3_600);
    expect((await ask(`/v2/sessions/vehicle-analytics?${wholeDay}`)).body.meta?.total).toBe(2);
  });

  it('is as long as it is in a quote, and bounds histories', async () => {
    const { site, cloud } = world;
    const tariff = `/v2/tariffs/${site.tariff}/quote?zone_id=${site.zone}`;
    const quote = await ask(`${tariff}&start=${date}&end=${date}`);
    expect(quote.body).toMatchObject({ timezone: 'Europe/Zagreb', data: { duration: seconds } });
    cloud.clock.jumpWall(Math.max(0, span.end + 86_400_000 - cloud.clock.now()));
    const hours = await ask(`/v2/zones/${site.zone}/occupancy?from=${date}&to=${date}`);
    const { series } = hours.body.data as { series: { period_start: string }[] };
    expect([hours.body.timezone, series.length, series[0]?.period_start]).toEqual([
      'Europe/Zagreb',
      seconds / 3_600,
      from,
    ]);
    const days = await ask(`/v2/zones/${site.zone}/occupancy?from=${date}&to=${date}&step=day`);
    expect((days.body.data as { series: unknown[] }).series).toHaveLength(1);
    expect((await ask(`${tariff}&start=${from}&end=${to}`)).body).not.toHaveProperty('timezone');
  });

  it('is a range of its own in the rules of a time', async () => {
    const { store } = world.cloud;
    const moved = async (at: number) =>
      store.change(async (tx) => void (await tx.updateTable('sessions').set({ updated_at: at }).execute()));
    const isFound = async (rule: string) =>
      ((await ask(`/v2/sessions?filter=updated_at:${rule}:${date}`)).body.meta?.total ?? 0) > 0;
    const rules = ['lt', 'lte', 'eq', 'in', 'gte', 'gt', 'neq', 'nin'];
    for (const [at, holds] of [
      [span.begin - 1, ['lt', 'lte', 'neq', 'nin']],
      [span.begin, ['lte', 'eq', 'in', 'gte']],
      [span.end - 1, ['lte', 'eq', 'in', 'gte']],
      [span.end, ['gte', 'gt', 'neq', 'nin']],
    ] as const) {
      await moved(at);
      const found = await Promise.all(rules.map(async (rule) => ((await isFound(rule)) ? [rule] : [])));
      expect(found.flat().toSorted()).toEqual([...holds].toSorted());
    }
  });
});

it('a time without an offset is refused wherever a time may stand', async () => {
  const bare = '2026-10-25T02:30:00';
  for (const path of [...lists, '/v2/sessions/export', '/v2/sessions/vehicle-analytics/export'])
    for (const field of ['date_from', 'date_to', 'updated_at'])
      expect([path, (await ask(`${path}?filter=${field}:eq:${bare}`)).status]).toEqual([path, 422]);
  const asked = DATED.flatMap((name) => parametersOf(name).map(({ path }) => `${path} ${name}`));
  expect(asked.toSorted()).toEqual([
    '/v2/lots/{id}/would-admit at',
    '/v2/openings/counts from',
    '/v2/openings/counts to',
    '/v2/parking-places/{id}/occupancy from',
    '/v2/parking-places/{id}/occupancy to',
    '/v2/products/{id}/signal from',
    '/v2/products/{id}/signal to',
    '/v2/sessions/analytics date_from',
    '/v2/sessions/analytics date_to',
    '/v2/tariffs/{id}/quote end',
    '/v2/tariffs/{id}/quote start',
    '/v2/zones/{id}/occupancy from',
    '/v2/zones/{id}/occupancy to',
  ]);
  for (const each of asked) {
    const [path = '', name = ''] = each.split(' ');
    const { status, body } = await ask(`${path}?${name}=${bare}`);
    expect([each, status, body.errors?.map(({ field }) => field).includes(name)]).toEqual([each, 422, true]);
  }
});

it('a day is one of UTC as soon as lots of two zones are asked about', async () => {
  const { site, cloud } = world;
  await cloud.store.change(
    async (tx) =>
      void (await tx.updateTable('lots').set({ timezone: 'Europe/London' }).where('id', '=', site.south).execute()),
  );
  const day = 'filter=date_from:eq:2026-10-25';
  const zoneOf = async (query: string) => (await ask(`/v2/sessions?${query}`)).body.timezone;
  expect(await zoneOf(day)).toBe('UTC');
  expect(await zoneOf(`${day}&filter=lot_id:eq:${site.south}`)).toBe('Europe/London');
  expect(await zoneOf(`${day}&filter=zone_id:eq:${site.zone}`)).toBe('Europe/Zagreb');
  expect(await zoneOf(`filter=date_from:eq:2026-10-25T00:00:00Z`)).toBeUndefined();
});
