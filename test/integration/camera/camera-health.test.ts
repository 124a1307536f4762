/** What cameras read and how they were, from records and reports to GET /v2/lpr-cameras/{id}/health. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CAMERA_DAYS_KEPT,
  dayIn,
  daysOfCamera,
  pruneCameraDays,
} from '../../../cloud/equipment/camera/camera-day-queries.js';
import type { ProductReports } from '../../../cloud/equipment/product/product-reports.js';
import type { RecordPayload } from '../../../shared/uplink.js';
import type { CameraReport } from '../../../shared/uplink-reports.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { RIVAL_TOKEN } from '../http/http-site.js';
import {
  entryRead,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  recordOf,
  refinementOf,
  wireBatch,
} from '../ingest/gateway-records.js';
import { productReportsOf } from '../../world/product-reports.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ZAGREB = 'Europe/Zagreb';
/** Half past eleven at night in Zagreb, and half past midnight. */
const NIGHT = Date.UTC(2026, 0, 14, 22, 30);

describe('the days of a camera', () => {
  const world = storeWorld('for each test');
  let reports: ProductReports;
  const epoch = newOutboxEpoch();
  beforeEach(() => {
    reports = productReportsOf(world);
  });
  afterEach(() => reports.close());

  const days = async (id: number) =>
    (await daysOfCamera(world.store.reader, { id, since: 0 })).sort((one, other) => one.day - other.day);
  const report = (change: Partial<CameraReport>) =>
    reports.handleReport(NORTH_GATEWAY, {
      products: [],
      cameras: [{ lpr_camera_id: world.site.standaloneCamera, status: 'online', problem: null, ...change }],
    });

  it('count what it read, could not read and refined, at the time of the event and once', async () => {
    const { site } = world;
    const uid = newUid();
    const at = (event_ms: number) => entryRead(site, { reading: { event_ms }, read: { session: null } });
    const sighting: RecordPayload = {
      kind: 'sighting',
      lpr_camera_id: site.entryCamera,
      zone_id: site.zone,
      direction: 'in',
      event_ms: NOON_MS,
      images: [],
    };
    const read = at(NIGHT);
    const lane0 = [recordOf(1, read, { uid }), recordOf(2, at(NIGHT + 60 * MINUTE)), recordOf(3, at(NOON_MS))];
    const lane1 = [recordOf(1, refinementOf(uid, read)), recordOf(2, sighting)];
    for (let time = 0; time < 2; time++) {
      await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, lane0));
      await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 1, lane1));
    }
    const none = { offline_ms: 0, clock_drift_ms: null };
    expect(await days(site.entryCamera)).toMatchObject([
      { day: dayIn(ZAGREB, NIGHT), reads_count: 1, unreadable_count: 0, refined_count: 1, ...none },
      { day: dayIn(ZAGREB, NOON_MS), reads_count: 2, unreadable_count: 1, refined_count: 0, ...none },
    ]);
  });

  it('count the time that it was offline, and keep the largest drift of its clock', async () => {
    const { standaloneCamera } = world.site;
    await report({ status: 'online', clock_behind_ms: 300 });
    for (let minute = 0; minute < 3; minute++) {
      await report({ status: 'offline', clock_behind_ms: 300 });
      await world.clock.advance(MINUTE);
    }
    await report({ status: 'online', clock_behind_ms: -2_500 });
    await world.clock.advance(MINUTE);
    await report({ status: 'online', clock_behind_ms: 100 });
    expect(await days(standaloneCamera)).toMatchObject([
      { offline_ms: 3 * MINUTE, clock_drift_ms: 2_500, reads_count: 0 },
    ]);
  });

  it('are kept for a while', async () => {
    const { standaloneCamera } = world.site;
    await report({ status: 'offline' });
    const now = world.clock.now();
    await world.store.change((tx) => pruneCameraDays(tx, now + (CAMERA_DAYS_KEPT - 1) * DAY));
    expect(await days(standaloneCamera)).toHaveLength(1);
    await world.store.change((tx) => pruneCameraDays(tx, now + (CAMERA_DAYS_KEPT + 1) * DAY));
    expect(await days(standaloneCamera)).toEqual([]);
  });
});

describe('GET /v2/lpr-cameras/{id}/health', () => {
  let world: RestWorld;
  beforeEach(async () => {
    world = await startRestWorld();
  });
  afterEach(() => world.cloud.close());

  it('shows every day of the range, in the camera’s zone', async () => {
    const { site, cloud } = world;
    const { id } = await world.post('/v2/lpr-cameras', {
      zone_id: site.zone,
      device_id: 'cam',
      name: 'Entry',
      driver: 'hikvision',
      timezone: ZAGREB,
      min_confidence: 0.5,
    });
    const path = `/v2/lpr-cameras/${id}/health`;
    const today = dayIn(ZAGREB, cloud.clock.now());
    await cloud.store.change((tx) =>
      tx
        .insertInto('lpr_camera_days')
        .values({
          lpr_camera_id: Number(id),
          day: today - 1,
          reads_count: 90,
          unreadable_count: 10,
          refined_count: 5,
          offline_ms: 61_400,
          clock_drift_ms: -1_200,
          reported_at: null,
        })
        .execute(),
    );
    const empty = { reads_count: 0, unreadable_count: 0, refined_count: 0, offline_seconds: 0, clock_drift_ms: null };
    expect(await world.get(`${path}?days=3`)).toEqual([
      { date: '2026-01-13', ...empty },
      {
        date: '2026-01-14',
        reads_count: 90,
        unreadable_count: 10,
        refined_count: 5,
        offline_seconds: 61,
        clock_drift_ms: -1_200,
      },
      { date: '2026-01-15', ...empty },
    ]);
    expect(await world.get(path)).toHaveLength(30);
    expect(await world.get(`${path}?days=400`)).toHaveLength(400);
    for (const days of ['0', '401', 'x', '1.5']) {
      expect(await world.refused('GET', `${path}?days=${days}`)).toEqual([422, '23 days']);
    }
    expect(await world.refused('GET', path, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });

  it('min_confidence is between 0 and 1, and tells the gateways', async () => {
    const body = { zone_id: world.site.zone, device_id: 'cam', name: 'Entry', driver: 'hikvision' };
    const { id, min_confidence } = await world.post('/v2/lpr-cameras', body);
    expect(min_confidence).toBe(0);
    world.notified();
    expect(await world.patch(`/v2/lpr-cameras/${id}`, { min_confidence: 0.85 })).toMatchObject({
      min_confidence: 0.85,
    });
    expect(world.notified()).toEqual([world.site.north]);
    expect(await world.refused('PATCH', `/v2/lpr-cameras/${id}`, { min_confidence: 1.1 })).toEqual([
      422,
      '23 min_confidence',
    ]);
  });

  it('push_without_key is off until somebody says so, and tells the gateways', async () => {
    const body = { zone_id: world.site.zone, device_id: 'cam', name: 'Entry', driver: 'dahua' };
    const { id, push_without_key } = await world.post('/v2/lpr-cameras', body);
    expect(push_without_key).toBe(0);
    world.notified();
    const path = `/v2/lpr-cameras/${id}`;
    for (const [given, shown] of [
      [1, 1],
      [false, 0],
      [true, 1],
    ]) {
      expect(await world.patch(path, { push_without_key: given })).toMatchObject({ push_without_key: shown });
      expect(world.notified()).toEqual([world.site.north]);
    }
    expect(await world.refused('PATCH', path, { push_without_key: 2 })).toEqual([422, '23 push_without_key']);
  });
});
