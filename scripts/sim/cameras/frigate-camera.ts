/** A camera behind Frigate, which publishes its plates at a broker. */
import { Hono } from 'hono';
import { wordsOf } from './camera-words.js';
import type { CameraVendor } from './camera-vendor.js';

export const frigateCamera: CameraVendor = {
  encode: null,
  createDevice: () => new Hono(),
  publish(camera, event) {
    const words = wordsOf(camera, event);
    const url = new URL(camera.address);
    return {
      topic: `${url.pathname.slice(1) || 'frigate'}/tracked_object_update`,
      payload: JSON.stringify({
        type: 'lpr',
        id: words.id,
        name: null,
        plate: words.plate,
        score: words.confidence,
        camera: url.searchParams.get('camera') ?? camera.device_id,
        timestamp: words.wallMs / 1000,
      }),
    };
  },
};
