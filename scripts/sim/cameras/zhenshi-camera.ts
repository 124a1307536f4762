/** A Zhenshi camera: pushes its plates over HTTP or publishes them at a broker. */
import { createCameraClock } from './camera-clock.js';
import type { CarParkCamera } from '../car-park.js';
import { jsonPush, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor } from './camera-vendor.js';
import { createZhenshiWeb } from './zhenshi-web.js';

const SERIAL = '1a2b3c4d-5e6f7081';

function alarmOf(camera: CarParkCamera, event: CameraEvent, options: { isBase64: boolean; isOffline: boolean }) {
  const words = wordsOf(camera, event);
  const { plate } = words;
  return {
    AlarmInfoPlate: {
      channel: 0,
      deviceName: camera.name,
      serialno: SERIAL,
      result: {
        PlateResult: {
          license: options.isBase64 ? Buffer.from(plate).toString('base64') : plate,
          confidence: Math.round(words.confidence * 100),
          type: 26,
          triggerType: 1,
          direction: { forward: 4, reverse: 3, unknown: 0 }[words.direction],
          plateid: Number.parseInt(words.id.slice(0, 6), 16),
          isoffline: options.isOffline ? 1 : 0,
          record_uuid: words.id,
          timeStamp: { Timeval: { sec: Math.floor(words.wallMs / 1000), usec: (words.wallMs % 1000) * 1000 } },
          imageFile: words.scene,
          imageFragmentFile: words.platePicture,
        },
      },
    },
  };
}

const serialOf = (camera: CarParkCamera): string => new URL(camera.address).pathname.slice(1) || camera.device_id;

export const zhenshiCamera: CameraVendor = {
  encode: (camera, event, retransmission) =>
    jsonPush(alarmOf(camera, event, { isBase64: false, isOffline: retransmission })),
  createDevice: (camera, _seen, clock = createCameraClock()) => createZhenshiWeb(camera, clock),
  publish(camera, event) {
    const sn = serialOf(camera);
    const payload = { type: 'ivs_result', ...alarmOf(camera, event, { isBase64: true, isOffline: false }) };
    const message = { id: event.uuid, sn, name: 'ivs_result', version: '1.0', timestamp: event.wallMs / 1000, payload };
    return { topic: `device/${sn}/message/up/ivs_result`, payload: JSON.stringify(message) };
  },
};
