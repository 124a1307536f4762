import { createHikvisionDriver } from '../../agent/lpr/hikvision/hikvision-driver.js';
import { hikvisionCamera } from '../sim/cameras/hikvision-camera.js';
import { entryCamera } from '../sim/cameras/entry-camera.js';
import { listenHttp } from '../sim/http-listener.js';
import { cameraFixture } from '../unit/lpr/camera-fixture.js';
import { jpegLike, multipartBody, part, STRICT } from '../unit/lpr/multipart-builder.js';
import { cameraConformance, type PushSample } from './camera-conformance.js';

const xml = (name: string): PushSample => ({
  name,
  contentType: 'application/xml; charset="UTF-8"',
  body: Buffer.from(cameraFixture('hikvision', name)),
});
const PLATE_PICTURE = jpegLike('the plate');
const SCENE = jpegLike('the whole scene, with --MIME_boundary in it');

cameraConformance('Hikvision', {
  create: createHikvisionDriver,
  pushes: {
    reads: [
      {
        ...xml('anpr-forward.xml'),
        read: {
          vendor_event_id: '20260115130000000Qk1vR5sT7uW9yAbCdEfGhIjKlMnOpQrStUvWxYz',
          raw_plate: 'ZG4821AB',
          confidence: 0.93,
          movement: 'towards',
          camera_time: { epoch_ms: Date.UTC(2026, 0, 15, 12), offset_min: 60 },
          retransmission: false,
          type: 'car',
          color: 'blue',
          country_code: 'HR',
        },
      },
      {
        ...xml('anpr-prefixed-reverse.xml'),
        read: { raw_plate: '0012345', movement: 'away', retransmission: true, type: 'bus', country_code: 'PL' },
      },
      { ...xml('anpr-colour-prefix.xml'), read: { raw_plate: '蓝皖B5KM21', movement: 'unknown', type: 'truck' } },
      { ...xml('anpr-no-plate.xml'), read: { raw_plate: 'unknown', confidence: 0 } },
      {
        name: 'multipart with pictures',
        contentType: 'multipart/form-data, boundary=MIME_boundary',
        body: multipartBody(
          [
            part('detectionPicture.jpg', 'image/jpeg', SCENE),
            part('anpr.xml', 'application/xml', cameraFixture('hikvision', 'anpr-forward.xml')),
            part('licensePlatePicture.jpg', 'image/jpeg', PLATE_PICTURE),
          ],
          STRICT,
        ),
        read: {
          raw_plate: 'ZG4821AB',
          pictures: {
            full: SCENE,
            plate: PLATE_PICTURE,
            plate_box: { x: 0.5, y: 0.25, width: 0.1, height: 0.05 },
          },
        },
      },
    ],
    others: ['heartbeat.xml', 'heartbeat-videoloss.xml', 'motion.xml'].map(xml),
    malformed: [
      { name: 'text', contentType: 'text/plain', body: Buffer.from('no XML at all') },
      { name: 'broken XML', contentType: 'application/xml', body: Buffer.from('<EventNotificationAlert><ANPR>') },
      { name: 'multipart without XML', contentType: 'multipart/form-data; boundary=x', body: Buffer.from('--x--\r\n') },
    ],
  },
  async startDevice(account) {
    const device = hikvisionCamera.createDevice(entryCamera({ name: 'Camera', ...account }));
    let passwordsTried = 0;
    const listener = await listenHttp(
      (request) => {
        if (request.headers.has('authorization')) passwordsTried += 1;
        return device.fetch(request);
      },
      { host: '127.0.0.1', port: 0 },
    );
    return {
      address: `http://127.0.0.1:${listener.port}`,
      passwordsTried: () => passwordsTried,
      close: () => listener.close(),
    };
  },
});
