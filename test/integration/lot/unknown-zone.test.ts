/** A time zone that the tables of this machine do not have: its lots count in UTC, and say so. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

/** What `America/Coyhaique` is to a Node.js that is older than it. */
const UNKNOWN = 'Mars/Base';

let world: RestWorld;
let zone: number;
beforeAll(async () => {
  world = await startRestWorld();
  const { site, cloud } = world;
  await cloud.store.change(async (tx) => {
    await tx.updateTable('lots').set({ timezone: UNKNOWN }).where('id', '=', site.south).execute();
  });
  zone = site.southZone;
});
afterAll(() => world.cloud.close());

it('is counted as UTC, and answers say so', async () => {
  const { site, cloud } = world;
  const price = { name: 'Euro', currency: 'EUR', price: 2 };
  const nights = { ...price, windows: [{ start: '22:00', end: '06:00', price: 1 }] };
  const tariff = await world.post<{ id: number }>('/v2/tariffs', nights);
  const night = 'start=2026-03-02T23:00:00Z&end=2026-03-03T01:00:00Z';
  const answers = [
    await world.get(`/v2/tariffs/${tariff.id}/quote?zone_id=${zone}&${night}`),
    await world.get(`/v2/sessions/analytics?filter=lot_id:eq:${site.south}`),
    await world.get(`/v2/zones/${zone}/occupancy`),
  ];
  expect(answers.map(({ timezone }) => timezone)).toEqual(['UTC', 'UTC', 'UTC']);
  expect(answers[0]).toMatchObject({ amount: 2, duration: 7_200 });
  expect(await world.get(`/v2/lots/${site.south}`)).toMatchObject({ timezone: UNKNOWN });
  const begun = {
    zone_id: zone,
    entry_license_plate: 'ZG1',
    created_at: new Date(cloud.clock.now() - 9e6).toISOString(),
  };
  const session = await world.post<{ id: number }>('/v2/sessions', begun);
  expect(await world.get(`/v2/sessions/${session.id}`)).toMatchObject({ lot_id: site.south });
});

it('is named by health, and once it is known no longer', async () => {
  const { site, cloud } = world;
  const ready = async () => (await cloud.ask('GET', '/readyz', {})).body as unknown;
  const gateway = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: site.south });
  const health = () => world.get(`/v2/gateways/${gateway.id}/health`);
  expect(await health()).toMatchObject({ unknown_timezones: [UNKNOWN] });
  expect(JSON.stringify(await ready())).toContain(`"unknown_timezones":["${UNKNOWN}"]`);
  await world.patch(`/v2/lots/${site.south}`, { timezone: 'europe/LONDON' });
  expect(await health()).toMatchObject({ unknown_timezones: [] });
  expect(JSON.stringify(await ready())).not.toContain('unknown_timezones');
});

it('is kept as the IANA database writes it, links as such', async () => {
  const zoneKept = async (timezone: string) =>
    (await world.patch<{ timezone: string }>(`/v2/lots/${world.site.south}`, { timezone })).timezone;
  expect(await zoneKept('europe/zagreb')).toBe('Europe/Zagreb');
  expect(await zoneKept('Asia/Kolkata')).toBe('Asia/Kolkata');
  expect(await zoneKept('asia/calcutta')).toBe('Asia/Calcutta');
  expect(await zoneKept('america/coyhaique')).toBe('America/Coyhaique');
  const lot = `/v2/lots/${world.site.south}`;
  for (const timezone of ['PST', '+01:00', 'Factory', 'Europe/Zagreb ', ''])
    expect(await world.refused('PATCH', lot, { timezone })).toEqual([422, '23 timezone']);
});
