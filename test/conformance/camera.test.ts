import { createHmac } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { resultTable } from './camera-results.js';
import { startSimulated } from './start-simulated.js';
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

/** JSON that names a vehicle, as its vendor does not. */
const odd = (body: string): PushSample => ({ name: body, contentType: 'application/json', body: Buffer.from(body) });

cameraConformance('Hikvision', {
  driver: 'hikvision',
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
          make: null,
          color: 'blue',
          model: null,
          country_code: 'HR',
          channels: ['1'],
        },
      },
      {
        ...xml('anpr-prefixed-reverse.xml'),
        read: {
          vendor_event_id: 'b7f0c1de-prefixed',
          raw_plate: '0012345',
          confidence: 1,
          movement: 'away',
          camera_time: { epoch_ms: Date.UTC(2026, 0, 15, 12, 59, 58, 250), offset_min: 0 },
          retransmission: true,
          type: 'bus',
          color: null,
          country_code: 'PL',
        },
      },
      {
        ...xml('anpr-colour-prefix.xml'),
        read: { raw_plate: '蓝皖B5KM21', movement: 'unknown', type: 'truck', country_code: null },
      },
      { ...xml('anpr-no-plate.xml'), read: { raw_plate: 'unknown', confidence: 0 } },
      {
        ...xml('anpr-picture-addresses.xml'),
        read: {
          raw_plate: 'ZG4821AB',
          movement: 'away',
          country_code: 'HR',
          pictures: {
            full: null,
            plate: null,
            plate_box: { x: 0.5, y: 0.5, width: 0.125, height: 0.0625 },
            full_address: 'http://192.0.2.21/picture/Streaming/tracks/103/?name=scene&size=262144',
          },
        },
      },
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
    others: [
      ...['heartbeat.xml', 'heartbeat-videoloss.xml', 'motion.xml'].map(xml),
      odd('{"eventType":"faceCapture"}'),
      odd('{"eventType":"heartBeat"}'),
      {
        name: 'JSON of a face with its picture',
        contentType: 'multipart/form-data; boundary=MIME_boundary',
        body: multipartBody(
          [
            part('faceCapture', 'application/json', '{"eventType":"faceCapture"}'),
            part('licensePlatePicture.jpg', 'image/jpeg', PLATE_PICTURE),
          ],
          STRICT,
        ),
      },
      { name: 'the test of the address', contentType: '', body: Buffer.alloc(0) },
    ],
    malformed: [
      odd('{"eventType":"vehicle","data":{"licensePlate":"ZG4821AB"}}'),
      odd('{"eventType":"vehicleDetect","Result":[{"plateNumber":"ZG4821AB"}]}'),
      odd('{"eventType":"ANPR"}'),
    ],
  },
  startDevice: startSimulated('hikvision'),
  simulated: [{ isHeard: false }, { isHeard: true }],
});

/** All fixtures show the same vehicle at the same moment. */
const AT = { epoch_ms: Date.UTC(2026, 0, 15, 12, 0, 0, 250), offset_min: null };
const UTC_AT = { ...AT, offset_min: 0 };
const FULL = jpegLike('the whole scene');
const PLATE = jpegLike('the plate');
const PICTURES = { full: FULL, plate: PLATE };
const json = (folder: string, name: string, more: Partial<PushSample> = {}): PushSample => ({
  name,
  contentType: name.endsWith('.xml') ? 'application/xml' : 'application/json',
  body: Buffer.from(cameraFixture(folder, name)),
  ...more,
});

cameraConformance('Milesight', {
  driver: 'milesight',
  pushes: {
    reads: [
      {
        ...json('mapping', 'milesight/plate.json'),
        read: {
          raw_plate: 'ZG4821AB',
          confidence: 0.87,
          movement: 'towards',
          camera_time: AT,
          type: 'car',
          make: 'Skoda',
          color: 'blue',
          country_code: 'HR',
          pictures: { ...PICTURES, plate_box: { x: 0.5, y: 0.5, width: 0.1, height: 0.05 } },
        },
      },
      {
        ...json('mapping', 'milesight/dashes.json'),
        read: { raw_plate: '', confidence: null, movement: 'absent', type: null, make: null, country_code: null },
      },
    ],
    others: [{ name: 'an empty body', contentType: 'application/json', body: Buffer.alloc(0) }],
  },
  startDevice: null,
  simulated: [{ isHeard: false }],
});

cameraConformance('OpenALPR', {
  driver: 'openalpr',
  pushes: {
    reads: [
      {
        ...json('mapping', 'openalpr/group.json'),
        read: {
          vendor_event_id: 'SITE7-cam2-1768478400250',
          candidates: [{ raw_plate: '2G4821AB', confidence: 0.84 }],
          raw_plate: 'ZG4821AB',
          confidence: 0.925,
          camera_time: UTC_AT,
          type: 'car',
          make: 'skoda',
          color: 'blue',
          pictures: { ...PICTURES, plate_box: null },
        },
      },
    ],
    others: [json('mapping', 'openalpr/results.json'), json('mapping', 'openalpr/heartbeat.json')],
    hears: { bodies: ['JSON without a plate'] },
  },
  startDevice: null,
  simulated: [{ isHeard: false, saysDirection: false }],
});

cameraConformance('Plate Recognizer', {
  driver: 'platerecognizer',
  pushes: {
    reads: [
      {
        ...json('mapping', 'platerecognizer/stream.json'),
        read: {
          raw_plate: 'zg4821ab',
          candidates: [{ raw_plate: 'zg482iab', confidence: 0.74 }],
          confidence: 0.91,
          movement: 'absent',
          camera_time: UTC_AT,
          type: 'car',
          make: 'Skoda',
          model: 'Octavia',
          country_code: 'HR',
        },
      },
      {
        name: 'multipart of the field json and the file upload',
        contentType: 'multipart/form-data; boundary=MIME_boundary',
        body: multipartBody(
          [
            part('json', 'application/json', cameraFixture('mapping', 'platerecognizer/stream.json'), ''),
            part('upload', 'image/jpeg', FULL, 'frame.jpg'),
          ],
          STRICT,
        ),
        read: { raw_plate: 'zg4821ab', pictures: { full: FULL, plate: null, plate_box: null } },
      },
      {
        ...json('mapping', 'platerecognizer/parkpow.json'),
        read: {
          raw_plate: 'zg4821ab',
          candidates: [{ raw_plate: 'zg4b21ab', confidence: 0.6 }],
          confidence: 0.8,
          type: 'bus',
          make: 'MAN',
          color: 'white',
        },
      },
    ],
    others: [json('mapping', 'platerecognizer/no-plate.json')],
    hears: { bodies: ['JSON without a plate'] },
  },
  startDevice: null,
  simulated: [{ isHeard: false, saysDirection: false }],
});

const SIGNED_AT = String(Math.floor(Date.now() / 1000));
const signatureOf = (body: Uint8Array) =>
  createHmac('sha256', 'a secret of the camera').update(body).update(`|${SIGNED_AT}`).digest('hex');
const signed = (sample: PushSample): PushSample => ({
  ...sample,
  headers: { 'verkada-signature': `${SIGNED_AT}|${signatureOf(sample.body)}` },
});

cameraConformance('Verkada', {
  driver: 'verkada',
  item: { password: 'a secret of the camera' },
  pushes: {
    reads: [
      {
        ...signed(json('mapping', 'verkada/lpr.json')),
        read: { vendor_event_id: '5f6a7b8c-0001', raw_plate: 'ZG4821AB', confidence: 0.94, camera_time: UTC_AT },
      },
    ],
    others: [signed(json('mapping', 'verkada/notification.json'))],
    malformed: [
      { ...json('mapping', 'verkada/lpr.json'), name: 'a push without signature' },
      {
        ...json('mapping', 'verkada/lpr.json'),
        name: 'a push with a wrong signature',
        headers: { 'verkada-signature': `${SIGNED_AT}|${'0'.repeat(64)}` },
      },
    ],
  },
  startDevice: null,
  simulated: [{ isHeard: false, saysDirection: false }],
});

cameraConformance('LILIN', {
  driver: 'lilin',
  pushes: {
    reads: [
      {
        ...json('mapping', 'lilin/plate.json'),
        read: {
          raw_plate: 'ZG4821AB',
          camera_time: { ...AT, epoch_ms: AT.epoch_ms - 250 },
          pictures: { full: FULL, plate: null, plate_box: null },
        },
      },
      {
        name: 'multipart of its list',
        contentType: 'multipart/form-data; boundary=MIME_boundary',
        body: multipartBody(
          [
            part('LPR0', 'text/plain', 'ZG4821AB', ''),
            part('LPR_TIME0', 'text/plain', '2026-01-15 12:00:00', ''),
            part('LP_BMP0', 'image/jpeg', FULL),
          ],
          STRICT,
        ),
        read: { raw_plate: 'ZG4821AB', pictures: { full: FULL, plate: null, plate_box: null } },
      },
    ],
    others: [],
  },
  startDevice: null,
  simulated: [
    { isHeard: false, saysDirection: false },
    { isHeard: true, saysDirection: false },
  ],
});

cameraConformance('Genetec', {
  driver: 'genetec',
  pushes: {
    reads: [
      {
        ...json('mapping', 'genetec/nested.json'),
        read: {
          vendor_event_id: '1f2e3d4c-0000-4000-8000-000000000001',
          raw_plate: 'ZG4821AB',
          confidence: 0.91,
          movement: 'towards',
          camera_time: AT,
          type: 'truck',
          country_code: null,
          pictures: { ...PICTURES, plate_box: null },
        },
      },
      {
        ...json('mapping', 'genetec/nested.xml'),
        read: { raw_plate: 'ZG4821AB', confidence: null, movement: 'away', camera_time: { ...AT, offset_min: 60 } },
      },
      {
        ...json('mapping', 'genetec/flat.json'),
        read: {
          vendor_event_id: '77123',
          raw_plate: 'ZG4821AB',
          confidence: 0.88,
          make: 'Skoda',
          camera_time: { ...AT, epoch_ms: AT.epoch_ms - 250 },
        },
      },
      { ...json('mapping', 'genetec/ambiguous-date.json'), read: { raw_plate: 'ZG4821AB', camera_time: null } },
      {
        ...json('mapping', 'genetec/upload.xml'),
        read: {
          vendor_event_id: '1f2e3d4c-0000-4000-8000-000000000003',
          raw_plate: 'ZG4821AB',
          confidence: 0.92,
          movement: 'towards',
          camera_time: AT,
          pictures: { ...PICTURES, plate_box: null },
        },
      },
      {
        ...json('mapping', 'genetec/upload-own-times.xml'),
        read: { raw_plate: 'ZG4821AB', vendor_event_id: '1f2e3d4c-0000-4000-8000-000000000004', camera_time: null },
      },
    ],
    others: [],
  },
  startDevice: null,
  simulated: [{ isHeard: false }],
});

cameraConformance('UniFi', {
  driver: 'unifi',
  pushes: {
    reads: [
      {
        ...json('mapping', 'unifi/known.json'),
        read: {
          vendor_event_id: '65f0a0000001',
          raw_plate: 'ZG4821AB',
          confidence: null,
          movement: 'absent',
          camera_time: UTC_AT,
          pictures: { full: FULL, plate: null, plate_box: null },
        },
      },
      { ...json('mapping', 'unifi/unknown-by-group.json'), read: { raw_plate: 'ZG4821AB' } },
      {
        ...json('mapping', 'unifi/older.json'),
        read: { raw_plate: 'ZG4821AB', color: 'blue', camera_time: { epoch_ms: 1_768_478_400_250, offset_min: 0 } },
      },
    ],
    others: [json('mapping', 'unifi/motion.json')],
    hears: { bodies: ['JSON without a plate'] },
  },
  startDevice: null,
  simulated: [{ isHeard: false, saysDirection: false }],
});

cameraConformance('Survision', {
  driver: 'survision',
  pushes: {
    reads: [
      {
        ...json('mapping', 'survision/plate.json'),
        read: {
          vendor_event_id: '12 3456',
          raw_plate: 'ZG4821AB',
          confidence: 0.95,
          movement: 'towards',
          camera_time: UTC_AT,
          country_code: 'HR',
        },
      },
      {
        ...json('mapping', 'survision/not-synchronised.json'),
        read: { raw_plate: 'ZG4821AB', movement: 'away', camera_time: null },
      },
    ],
    others: [],
    malformed: [json('mapping', 'survision/info.json')],
  },
  startDevice: null,
  simulated: [{ isHeard: false }],
});

cameraConformance('any by a mapping', {
  driver: 'mapping',
  item: {
    mapping: {
      list: ['evt.cars', 'cars'],
      only: [],
      plate: ['nr', 'plate'],
      event_id: ['evt.no', 'id'],
      confidence: { at: ['sure', 'confidence'], of: 1 },
      direction: { at: 'dir', towards: ['hin'], away: ['weg'] },
      time: { at: ['evt.when'], format: 'DD.MM.YYYY HH:mm:ss' },
      full: { base64: ['photo'] },
    },
  },
  pushes: {
    reads: [
      {
        ...json('mapping', 'mapping/swing.json'),
        read: {
          vendor_event_id: '88',
          raw_plate: 'ZG4821AB',
          confidence: 0.9,
          movement: 'towards',
          camera_time: { ...AT, epoch_ms: AT.epoch_ms - 250 },
          pictures: { full: FULL, plate: null, plate_box: null },
        },
      },
    ],
    others: [],
    hears: { bodies: ['JSON without a plate'] },
  },
  startDevice: null,
});

cameraConformance('any by a small mapping', {
  driver: 'mapping',
  item: {
    mapping: {
      plate: 'plate',
      time: { at: 'time' },
      confidence: { at: 'confidence', of: 1 },
      event_id: 'id',
      full: { base64: 'photo' },
    },
  },
  pushes: {
    reads: [
      {
        name: 'a plate',
        contentType: '',
        body: Buffer.from('{"plate": "ZG4821AB"}'),
        read: { raw_plate: 'ZG4821AB', vendor_event_id: null },
      },
    ],
    others: [],
  },
  startDevice: null,
  simulated: [{ isHeard: false, saysDirection: false }],
});

cameraConformance('Axis', {
  driver: 'axis',
  pushes: {
    reads: [
      {
        ...json('axis', 'new.json'),
        read: {
          vendor_event_id: '020000000021 4711 1768478400250',
          raw_plate: 'ZG4821AB',
          confidence: 0.871,
          movement: 'unknown',
          camera_time: UTC_AT,
          country_code: 'HR',
        },
      },
      {
        ...json('axis', 'ffgroup-updated.json'),
        read: { raw_plate: 'ZG4821AB', movement: 'unknown', pictures: { ...PICTURES, plate_box: null } },
      },
      { ...json('axis', 'utf8-plate.json'), read: { raw_plate: 'ČK123AB', movement: 'away' } },
      {
        name: 'multipart of event and image',
        contentType: 'multipart/form-data; boundary=MIME_boundary',
        body: multipartBody(
          [part('event', 'application/json', cameraFixture('axis', 'update.json')), part('image', 'image/jpeg', PLATE)],
          { ...STRICT, contentLength: false },
        ),
        read: {
          raw_plate: 'ZG4821AB',
          movement: 'towards',
          pictures: expect.objectContaining({ full: null, plate: PLATE }) as never,
        },
      },
    ],
    others: [json('axis', 'lost.json')],
    malformed: [odd('{"type":"vehicle","data":{"plate":"ZG4821AB"}}')],
  },
  startDevice: startSimulated('axis'),
  simulated: [{ isHeard: false }],
});

const zhenshiAnswer = (plateid: number, more = {}) =>
  JSON.stringify({
    Response_AlarmInfoPlate: { info: 'no', content: 'retransfer_stop', is_pay: 'false', plateid, ...more },
  });

cameraConformance('Zhenshi', {
  driver: 'zhenshi',
  pushes: {
    reads: [
      {
        ...json('zhenshi', 'plate.json', { answer: zhenshiAnswer(5012) }),
        read: {
          candidates: [{ raw_plate: 'ZG4B21AB', confidence: null }],
          vendor_event_id: '1a2b3c4d-5e6f7081 5012 1768478400',
          raw_plate: 'ZG4821AB',
          confidence: 0.93,
          movement: 'towards',
          camera_time: UTC_AT,
          retransmission: false,
          pictures: { ...PICTURES, plate_box: null },
        },
      },
      {
        ...json('zhenshi', 'offline.json', {
          answer: zhenshiAnswer(5013, { ContinuePushOffline: { plateid: 5013, continue: 1 } }),
        }),
        read: { raw_plate: 'ZG1111AA', movement: 'away', retransmission: true, history: true },
      },
      {
        ...json('zhenshi', 'no-plate.json', { answer: zhenshiAnswer(5014) }),
        read: { raw_plate: '', movement: 'unknown' },
      },
    ],
    others: [
      json('zhenshi', 'gio-in.json', { answer: '{"status":"ok"}' }),
      {
        name: 'a heartbeat with the password',
        contentType: 'multipart/form-data; boundary=b',
        body: Buffer.from('--b\r\nContent-Disposition: form-data; name="pass_wd"\r\n\r\nadmin123\r\n--b--\r\n'),
        answer: '{"status":"ok"}',
      },
      {
        name: 'a heartbeat with the password in another form',
        contentType: 'text/plain',
        body: Buffer.from('device_name=Entry&pass_wd=admin123'),
        answer: '{"status":"ok"}',
      },
    ],
    malformed: [odd('{"SerialData":{"license":"x","plateNumber":"ZG4821AB"}}')],
    hears: {
      bodies: ['XML with an external entity', 'no parts', 'parts without a boundary', 'a picture as the only part'],
      answer: '{"status":"ok"}',
    },
  },
  startDevice: null,
  simulated: [{ isHeard: false }, { isHeard: true, address: (port) => `mqtt://127.0.0.1:${port}/1a2b3c4d-5e6f7081` }],
});

cameraConformance('Dahua', {
  driver: 'dahua',
  pushes: {
    reads: [
      {
        ...json('dahua', 'tollgate.json', { path: '/NotificationInfo/TollgateInfo' }),
        read: {
          vendor_event_id: '8J0AB1234567 2026-01-15 13:00:00.250 ZG4821AB',
          raw_plate: 'ZG4821AB',
          confidence: 0.88,
          movement: 'towards',
          camera_time: AT,
          type: 'car',
          make: 'Skoda',
          color: 'blue',
          pictures: expect.objectContaining(PICTURES) as never,
        },
      },
      { ...json('dahua', 'tollgate-no-plate.json'), read: { raw_plate: '' } },
      {
        name: 'multipart of PictureHttpUpload',
        contentType: 'multipart/x-mixed-replace; boundary=MIME_boundary',
        body: multipartBody(
          [
            part('info', 'text/plain', cameraFixture('dahua', 'junction-lines.txt'), ''),
            part('pic', 'image/jpeg', FULL),
          ],
          STRICT,
        ),
        read: { raw_plate: 'ZG4821AB', pictures: expect.objectContaining({ full: FULL, plate: null }) as never },
      },
    ],
    others: [
      json('dahua', 'keep-alive.json', { path: '/NotificationInfo/KeepAlive' }),
      json('dahua', 'device-info.json', { path: '/NotificationInfo/DeviceInfo' }),
    ],
    malformed: [odd('{"DeviceID":"x","Plate":{"PlateNumber":"ZG4821AB"}}')],
  },
  startDevice: startSimulated('dahua'),
  simulated: [{ isHeard: false }, { isHeard: true }],
});

cameraConformance('Uniview', {
  driver: 'uniview',
  pushes: {
    reads: [
      {
        ...json('uniview', 'structure.json'),
        read: {
          raw_plate: 'ZG4821AB',
          confidence: 0.9,
          movement: 'absent',
          type: 'car',
          pictures: { ...PICTURES, plate_box: { x: 0.5, y: 0.5, width: 0.1, height: 0.05 } },
        },
      },
      { ...json('uniview', 'unknown-plate.json'), read: { raw_plate: '' } },
    ],
    others: [json('uniview', 'alarm.json')],
    malformed: [odd('{"Reference":"x","Seq":1,"Plate":{"PlateNo":"ZG4821AB"}}')],
  },
  startDevice: startSimulated('uniview'),
  simulated: [{ isHeard: true, saysDirection: false, isMissedLate: true }],
});

cameraConformance('Frigate', {
  driver: 'frigate',
  item: { address: 'mqtt://192.0.2.40:1883' },
  pushes: null,
  startDevice: null,
  simulated: [{ isHeard: true, saysDirection: false, address: (port) => `mqtt://127.0.0.1:${port}` }],
});

cameraConformance('ONVIF', {
  driver: 'onvif',
  pushes: null,
  startDevice: startSimulated('onvif'),
  simulated: [{ isHeard: true }],
});

afterAll(() => void process.stdout.write(resultTable()));
