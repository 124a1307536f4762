/** A LILIN camera: it posts its plates or sends them in its alarm stream, and keeps a log. Its authentication is not documented: we assume digest. */
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import { jsonPush, requireDigest, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor } from './camera-vendor.js';
import { streamOf } from './event-stream.js';

const LOG_MAX = 1_000;
const NO_PLATES = 'MotionDetect=0\nDay=1\nLPR0=,ACT_PARAM0=,LPR_TIME0=,LP_BMP0=\n';

/** 2026-01-15 12:00:00 GMT */
const gmt = (utcTime: string): string => `${utcTime.slice(0, 19).replace('T', ' ')} GMT`;

export const lilinCamera: CameraVendor = {
  encode(camera, event) {
    const words = wordsOf(camera, event);
    return jsonPush({
      LPR0: words.plate,
      LPR_TIME0: words.utcTime.replace('T', ' ').replace(/Z$/, ''),
      LPR_SCORE0: String(Math.round(words.confidence * 100)),
      LP_BMP0: words.scene,
    });
  },
  createDevice(camera, seen) {
    const device = new Hono();
    const log: CameraEvent[] = [];
    seen.subscribe((event) => {
      log.unshift(event);
      if (log.length > LOG_MAX) log.pop();
    });
    device.use(requireDigest(camera, 'LILIN'));
    device.get('/getalarmmotion', () =>
      streamOf(seen, {
        contentType: 'multipart/x-mixed-replace; boundary=myboundary',
        boundary: 'myboundary',
        heartbeat: { type: 'text/plain', bytes: Buffer.from(NO_PLATES) },
        parts(event) {
          const alarm = { type: 'text/plain', bytes: Buffer.from(alarmOf(camera, event)) };
          // The camera repeats the last plate again and again.
          return [alarm, alarm];
        },
      }),
    );
    device.get('/get_search_info', (context) =>
      context.json({
        LPR_COUNT: log.length,
        INFORMATION: log.map((event, index) => entryOf(camera, event, index + 1)),
        LIST_TYPE: context.req.query('list'),
      }),
    );
    return device;
  },
};

function alarmOf(camera: CarParkCamera, event: CameraEvent): string {
  const { plate, utcTime } = wordsOf(camera, event);
  return `MotionDetect=0\nDay=1\nLPR0=${plate},ACT_PARAM0=Visitor,LP_X0=1108,LP_Y0=420,LP_W0=440,LP_H0=144,LPR_TIME0=${gmt(utcTime)},LP_BMP0=LPR_IMAGE/a.png\nLPR1=,ACT_PARAM1=,LPR_TIME1=,LP_BMP1= LPR2=,ACT_PARAM2=,LPR_TIME2=,LP_BMP2= LPR3=,ACT_PARAM3=,LPR_TIME3=,LP_BMP3=\n`;
}

function entryOf(camera: CarParkCamera, event: CameraEvent, index: number): Record<string, unknown> {
  const { plate, utcTime, confidence } = wordsOf(camera, event);
  return { INDEX: index, MOD_TS: gmt(utcTime), LPR: plate, ACT_PARAM: 'visitor', THRESHOLD: String(confidence) };
}
