/** A Uniview camera: it posts its events to subscribers, at a path that the vendor defines. */
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import { createCameraClock } from './camera-clock.js';
import { requireDigest, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor } from './camera-vendor.js';

const BASE = '/LAPI/V1.0/System/Event/Subscription';

const answer = (data: unknown, code = 0) => ({ Response: { ResponseCode: code, ResponseString: '', Data: data } });

export const univiewCamera: CameraVendor = {
  encode: null,
  createDevice(camera, seen, clock = createCameraClock()) {
    const device = new Hono();
    const subscriptions = new Map<string, () => void>();
    let count = 0;
    device.use(requireDigest(camera, 'uniview'));
    device.get('/LAPI/V1.0/System/DeviceInfo', (context) => context.json(answer({ DeviceModel: 'IPC2122' })));
    device.get('/LAPI/V1.0/System/Time', (context) =>
      context.json(answer({ TimeZone: 'GMT+01:00', DeviceTime: Math.floor(clock.now() / 1000), DateFormat: 0 })),
    );
    device.put('/LAPI/V1.0/System/Time', async (context) => {
      const { TimeZone, DeviceTime } = await context.req.json<{ TimeZone?: string; DeviceTime: number }>();
      if (TimeZone === undefined) return context.json(answer({}, 2));
      clock.set(DeviceTime * 1000);
      return context.json(answer({}));
    });
    device.get(BASE, (context) => context.json(answer({ Num: subscriptions.size })));
    device.post(BASE, async (context) => {
      const { IPAddress, Port } = await context.req.json<{ IPAddress: string; Port: number }>();
      const id = String(++count);
      const url = `http://${IPAddress}:${Port}/LAPI/V1.0/System/Event/Notification/Structure`;
      subscriptions.set(
        id,
        seen.subscribe((event) => void post(url, bodyOf(camera, event, id))),
      );
      return context.json(answer({ ID: Number(id), Reference: referenceOf(camera, id) }));
    });
    device.put(`${BASE}/:id`, (context) =>
      context.json(answer({}, subscriptions.has(context.req.param('id')) ? 0 : 5)),
    );
    device.delete(`${BASE}/:id`, (context) => {
      const id = context.req.param('id');
      subscriptions.get(id)?.();
      subscriptions.delete(id);
      return context.json(answer({}));
    });
    return device;
  },
};

/** An event that was not accepted is lost: the camera has no memory. */
const post = (url: string, body: string): Promise<unknown> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);

/** A camera behind a router names itself by its address behind that router. */
const referenceOf = ({ device_id }: CarParkCamera, id: string): string =>
  `${device_id}.lan:80/Subscription/Subscribers/${id}`;

function bodyOf(camera: CarParkCamera, event: CameraEvent, id: string): string {
  const words = wordsOf(camera, event);
  return JSON.stringify({
    Reference: referenceOf(camera, id),
    TimeStamp: Math.floor(words.wallMs / 1000),
    Seq: Number.parseInt(words.id.slice(-6), 16),
    StructureInfo: {
      ObjInfo: {
        VehicleInfoList: [
          {
            ID: 1,
            VehicleAttributeInfo: { Type: words.type },
            PlateAttributeInfo: { PlateNo: words.plate, Confidence: Math.round(words.confidence * 100) },
          },
        ],
      },
      ImageInfoList: [{ Index: 1, Data: words.scene }],
    },
  });
}
