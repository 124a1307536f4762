/** Cameras that only post JSON, in the format of their vendor. */
import { createHmac } from 'node:crypto';
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import { jsonPush, type Words, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor, PushRequest } from './camera-vendor.js';

function postingCamera(encode: (words: Words, camera: CarParkCamera) => PushRequest): CameraVendor {
  return {
    encode: (camera: CarParkCamera, event: CameraEvent) => encode(wordsOf(camera, event), camera),
    createDevice: () => new Hono(),
  };
}

const percent = (confidence: number): string => String(Math.round(confidence * 100));

const milesight = postingCamera((words) =>
  jsonPush({
    device: 'Network Camera',
    time: words.localTime,
    time_msec: words.localTime,
    plate: words.plate,
    type: 'Visitor',
    speed: '-',
    direction: { forward: 'Approach', reverse: 'Away', unknown: '-' }[words.direction],
    region: words.country || '-',
    resolution_width: '1000',
    resolution_height: '1000',
    coordinate_x1: String(Math.round(words.box.x * 1000)),
    coordinate_y1: String(Math.round(words.box.y * 1000)),
    coordinate_x2: String(Math.round((words.box.x + words.box.width) * 1000)),
    coordinate_y2: String(Math.round((words.box.y + words.box.height) * 1000)),
    confidence: percent(words.confidence),
    vehicle_type: words.type,
    vehicle_color: words.color,
    'Vehicle Brand': words.make || '-',
    plate_image: words.platePicture,
    full_image: words.scene,
  }),
);

const openalpr = postingCamera((words) =>
  jsonPush({
    data_type: 'alpr_group',
    version: 2,
    epoch_start: words.wallMs - 500,
    epoch_end: words.wallMs,
    best_uuid: words.id,
    best_plate_number: words.plate,
    best_confidence: words.confidence * 100,
    country: words.country.toLowerCase(),
    best_plate: { plate: words.plate, plate_crop_jpeg: words.platePicture },
    vehicle: { color: [{ name: words.color }], make: [{ name: words.make }], body_type: [{ name: words.type }] },
    vehicle_crop_jpeg: words.scene,
  }),
);

const platerecognizer = postingCamera((words) =>
  jsonPush({
    hook: { target: 'gate', id: 'camera', event: 'recognition' },
    data: {
      camera_id: 'camera',
      timestamp: words.utcTime,
      timestamp_local: words.localTime,
      results: [
        {
          plate: words.plate.toLowerCase(),
          score: words.confidence,
          region: { code: words.country.toLowerCase() },
          vehicle: { type: words.type },
          color: [{ color: words.color }],
          model_make: [{ make: words.make, model: '' }],
        },
      ],
    },
  }),
);

const verkada = postingCamera((words, { password }) => {
  const push = jsonPush({
    webhook_type: 'lpr',
    webhook_id: words.id,
    created_at: Math.round(words.wallMs / 1000),
    data: {
      license_plate_number: words.plate,
      confidence: words.confidence,
      detected: words.wallMs,
      crop: [words.box.x, words.box.y, words.box.width, words.box.height],
      image_url: 'https://pictures.vendor.example/a.jpg',
    },
  });
  // Without a secret the camera cannot sign: only the key in the address shows who posts.
  if (password === '') return push;
  const time = String(Math.round(words.wallMs / 1000));
  const signature = createHmac('sha256', password).update(push.body).update(`|${time}`).digest('hex');
  return { ...push, headers: { 'Verkada-Signature': `${time}|${signature}` } };
});

const genetec = postingCamera((words) =>
  jsonPush({
    PlateRead: words.plate,
    Timestamp: words.localTime.replace(' ', 'T'),
    Id: words.id,
    LprCameraName: 'SharpV - 1',
    PlateAnalytics: [
      { Key: 'State Name', Value: '-', Score: -1 },
      { Key: 'Confidence Score', Value: percent(words.confidence), Score: -1 },
      {
        Key: 'Relative Motion',
        Value: { forward: 'Closer', reverse: 'Away', unknown: 'Unknown' }[words.direction],
        Score: 0.9,
      },
      { Key: 'Vehicle Type', Value: words.type, Score: 0.9 },
    ],
    PlateImage: words.platePicture,
    ContextImage: words.scene,
  }),
);

const unifi = postingCamera((words) =>
  jsonPush({
    alarm: {
      name: 'Plates',
      triggers: [
        {
          device: '020000000001',
          key: 'license_plate_unknown',
          value: words.plate,
          eventId: words.id,
          group: { name: words.plate },
          zones: { line: [], zone: [1], loiter: [] },
        },
      ],
      thumbnail: `data:image/jpeg;base64,${words.scene}`,
    },
    timestamp: words.wallMs,
  }),
);

const survision = postingCamera((words) =>
  jsonPush(
    {
      anpr: {
        '@date': String(words.wallMs),
        '@synchronized': '1',
        '@session': '1',
        '@id': words.id,
        decision: {
          '@plate': words.plate,
          '@reliability': percent(words.confidence),
          '@context_isoAlpha2': words.country,
          '@direction': { forward: 'front', reverse: 'rear', unknown: 'unknown' }[words.direction],
          jpeg: words.scene,
        },
      },
    },
    { headers: { 'survision-serial-number': 'SV0001' } },
  ),
);

/** A vendor without a driver of its own: the mapping in the site file reads what it posts. */
const mapping = postingCamera((words) =>
  jsonPush({ plate: words.plate, time: words.iso, confidence: words.confidence, id: words.id, photo: words.scene }),
);

export const TABLE_CAMERAS: Readonly<Record<string, CameraVendor>> = {
  milesight,
  openalpr,
  platerecognizer,
  verkada,
  genetec,
  unifi,
  survision,
  mapping,
};
