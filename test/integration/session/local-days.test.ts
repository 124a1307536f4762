/** Dates in reports are days of the car park, whatever its clocks do on them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readCsv } from './read-csv.js';
import { sessionRow } from './session-site.js';

const at = (text: string) => Date.parse(text);

/** Just before, at and around the edges of the day on which clocks were put back (25 h), and forward (23 h), in Zagreb. */
const BEGUN = [
  '2025-10-25T21:59:59.999Z',
  '2025-10-25T22:00:00.000Z',
  '2025-10-26T22:59:59.999Z',
  '2025-10-26T23:00:00.000Z',
  '2025-03-29T22:59:59.999Z',
  '2025-03-29T23:00:00.000Z',
  '2025-03-30T21:59:59.999Z',
  '2025-03-30T22:00:00.000Z',
];

let world: RestWorld;
beforeAll(async () => {
  world = await startRestWorld();
  const { site, cloud } = world;
  const rows = BEGUN.map((text, index) =>
    sessionRow(site, { created_at: at(text), plate_normalised: `ZG${index}`, lot_id: site.north }),
  );
  await cloud.store.change(async (tx) => {
    await tx.insertInto('sessions').values(rows).execute();
    const london = { lot_id: site.south, zone_id: site.southZone, tariff_id: site.yen };
    await tx
      .insertInto('sessions')
      .values(sessionRow(site, { created_at: at('2025-10-25T22:30:00Z'), ...london }))
      .execute();
    await tx.updateTable('lots').set({ timezone: 'Europe/London' }).where('id', '=', site.south).execute();
  });
});
afterAll(() => world.cloud.close());

const north = () => `filter=lot_id:eq:${world.site.north}`;
const analytics = (query: string) =>
  world.get<{ timezone: string; totals: { sessions_count: number }; series: { period_start: string }[] }>(
    `/v2/sessions/analytics?${query}`,
  );

it.each([
  ['2025-10-26', '2025-10-25T22:00:00.000Z', 25],
  ['2025-03-30', '2025-03-29T23:00:00.000Z', 23],
])('%s is the whole day', async (date, begins, hours) => {
  const asParameters = `${north()}&date_from=${date}&date_to=${date}`;
  const asFilters = `${north()}&filter=date_from:eq:${date}&filter=date_to:eq:${date}`;
  for (const query of [asParameters, asFilters]) {
    const day = await analytics(query);
    expect(day.totals.sessions_count).toBe(2);
    expect(day.series.map(({ period_start }) => period_start)).toEqual([begins]);
    expect((await analytics(`${query}&group_by=hour`)).series).toHaveLength(hours);
  }
});

it('a day is that of the lots asked for, of UTC when they have several', async () => {
  const date = 'date_from=2025-10-25&date_to=2025-10-25';
  expect(await analytics(`${date}&${north()}`)).toMatchObject({
    timezone: 'Europe/Zagreb',
    totals: { sessions_count: 1 },
  });
  const south = `filter=lot_id:eq:${world.site.south}`;
  expect(await analytics(`${date}&${south}`)).toMatchObject({
    timezone: 'Europe/London',
    totals: { sessions_count: 1 },
  });
  expect(await analytics(date)).toMatchObject({ timezone: 'UTC', totals: { sessions_count: 3 } });
});

it('datetimes mean what they say', async () => {
  const exact = 'date_from=2025-10-26T22:59:59.999Z&date_to=2025-10-27T00:00:00%2B01:00';
  expect(await analytics(`${exact}&${north()}`)).toMatchObject({ totals: { sessions_count: 2 } });
});

const file = async (path: string) => {
  const response = await fetchChecked(`${world.cloud.base}/v2/sessions/${path}`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
};

it('vehicle analytics and exports have the same days', async () => {
  const query = `${north()}&filter=date_from:eq:2025-10-26&filter=date_to:eq:2025-10-26`;
  const plates = await world.get<{ plate: string }[]>(`/v2/sessions/vehicle-analytics?${query}&sort=plate:asc`);
  expect(plates.map(({ plate }) => plate)).toEqual(['ZG1', 'ZG2']);
  const vehicles = readCsv((await file(`vehicle-analytics/export?${query}`)).bytes.toString());
  expect(vehicles.map(({ plate }) => plate)).toEqual(['ZG1', 'ZG2']);
  const sessions = readCsv((await file(`export?${query}`)).bytes.toString());
  expect(sessions.map(({ created_at }) => created_at)).toEqual([BEGUN[2], BEGUN[1]]);
});

it.each(['export', 'vehicle-analytics/export'])(
  '%s begins with a byte order mark when Excel is to read it',
  async (path) => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);
    const plain = (await file(path)).bytes;
    expect(plain.subarray(0, 3)).not.toEqual(mark);
    for (const flag of ['0', 'false']) expect((await file(`${path}?bom=${flag}`)).bytes).toEqual(plain);
    for (const flag of ['1', 'true']) {
      expect((await file(`${path}?bom=${flag}`)).bytes).toEqual(Buffer.concat([mark, plain]));
    }
    expect(await world.refused('GET', `/v2/sessions/${path}?bom=yes`)).toEqual([422, '23 bom']);
  },
);

it('keeps plates texts when a spreadsheet is to read them', async () => {
  const { zone } = world.site;
  const plates = ['0012', '12E5', 'ZG1234AB'];
  for (const plate of plates) await world.post('/v2/sessions', { zone_id: zone, entry_license_plate: plate });
  for (const [path, column] of [
    ['export', 'entry_license_plate'],
    ['vehicle-analytics/export', 'plate'],
  ] as const) {
    const platesOf = async (query: string) =>
      readCsv((await file(`${path}${query}`)).bytes.toString()).map((line) => line[column]);
    const plain = await platesOf('');
    expect(plain).toEqual(expect.arrayContaining(plates));
    expect(await platesOf('?text=0')).toEqual(plain);
    expect(await platesOf('?text=1')).toEqual(
      plain.map((plate) => (plate === '0012' || plate === '12E5' ? `="${plate}"` : plate)),
    );
    expect(await world.refused('GET', `/v2/sessions/${path}?text=yes`)).toEqual([422, '23 text']);
  }
});
