import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProductReports } from '../../../cloud/equipment/product/product-reports.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import type { CameraReport } from '../../../shared/uplink-reports.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SPARE_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { proves } from '../../contract/sending-rules.js';
import { productReportsOf } from '../../world/product-reports.js';

/** As the legacy event shows it. */
const EVENT_CAMERA_STATUS = EVENT_SCHEMAS.lpr_event.shape.data.shape.lpr_camera.shape.status;
const world = storeWorld('for each test');
let reports: ProductReports;
beforeEach(() => {
  reports = productReportsOf(world);
});
afterEach(() => reports.close());

/** Each event as [cursor or null, camera, status]. */
async function report(cameras: CameraReport[], uuid = NORTH_GATEWAY) {
  world.pushed.length = 0;
  await reports.handleReport(uuid, { products: [], cameras });
  return world.pushed.map(({ id, event, payload }) => {
    expect(event).toBe('lpr_camera_status');
    const notified = EVENT_SCHEMAS.lpr_camera_status.parse(payload);
    return [id, notified.device_id, notified.status];
  });
}

const cameraRow = (id: number) =>
  world.store.reader.selectFrom('lpr_cameras').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a report of cameras', () => {
  it(
    'is told of every camera, and kept of those that changed',
    proves('lpr_camera_status: report', 'lpr_camera_status: unchanged'),
    async () => {
      const { site } = world;
      const both = (inner: 'online' | 'offline'): CameraReport[] => [
        { lpr_camera_id: site.entryCamera, status: 'online', problem: null },
        { lpr_camera_id: site.standaloneCamera, status: inner, problem: null },
      ];
      expect(await report(both('offline'))).toEqual([
        [1, 'cam-in', 'online'],
        [null, 'cam-inner', 'offline'],
      ]);
      expect(await report(both('offline'))).toEqual([
        [null, 'cam-in', 'online'],
        [null, 'cam-inner', 'offline'],
      ]);
      expect(await report(both('online'))).toEqual([
        [null, 'cam-in', 'online'],
        [2, 'cam-inner', 'online'],
      ]);
      expect(world.pushed[1]?.payload).toEqual({ id: site.standaloneCamera, device_id: 'cam-inner', status: 'online' });
    },
  );

  it('keeps the condition of a camera that is there, which the event does not know', async () => {
    const { entryCamera } = world.site;
    const there = { lpr_camera_id: entryCamera, status: 'online', problem: null } as const;
    await report([there]);
    for (const condition of ['auth', 'sleep', 'reset'] as const) {
      expect(await report([{ ...there, condition }])).toEqual([[null, 'cam-in', 'online']]);
      const camera = await cameraRow(entryCamera);
      expect(camera).toMatchObject({ status: condition, last_seen: world.clock.now() });
      expect(EVENT_CAMERA_STATUS.parse(camera.status)).toBe(condition);
    }
    expect(await report([{ ...there, status: 'offline', condition: 'auth' }])).toEqual([[2, 'cam-in', 'offline']]);
    expect(await cameraRow(entryCamera)).toMatchObject({ status: 'offline' });
  });

  it('moves status and last_seen of the camera', async () => {
    const { entryCamera } = world.site;
    const firstMs = world.clock.now();
    await report([{ lpr_camera_id: entryCamera, status: 'online', problem: null }]);
    expect(await cameraRow(entryCamera)).toMatchObject({ status: 'online', last_seen: firstMs, updated_at: firstMs });
    await world.clock.advance(60_000);
    await report([{ lpr_camera_id: entryCamera, status: 'online', problem: null }]);
    expect(await cameraRow(entryCamera)).toMatchObject({ last_seen: firstMs + 60_000, updated_at: firstMs });
    await world.clock.advance(60_000);
    await report([{ lpr_camera_id: entryCamera, status: 'offline', problem: null }]);
    expect(await cameraRow(entryCamera)).toMatchObject({
      status: 'offline',
      last_seen: firstMs + 60_000,
      updated_at: firstMs + 120_000,
    });
  });

  it('keeps why a camera does not work, until nothing is known against it', async () => {
    const { entryCamera } = world.site;
    const problem = 'this agent has no driver dahua';
    expect(await report([{ lpr_camera_id: entryCamera, status: 'offline', problem }])).toEqual([
      [null, 'cam-in', 'offline'],
    ]);
    const reportedMs = world.clock.now();
    expect(await cameraRow(entryCamera)).toMatchObject({ status: 'offline', problem, updated_at: reportedMs });
    await world.clock.advance(60_000);
    await report([{ lpr_camera_id: entryCamera, status: 'offline', problem }]);
    expect(await cameraRow(entryCamera)).toMatchObject({ problem, updated_at: reportedMs });
    await report([{ lpr_camera_id: entryCamera, status: 'online', problem: null }]);
    expect(await cameraRow(entryCamera)).toMatchObject({ status: 'online', problem: null });
  });

  it('says nothing of the cameras of others', async () => {
    const { site } = world;
    const foreign = [site.exitCamera, site.rivalCamera, 999].map(
      (lpr_camera_id): CameraReport => ({ lpr_camera_id, status: 'online', problem: null }),
    );
    expect(await report(foreign)).toEqual([]);
    expect(await report([{ lpr_camera_id: site.entryCamera, status: 'online', problem: null }], RIVAL_GATEWAY)).toEqual(
      [],
    );
    expect(await report([{ lpr_camera_id: site.entryCamera, status: 'online', problem: null }], SPARE_GATEWAY)).toEqual(
      [],
    );
    expect((await cameraRow(site.entryCamera)).status).toBe('offline');
  });
});
