/** How full zones are over REST: both counts, recounts by people, drift, and what they were like before. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  noteCountChange,
  pruneQuarters,
  readQuarters,
} from '../../../cloud/traffic/occupancy/occupancy-history-queries.js';
import { typedReading } from '../../../cloud/traffic/session/typed-reading.js';
import { deleteThing } from '../../world/delete-thing.js';
import { lastRecountsOfLot } from '../../../cloud/site/zone/recount-queries.js';
import { startDriftWatch } from '../../../cloud/site/zone/drift-watch.js';
import { silentLogger } from '../../../shared/logger.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { HOUR_MS } from '../../../shared/durations.js';

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

/** Gives the zone places with sensors, the first of them occupied. @param of.occupied null: no sensor has said anything yet */
async function addSensors(zone_id: number, { places, occupied }: { places: number; occupied: number | null }) {
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
  if (occupied !== null) await setOccupied(ids, occupied);
  return ids;
}

const setOccupied = (ids: number[], occupied: number) =>
  world.cloud.store.change(async (tx) => {
    for (const [index, id] of ids.entries()) {
      const occupancy_status = index < occupied ? 'occupied' : 'free';
      const first_heard_at = world.cloud.clock.now();
      await tx.updateTable('parking_places').set({ occupancy_status, first_heard_at }).where('id', '=', id).execute();
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

  it('are those of sessions as long as no sensor has said anything', async () => {
    const { id } = await zoneOf();
    await enter(id);
    await enter(id);
    const places = await addSensors(id, { places: 2, occupied: null });
    expect(await zone(id)).toMatchObject({ occupied_count: 2, counts: { sensors: null, sessions: 2 } });
    // One that says "free" says something.
    await setOccupied(places.slice(0, 1), 0);
    expect(await zone(id)).toMatchObject({ occupied_count: 0, counts: { sensors: 0, sessions: 2 } });
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
    world.notified();
    expect(await recount(id, 5)).toMatchObject({ id, occupied_count: 5, counts: { sensors: null, sessions: 5 } });
    expect(world.notified()).toEqual([world.site.north]);
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

  describe('with vehicles that have no session', () => {
    type Exit = { plate: string; reason?: 'no_active_session' | 'whitelist' | 'debounce' | 'direction_mismatch' };
    /** A plate is read on its way out of the zone, and belongs to no session. */
    const leave = (zone_id: number, { plate, reason = 'no_active_session' }: Exit, session_id: number | null = null) =>
      world.cloud.store.change(async (tx) => {
        const session = await tx.selectFrom('zones').selectAll().where('id', '=', zone_id).executeTakeFirstOrThrow();
        const now = world.cloud.clock.now();
        const typed = typedReading({
          session: { ...session, zone_id },
          session_id,
          plate,
          direction: 'out',
          at: now,
          now,
        });
        const access_decision = reason === 'whitelist' ? 'triggered' : 'denied';
        const { id } = await tx
          .insertInto('plate_readings')
          .values({ ...typed, access_decision, access_decision_reason: reason })
          .returning('id')
          .executeTakeFirstOrThrow();
        return id;
      });
    const later = (ms = 60_000) => world.cloud.clock.advance(ms);
    const sessions = async (id: number) => (await zone(id)).counts.sessions;

    it('counts less as they leave, each once, and never less than nothing of them', async () => {
      const { id } = await zoneOf();
      const { id: other } = await zoneOf();
      await enter(id);
      await leave(id, { plate: 'BEFORE 1' });
      await later();
      expect((await recount(id, 3)).occupied_count).toBe(3);
      await later();
      await leave(id, { plate: 'ZG 77 A' });
      await later();
      // It is read again until somebody lets it out.
      await leave(id, { plate: 'ZG77A', reason: 'debounce' });
      await leave(id, { plate: 'ZG 77 A', reason: 'whitelist' });
      expect(await sessions(id)).toBe(2);
      // Gateways, which decide by it, get the same.
      const lot = { lot_id: world.site.north, now: world.cloud.clock.now() };
      const notified = await lastRecountsOfLot(world.cloud.store.reader, lot);
      expect(notified.find(({ zone_id }) => zone_id === id)?.extra_count).toBe(1);
      // Neither drove out of this zone.
      await leave(id, { plate: 'ZG 78 A', reason: 'direction_mismatch' });
      await leave(other, { plate: 'ZG 79 A' });
      expect(await sessions(id)).toBe(2);
      for (const plate of ['ZG 80 A', 'ZG 81 A', 'ZG 82 A']) await leave(id, { plate });
      expect(await sessions(id)).toBe(1);
    });

    it('counts less when one leaves whose session was too old to count', async () => {
      const { id } = await zoneOf({ occupancy_max_hours: 2 });
      const old = await enter(id);
      await later(3 * HOUR_MS);
      expect((await recount(id, 1)).occupied_count).toBe(1);
      await later();
      const exit_reading_id = await leave(id, { plate: 'OLD 1' }, old.id);
      const ended_at = world.cloud.clock.now();
      await world.cloud.store.change((tx) =>
        tx.updateTable('sessions').set({ ended_at, exit_reading_id }).where('id', '=', old.id).execute(),
      );
      expect(await sessions(id)).toBe(0);
    });

    it('begins anew with the next recount, and its history follows', async () => {
      const { clock } = world.cloud;
      await clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
      const { id } = await zoneOf();
      const began = clock.now();
      await recount(id, 2);
      await later(HOUR_MS / 2);
      await leave(id, { plate: 'ZG 90 A' });
      await later(HOUR_MS / 2);
      await later(HOUR_MS);
      expect(await sessions(id)).toBe(1);
      const { series } = await world.get<History>(
        `/v2/zones/${id}/occupancy?from=${new Date(began).toISOString()}&to=${new Date(began + 2 * HOUR_MS).toISOString()}`,
      );
      expect(series.map((period) => [period.min_occupied, period.mean_occupied, period.max_occupied])).toEqual([
        [1, 1.5, 2],
        [1, 1, 1],
      ]);
      expect((await recount(id, 2)).occupied_count).toBe(2);
      await later();
      expect(await sessions(id)).toBe(2);
    });
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

  it('is nothing before the first change that a sensor told, however full it is now', async () => {
    const { id } = await zoneOf();
    await addSensors(id, { places: 2, occupied: 2 });
    const { series } = await history(id, '?step=day');
    expect(series.length).toBeGreaterThan(20);
    expect(new Set(series.map(({ max_occupied }) => max_occupied))).toEqual(new Set([0]));
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

  it('is kept for a year: what it was before that is in how full it was since', async () => {
    const { clock, store } = world.cloud;
    const { id: kept } = await zoneOf();
    const { id: gone } = await zoneOf();
    const [place = 0] = await addSensors(gone, { places: 1, occupied: 0 });
    const owners = [
      { owner: 'zone', owner_id: kept },
      { owner: 'zone', owner_id: gone },
      { owner: 'place', owner_id: place },
    ] as const;
    const began = clock.now();
    for (const owner of owners) {
      for (const hour of [1, 2, 3]) {
        await store.change((tx) => noteCountChange(tx, owner, { at: began + hour * HOUR_MS, delta: 1, count: hour }));
      }
    }
    await store.change((tx) => deleteThing(tx, 'parking_places', { id: place, now: began + 4 * HOUR_MS }));
    await store.change((tx) => deleteThing(tx, 'zones', { id: gone, now: began + 4 * HOUR_MS }));
    const rowsIn = (table: 'occupancy_quarters' | 'occupancy_counts') =>
      Promise.all(
        owners.map(async ({ owner, owner_id }) => {
          const of = store.reader.selectFrom(table).select('owner').where('owner', '=', owner);
          return (await of.where('owner_id', '=', owner_id).execute()).length;
        }),
      );
    const rows = () => rowsIn('occupancy_quarters');
    const pruneBefore = (hour: number) => pruneQuarters(store, began + hour * HOUR_MS);
    expect(await rows()).toEqual([3, 3, 3]);
    await pruneBefore(2.5);
    expect(await rows()).toEqual([1, 1, 1]);
    const range = { from: began + 3 * HOUR_MS, to: began + 4 * HOUR_MS };
    const [before] = await readQuarters(store.reader, { owner: 'zone', owner_id: kept }, range);
    expect(before?.last_count).toBe(2);
    await pruneBefore(5);
    expect(await rows()).toEqual([0, 0, 0]);
    expect(await rowsIn('occupancy_counts')).toEqual([1, 0, 0]);
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
