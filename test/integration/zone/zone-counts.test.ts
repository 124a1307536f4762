/** How full zones are over REST: both counts, recounts by people, drift, and what they were like before. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteCountChange } from '../../../cloud/occupancy/occupancy-history-queries.js';
import { startDriftWatch } from '../../../cloud/zone/drift-watch.js';
import { silentLogger } from '../../../shared/logger.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

interface Zone {
  id: number;
  occupied_count: number;
  counts: { sensors: number | null; sessions: number; drift_since: string | null };
}
interface History {
  timezone: string;
  spot_count: number;
  series: { period_start: string; min_occupied: number; mean_occupied: number; max_occupied: number }[];
}

const HOUR_MS = 3_600_000;

let world: RestWorld;
let made = 0;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world?.cloud.close());

const zoneOf = (changed: object = {}) =>
  world.post<Zone>('/v2/zones', { lot_id: world.site.north, name: `Z${made++}`, spot_count: 10, ...changed });
const zone = (id: number) => world.get<Zone>(`/v2/zones/${id}`);
const enter = (zone_id: number) =>
  world.post<{ id: number }>('/v2/sessions', { zone_id, entry_license_plate: `ZG ${made++} X` });
const recount = (id: number, occupied_count: number) =>
  world.post<Zone>(`/v2/zones/${id}/recount`, { occupied_count, reason: 'Walked through' });

/** Gives the zone places with sensors, the first of them occupied. */
async function addSensors(zone_id: number, { places, occupied }: { places: number; occupied: number }) {
  const guidance = await world.post<{ id: number }>('/v2/parking-gateways', {
    lot_id: world.site.north,
    name: `G${made++}`,
    driver: 'http',
  });
  const ids: number[] = [];
  for (let index = 0; index < places; index++) {
    const { id } = await world.post<{ id: number }>('/v2/parking-places', {
      zone_id,
      name: `P${made++}`,
      parking_gateway_id: guidance.id,
      sensor: `s${index}`,
    });
    ids.push(id);
  }
  await setOccupied(ids, occupied);
  return ids;
}

const setOccupied = (ids: number[], occupied: number) =>
  world.cloud.store.change(async (tx) => {
    for (const [index, id] of ids.entries()) {
      const occupancy_status = index < occupied ? 'occupied' : 'free';
      await tx.updateTable('parking_places').set({ occupancy_status }).where('id', '=', id).execute();
    }
  });

describe('the counts of a zone', () => {
  it('are those of sensors and of sessions, and the sensors’ is shown where there is one', async () => {
    const { id } = await zoneOf();
    await enter(id);
    await enter(id);
    expect(await zone(id)).toMatchObject({
      occupied_count: 2,
      counts: { sensors: null, sessions: 2, drift_since: null },
    });
    await addSensors(id, { places: 3, occupied: 1 });
    expect(await zone(id)).toMatchObject({ occupied_count: 1, counts: { sensors: 1, sessions: 2 } });
  });

  it('drift when they differ by more than a tenth for an hour', async () => {
    const { clock, store } = world.cloud;
    const watch = startDriftWatch({ store, clock, logger: silentLogger });
    const { id } = await zoneOf();
    const places = await addSensors(id, { places: 3, occupied: 3 });
    await enter(id);
    const noted = async () =>
      (await store.reader.selectFrom('zone_drifts').selectAll().where('zone_id', '=', id).execute()).length;
    const untilNoted = async (count: number) => {
      await clock.advance(60_000);
      await expect.poll(noted).toBe(count);
    };
    await untilNoted(1);
    const since = new Date(clock.now()).toISOString();
    expect((await zone(id)).counts.drift_since).toBeNull();
    await clock.advance(HOUR_MS);
    expect((await zone(id)).counts).toEqual({ sensors: 3, sessions: 1, drift_since: since });
    await setOccupied(places, 2);
    await untilNoted(0);
    expect((await zone(id)).counts.drift_since).toBeNull();
    await watch.close();
  });
});

describe('a recount', () => {
  it('corrects the sessions’ count, which goes on from there', async () => {
    const { id } = await zoneOf();
    await enter(id);
    await world.cloud.clock.advance(1_000);
    const second = await enter(id);
    await world.cloud.clock.advance(1_000);
    world.told();
    expect(await recount(id, 5)).toMatchObject({ id, occupied_count: 5, counts: { sensors: null, sessions: 5 } });
    expect(world.told()).toEqual([world.site.north]);
    await world.post(`/v2/sessions/${second.id}/close`, {});
    await enter(id);
    await enter(id);
    expect((await zone(id)).occupied_count).toBe(6);
    // The oldest of them are taken to be gone.
    await world.cloud.clock.advance(1_000);
    expect((await recount(id, 1)).occupied_count).toBe(1);
    await enter(id);
    expect((await zone(id)).occupied_count).toBe(2);
    expect((await recount(id, 0)).occupied_count).toBe(0);
  });

  it('leaves what sensors say alone', async () => {
    const { id } = await zoneOf();
    await addSensors(id, { places: 2, occupied: 2 });
    expect(await recount(id, 7)).toMatchObject({ occupied_count: 2, counts: { sensors: 2, sessions: 7 } });
  });

  it('counts vehicles without a session no longer than those with one', async () => {
    const { id } = await zoneOf({ occupancy_max_hours: 2 });
    await recount(id, 3);
    await world.cloud.clock.advance(2 * HOUR_MS - 1);
    expect((await zone(id)).occupied_count).toBe(3);
    await world.cloud.clock.advance(1);
    expect((await zone(id)).occupied_count).toBe(0);
  });

  it('is in the audit log with its reason', async () => {
    const { id } = await zoneOf();
    await recount(id, 4);
    const [entry] = await world.get<Record<string, unknown>[]>('/v2/audit-log?size=1&sort=id:desc');
    expect(entry).toMatchObject({
      action: 'zone.recount',
      target: `zone ${id}`,
      details: { values: { occupied_count: 4, reason: 'Walked through' } },
    });
  });

  it('is refused without a count or a reason, and to who may not', async () => {
    const { id } = await zoneOf();
    const path = `/v2/zones/${id}/recount`;
    const good = { occupied_count: 1, reason: 'x' };
    expect(await world.refused('POST', path, {})).toEqual([422, '23 occupied_count', '23 reason']);
    expect(await world.refused('POST', path, { ...good, occupied_count: -1 })).toEqual([422, '23 occupied_count']);
    expect(await world.refused('POST', path, { ...good, reason: ' ' })).toEqual([422, '23 reason']);
    expect(await world.refused('POST', path, { ...good, count: 1 })).toEqual([422, '23 count']);
    expect(await world.refused('POST', path, good, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await world.refused('POST', path, good, RIVAL_TOKEN)).toEqual([404, '6']);
    const south = `/v2/zones/${world.site.southZone}/recount`;
    expect(await world.refused('POST', south, good, ADMIN_TOKEN)).toEqual([404, '6']);
    expect((await world.cloud.ask('POST', path, { json: good })).status).toBe(401);
    expect((await world.cloud.ask('POST', path, { json: good, token: OWNER_TOKEN })).status).toBe(200);
  });
});

describe('the history of a zone', () => {
  const history = (id: number, query = '') => world.get<History>(`/v2/zones/${id}/occupancy${query}`);
  const iso = (ms: number) => new Date(ms).toISOString();

  it('is that of its sessions where it has no sensors', async () => {
    const { clock } = world.cloud;
    await clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
    const { id } = await zoneOf();
    const began = clock.now();
    await clock.advance(HOUR_MS / 2);
    const { id: session } = await enter(id);
    await clock.advance(HOUR_MS);
    await world.post(`/v2/sessions/${session}/close`, {});
    await clock.advance(HOUR_MS / 2);
    const answer = await history(id, `?from=${iso(began)}`);
    expect(answer).toEqual({
      timezone: 'Europe/Zagreb',
      spot_count: 10,
      series: [
        { period_start: iso(began), min_occupied: 0, mean_occupied: 0.5, max_occupied: 1 },
        { period_start: iso(began + HOUR_MS), min_occupied: 0, mean_occupied: 0.5, max_occupied: 1 },
      ],
    });
    expect((await history(id)).series).toHaveLength(24);
    expect((await history(id, '?step=quarter')).series).toHaveLength(96);
    expect((await history(id, '?step=day')).series.length).toBeGreaterThanOrEqual(30);
  });

  it('is that of its sensors where it has some, whatever the order in which changes arrive', async () => {
    const { clock, store } = world.cloud;
    await clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
    const { id } = await zoneOf();
    const [place = 0] = await addSensors(id, { places: 2, occupied: 1 });
    const began = clock.now();
    await clock.advance(4 * HOUR_MS);
    const note = (at: number, delta: number, count: number) =>
      store.change((tx) => noteCountChange(tx, { owner: 'zone', owner_id: id }, { at, delta, count }));
    await note(began + 2 * HOUR_MS, 1, 1);
    // Of another gateway, which was cut off.
    await note(began + HOUR_MS / 2, 1, 2);
    await note(began + 1.5 * HOUR_MS, -1, 1);
    const { series } = await history(id, `?from=${iso(began)}`);
    expect(series.map((period) => [period.min_occupied, period.mean_occupied, period.max_occupied])).toEqual([
      [0, 0.5, 1],
      [0, 0.5, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]);
    await store.change((tx) =>
      noteCountChange(tx, { owner: 'place', owner_id: place }, { at: began + HOUR_MS / 4, delta: 1, count: 1 }),
    );
    const ofPlace = await world.get<{ timezone: string; series: object[] }>(
      `/v2/parking-places/${place}/occupancy?from=${iso(began)}&to=${iso(began + 2 * HOUR_MS)}`,
    );
    expect(ofPlace).toEqual({
      timezone: 'Europe/Zagreb',
      series: [
        { period_start: iso(began), occupied_share: 0.75 },
        { period_start: iso(began + HOUR_MS), occupied_share: 1 },
      ],
    });
  });

  it('is cut in the time zone of its lot, when clocks change too', async () => {
    const { id } = await zoneOf();
    const { series } = await history(id, '?step=day&from=2025-10-25T12:00:00Z&to=2025-10-27T12:00:00Z');
    expect(series.map(({ period_start }) => period_start)).toEqual([
      '2025-10-24T22:00:00.000Z',
      '2025-10-25T22:00:00.000Z',
      '2025-10-26T23:00:00.000Z',
    ]);
  });

  it('refuses a range that is empty or longer than it is kept, and a step that it does not know', async () => {
    const { id } = await zoneOf();
    const path = `/v2/zones/${id}/occupancy`;
    const [from, to] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'];
    expect(await world.refused('GET', `${path}?from=${from}&to=${to}`)).toEqual([422, '23 to']);
    expect(await world.refused('GET', `${path}?from=2020-01-01T00:00:00Z&to=${to}`)).toEqual([422, '23 from']);
    expect(await world.refused('GET', `${path}?step=minute`)).toEqual([422, '23 step']);
    expect(await world.refused('GET', `${path}?from=soon`)).toEqual([422, '23 from']);
    expect(await world.refused('GET', `${path}?days=3`)).toEqual([422, '23 days']);
    expect(await world.refused('GET', path, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', '/v2/parking-places/999999/occupancy')).toEqual([404, '6']);
  });
});
