/** A LILIN camera is listened to where it does not push, and asked for its log when it was not heard for a while. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CameraRead, CameraSource } from '../../../agent/lpr/camera.js';
import { parseAlarmPart, parseKeptPlates } from '../../../agent/lpr/mapping/lilin/lilin-parser.js';
import { createLilinDriver } from '../../../agent/lpr/mapping/lilin/lilin-driver.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { CameraEvent } from '../../../scripts/sim/cameras/camera-vendor.js';
import { entryCamera } from '../../world/entry-camera.js';
import { lilinCamera } from '../../../scripts/sim/cameras/lilin-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { cameraFixture } from '../../unit/lpr/camera-fixture.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ACCOUNT = { username: 'admin', password: 'a secret' };
let listener: HttpListener | null = null;
let source: CameraSource | null = null;
afterEach(async () => {
  await source?.close();
  await listener?.close();
});

const AT = { epoch_ms: Date.UTC(2026, 0, 15, 12), offset_min: null };
const EARLIER = { epoch_ms: Date.UTC(2026, 0, 15, 11, 58, 10), offset_min: null };

describe('what a LILIN camera says', () => {
  it('in its stream: the newest four, the oldest first', () => {
    expect(parseAlarmPart(cameraFixture('mapping', 'lilin/alarm.txt'))).toMatchObject([
      { raw_plate: 'ZG1111AA', camera_time: EARLIER, vendor_event_id: '2026-01-15 11:58:10 GMT ZG1111AA' },
      { raw_plate: 'ZG4821AB', camera_time: AT, confidence: null, retransmission: false },
    ]);
    expect(parseAlarmPart('MotionDetect=0\nLPR0=,LPR_TIME0=\n')).toEqual([]);
    expect(parseAlarmPart('')).toEqual([]);
  });

  it('in its log: what is younger, as history', () => {
    const log = cameraFixture('mapping', 'lilin/log.json');
    const both = [
      { raw_plate: 'ZG1111AA', camera_time: EARLIER, history: true, retransmission: true },
      { raw_plate: 'ZG4821AB', camera_time: AT, confidence: 0.795461475849152, country_code: 'HR', history: true },
    ];
    expect(parseKeptPlates(log, 0)).toMatchObject(both);
    expect(parseKeptPlates(log, AT.epoch_ms)).toMatchObject(both.slice(1));
    expect(parseKeptPlates(log, AT.epoch_ms + 1)).toEqual([]);
    for (const other of ['', '{}', '{"INFORMATION": "x"}', '{"INFORMATION": [null, 1, {"LPR": "A1"}]}'])
      expect(parseKeptPlates(other, 0)).toEqual([]);
  });
});

describe('a LILIN camera that is listened to', () => {
  it('is asked for its log only after an outage, and tells nothing twice', async () => {
    const pictures = await createVehiclePictures()('ZG4821AB', 'blue');
    const hears = new Set<(event: CameraEvent) => void>();
    const device = lilinCamera.createDevice(entryCamera(ACCOUNT), {
      subscribe(hear) {
        hears.add(hear);
        return () => void hears.delete(hear);
      },
    });
    const asked: string[] = [];
    const start = async (port: number) => {
      listener = await listenHttp(
        (request) => {
          if (request.headers.has('authorization')) asked.push(new URL(request.url).pathname);
          return device.fetch(request);
        },
        { host: '127.0.0.1', port },
      );
      return listener.port;
    };
    const see = (plate: string, wallMs = Date.now()) => {
      for (const hear of hears) hear({ uuid: plate, wallMs, read: { plate }, pictures });
    };
    const port = await start(0);
    const reads: CameraRead[] = [];
    const item = camera('cam', { driver: 'lilin', address: `http://127.0.0.1:${port}`, push_key: '', ...ACCOUNT });
    const driver = createLilinDriver(cameraDriverDeps(systemClock, { random: () => 0 }));
    see('OLD001', Date.now() - 3_600_000);
    source =
      driver.source?.(item, {
        onRead: (read) => Promise.resolve(void reads.push(read)),
        onAlive() {},
        onMalformed() {},
        onFault() {},
      }) ?? null;
    // Its log hears too, and each stream that is open.
    await expect.poll(() => hears.size).toBe(2);
    see('LIVE01');
    await expect.poll(() => reads.map(({ raw_plate }) => raw_plate)).toEqual(['LIVE01']);
    expect([reads[0]?.history, asked]).toEqual([undefined, ['/getalarmmotion']]);
    await listener?.close();
    await expect.poll(() => hears.size, { timeout: 10_000 }).toBe(1);
    see('MISSED1');
    see('MISSED2');
    await start(port);
    await expect.poll(() => reads.length, { timeout: 15_000 }).toBe(3);
    expect(reads.slice(1)).toMatchObject(
      ['MISSED1', 'MISSED2'].map((raw_plate) => ({ raw_plate, history: true, retransmission: true })),
    );
    await expect.poll(() => hears.size).toBe(2);
    see('LIVE02');
    await expect
      .poll(() => reads.map(({ raw_plate }) => raw_plate))
      .toEqual(['LIVE01', 'MISSED1', 'MISSED2', 'LIVE02']);
    expect(asked).toEqual(['/getalarmmotion', '/getalarmmotion', '/get_search_info']);
  });

  it('pushes where it has a push key', () => {
    const driver = createLilinDriver(cameraDriverDeps(systemClock));
    const ears = { onRead: () => Promise.resolve(), onAlive() {}, onMalformed() {}, onFault() {} };
    expect(driver.source?.(camera('cam', { driver: 'lilin', address: 'http://192.0.2.7' }), ears)).toBeNull();
  });
});
