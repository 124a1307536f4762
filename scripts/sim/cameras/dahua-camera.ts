/** A Dahua camera: it pushes by ITSAPI, and offers a stream of pictures and events. */
import { Hono } from 'hono';
import { parseCameraTime, wallIsoAt } from '../../../agent/lpr/formats/camera-time-parser.js';
import type { CarParkCamera } from '../car-park.js';
import { createCameraClock, type SimCameraClock } from './camera-clock.js';
import { jsonPush, requireDigest, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor } from './camera-vendor.js';
import { streamOf } from './event-stream.js';

const BOX_SCALE = 8192;

function boxOf({ box }: ReturnType<typeof wordsOf>): number[] {
  return [box.x, box.y, box.x + box.width, box.y + box.height].map((each) => Math.round(each * BOX_SCALE));
}

export const dahuaCamera: CameraVendor = {
  encode(camera, event) {
    const words = wordsOf(camera, event);
    return jsonPush(
      {
        Picture: {
          Plate: {
            IsExist: words.plate !== '',
            PlateNumber: words.plate,
            Confidence: Math.round(words.confidence * 100),
            BoundingBox: boxOf(words),
          },
          Vehicle: { VehicleSign: words.make, VehicleColor: words.color, VehicleType: words.type },
          SnapInfo: {
            AccurateTime: words.localTime,
            Direction: { forward: 'Obverse', reverse: 'Reverse', unknown: 'Unknown' }[words.direction],
            DeviceID: '8J0AB1234567',
          },
          CutoutPic: { Content: words.platePicture },
          NormalPic: { Content: words.scene },
        },
      },
      { path: '/NotificationInfo/TollgateInfo' },
    );
  },
  createDevice(camera, seen, clock = createCameraClock()) {
    const device = new Hono();
    device.use(requireDigest(camera, 'Login to 8J0AB1234567'));
    device.get('/cgi-bin/magicBox.cgi', (context) => context.text('deviceType=ITC413\r\n'));
    addSettings(device, camera, clock);
    device.get('/cgi-bin/snapManager.cgi', () =>
      streamOf(seen, {
        contentType: 'multipart/x-mixed-replace; boundary=myboundary',
        boundary: 'myboundary',
        heartbeat: { type: 'text/plain', bytes: Buffer.from('Heartbeat\r\n') },
        parts: (event) => [
          { type: 'text/plain', bytes: Buffer.from(linesOf(camera, event)) },
          { type: 'image/jpeg', bytes: event.pictures.scene },
        ],
      }),
    );
    return device;
  },
};

/** Its configuration tables and its clock. All requests are GET. */
function addSettings(device: Hono, { timezone }: CarParkCamera, clock: SimCameraClock): void {
  const server = 'PictureHttpUpload.UploadServerList[0]';
  const tables = new Map([
    ['PictureHttpUpload.Enable', 'false'],
    [`${server}.Address`, ''],
    [`${server}.Port`, '80'],
    [`${server}.HttpsEnable`, 'false'],
    [`${server}.Uploadpath`, '/'],
    [`${server}.EventType[0]`, 'AlarmLocal'],
    ['NTP.Enable', 'false'],
    ['NTP.Address', 'clock.example'],
  ]);
  device.get('/cgi-bin/configManager.cgi', (context) => {
    const { action, name = '', ...values } = context.req.query();
    if (action === 'getConfig') {
      const lines = [...tables].filter(([key]) => key.startsWith(`${name}.`));
      return context.text(lines.map(([key, value]) => `table.${key}=${value}\r\n`).join(''));
    }
    if (Object.keys(values).some((key) => !tables.has(key))) return context.text('Error\r\nBad Request!\r\n', 400);
    for (const [key, value] of Object.entries(values)) tables.set(key, value);
    return context.text('OK\r\n');
  });
  device.get('/cgi-bin/global.cgi', (context) => {
    const { action, time = '' } = context.req.query();
    if (action === 'getCurrentTime')
      return context.text(`result=${wallIsoAt(clock.now(), timezone).replace('T', ' ')}\r\n`);
    const set = parseCameraTime(time, timezone);
    if (set === null) return context.text('Error\r\n', 400);
    clock.set(set.epoch_ms);
    return context.text('OK\r\n');
  });
}

/** `UTC` is the camera's wall time written as if it were UTC. */
function linesOf(camera: CarParkCamera, event: CameraEvent): string {
  const words = wordsOf(camera, event);
  const wallSeconds = Math.floor(Date.parse(`${words.localTime.replace(' ', 'T')}Z`) / 1000);
  const values: Record<string, string | number> = {
    'EventBaseInfo.Code': 'TrafficJunction',
    UTC: wallSeconds,
    RealUTC: Math.floor(words.wallMs / 1000),
    UTCMS: words.wallMs % 1000,
    GroupID: words.id,
    'Object.Confidence': Math.round(words.confidence * 100),
    'TrafficCar.PlateNumber': words.plate,
    'TrafficCar.DrivingDirection[0]': { forward: 'Approach', reverse: 'Leave', unknown: 'Unknown' }[words.direction],
    'TrafficCar.VehicleColor': words.color,
    ...Object.fromEntries(boxOf(words).map((each, index) => [`Object.BoundingBox[${index}]`, each])),
  };
  return Object.entries(values)
    .map(([name, value]) => `Events[0].${name}=${value}\r\n`)
    .join('');
}
