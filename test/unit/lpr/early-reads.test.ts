/** A vehicle is read while its pictures are on their way, as it is read when all has come. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import type { CameraRead, PushReader } from '../../../agent/lpr/camera.js';
import { createImages } from '../../../agent/lpr/pictures/images.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import { createEarlyReader } from '../../../agent/lpr/push/early-reader.js';
import { silentLogger } from '../../../shared/logger.js';
import { axisCamera } from '../../../scripts/sim/cameras/axis-camera.js';
import type { CameraVendor } from '../../../scripts/sim/cameras/camera-vendor.js';
import { entryCamera } from '../../world/entry-camera.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { FakeClock } from '../../world/fake-clock.js';
import { mutate } from '../../attack/mutated-bytes.js';
import { runs } from '../../depth.js';
import * as fc from '../../property.js';
import { cameraFixture } from './camera-fixture.js';
import { jpegLike, multipartBody, part, STRICT } from './multipart-builder.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const clock = new FakeClock();
const drivers = createCameraDrivers(cameraDriverDeps(clock));
const readerOf = (driver: string): PushReader => {
  const push = drivers.get(driver)?.push;
  if (push === undefined || push === null) throw new Error(`${driver} does not push`);
  return push;
};
const camera = { timezone: 'UTC', device_id: 'cam' };
const images = createImages({ maker: createSharpPictureMaker(), logger: silentLogger });
const drawn = createVehiclePictures();

interface Push {
  contentType: string;
  body: Uint8Array;
}

async function pushOf(vendor: CameraVendor): Promise<Push> {
  const event = {
    uuid: randomUUID(),
    wallMs: clock.now(),
    read: { plate: 'ZG4821AB' },
    pictures: await drawn('ZG4821AB', 'blue'),
  };
  const push = vendor.encode?.(entryCamera({ device_id: 'cam' }), event, false);
  if (push === undefined) throw new Error('it does not push');
  return push;
}

/** What is read when the body comes in pieces of this size, and after how many bytes of it. */
function readInPieces(reader: PushReader, { contentType, body }: Push, size: number) {
  const readEarly = createEarlyReader(reader, { contentType, camera });
  const found: { read: CameraRead; after: number }[] = [];
  for (let after = size; after < body.length; after += size) {
    const read = readEarly?.(body.subarray(0, after)) ?? null;
    if (read !== null) found.push({ read, after });
  }
  return found;
}

const hikvision = (xml: string, ...pictures: string[]): Push => ({
  contentType: 'multipart/form-data; boundary=MIME_boundary',
  body: multipartBody(
    [
      part('anpr.xml', 'application/xml', xml),
      ...pictures.map((name) => part(name, 'image/jpeg', jpegLike('picture '.repeat(2_000)))),
    ],
    STRICT,
  ),
});
const FORWARD = cameraFixture('hikvision', 'anpr-forward.xml');

describe('a push that is still on its way', () => {
  it.each([
    ['hikvision', hikvisionCamera],
    ['axis', axisCamera],
  ] as const)(
    'is read once when it is of %s, as it is when it is whole, long before its pictures have come',
    async (name, vendor) => {
      const reader = readerOf(name);
      const push = await pushOf(vendor);
      const whole = reader.parse({ ...push, camera });
      if (whole.kind !== 'read') throw new Error(`the whole push is no read but ${whole.kind}`);
      const { pictures, ...said } = whole.read;
      for (const size of [1, 7, 536, 1_460, 4_096]) {
        const found = readInPieces(reader, push, size);
        expect(found, `pieces of ${size}`).toHaveLength(1);
        const [{ read, after } = { read: whole.read, after: Infinity }] = found;
        const { pictures: expected, ...early } = read;
        expect(early).toEqual(said);
        expect(new Set(expected.follow)).toEqual(new Set(images.announce('cam', pictures)));
        expect(after).toBeLessThan(8_192 + size);
      }
    },
  );

  it.each([
    [
      'its pictures are not listed',
      hikvision(FORWARD.replace(/<pictureInfoList>[^]*<\/pictureInfoList>/, ''), 'detectionPicture.jpg'),
    ],
    [
      'it tells of the past',
      hikvision(FORWARD.replace('Retransmission>false<', 'Retransmission>true<'), 'detectionPicture.jpg'),
    ],
    ['its first part is a picture', hikvision('\u00ff\u00d8', 'detectionPicture.jpg')],
    ['its first part is cut off', hikvision(FORWARD.slice(0, -40), 'detectionPicture.jpg')],
    ['it is a heartbeat', hikvision(cameraFixture('hikvision', 'heartbeat.xml'), 'detectionPicture.jpg')],
    ['it is not multipart', { ...hikvision(FORWARD, 'detectionPicture.jpg'), contentType: 'application/xml' }],
    ['nothing follows its first part', hikvision(FORWARD)],
    [
      'its first part is longer than any',
      hikvision(FORWARD.replace('<ANPR>', `<!--${'x'.repeat(70_000)}--><ANPR>`), 'detectionPicture.jpg'),
    ],
  ])('waits for all of it where %s', (_, push) => {
    expect(readInPieces(readerOf('hikvision'), push, 1_024)).toEqual([]);
  });

  it.each([
    ['hikvision', hikvisionCamera],
    ['axis', axisCamera],
  ] as const)('is read at most once when it is of %s, and never fails, however it is spoiled', async (name, vendor) => {
    const { contentType, body } = await pushOf(vendor);
    const known = readInPieces(readerOf(name), { contentType, body }, 1_460)[0]?.read.raw_plate;
    let read = 0;
    fc.assert(
      fc.property(mutate(Buffer.from(body)), fc.integer({ min: 64, max: 8_192 }), ({ bytes }, size) => {
        const found = readInPieces(readerOf(name), { contentType, body: bytes }, size);
        expect(found.length).toBeLessThanOrEqual(1);
        read += found.filter((each) => each.read.raw_plate === known).length;
      }),
      { numRuns: runs(300) },
    );
    expect(read).toBeGreaterThan(0);
  });

  it('costs a few looks at each byte however small its pieces are', () => {
    let looked = 0;
    const reader: PushReader = { ...readerOf('hikvision'), parseFirst: () => null };
    const counting = createEarlyReader(reader, { contentType: 'multipart/mixed; boundary=x', camera });
    const body = Buffer.alloc(200_000, 'no boundary in it ');
    for (let after = 1; after <= body.length; after++) {
      const arrived = body.subarray(0, after);
      const subarray = arrived.subarray.bind(arrived);
      arrived.subarray = (...range: [number?, number?]) => {
        looked += 1;
        return subarray(...range);
      };
      counting?.(arrived);
    }
    expect(looked).toBeLessThanOrEqual(66);
  });
});
