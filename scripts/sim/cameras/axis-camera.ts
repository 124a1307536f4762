/** An Axis camera with License Plate Verifier: multipart of event and picture; a car's first event is `new`, later ones are `update`. */
import { Hono } from 'hono';
import { createCameraClock, type SimCameraClock } from './camera-clock.js';
import { requireDigest, wordsOf } from './camera-words.js';
import type { CameraVendor } from './camera-vendor.js';

const BOUNDARY = '------------------------axis4d2f';

/** The number of the vehicle, the same in all its events. */
const carIdOf = (uuid: string): string => String(Number.parseInt(uuid.replaceAll('-', '').slice(0, 8), 16));

const EMPTY_SLOT =
  '<?xml version="1.0"?><cloud><url></url><protocol>1</protocol><event_new>0</event_new><event_update>0</event_update><event_lost>1</event_lost><use_multipart>0</use_multipart><use_event_buffer>1</use_event_buffer></cloud>';

/** Its time API and its push settings, of which the first slot is taken by another system. */
function addSettings(device: Hono, zone: string, clock: SimCameraClock): void {
  const slots = new Map([
    ['/local/fflprapp/cloud.cgi', EMPTY_SLOT.replace('<url></url>', `<url>${btoa('http://192.0.2.9/their')}</url>`)],
    ['/local/fflprapp/cloud2.cgi', EMPTY_SLOT],
    ['/local/fflprapp/cloud3.cgi', EMPTY_SLOT],
  ]);
  const xml = { 'content-type': 'application/xml' };
  for (const path of slots.keys()) {
    device.get(path, (context) => context.body(slots.get(path) ?? '', 200, xml));
    device.post(path, async (context) => {
      slots.set(path, await context.req.text());
      return context.body('<result>ok</result>', 200, xml);
    });
  }
  let ntp: object = { enabled: false, serversSource: 'DHCP', staticServers: [] };
  device.post('/axis-cgi/ntp.cgi', async (context) => {
    const { method, params } = await context.req.json<{ method: string; params?: object }>();
    if (method === 'setNTPClientConfiguration' && params !== undefined) ntp = params;
    return context.json({ apiVersion: '1.0', method, data: { client: ntp } });
  });
  let timeZone = zone;
  device.post('/axis-cgi/time.cgi', async (context) => {
    const { method, params } = await context.req.json<{ method: string; params?: Record<string, string> }>();
    if (method === 'setDateTime' && params?.dateTime !== undefined) clock.set(Date.parse(params.dateTime));
    else if (method === 'setTimeZone' && params?.timeZone !== undefined) timeZone = params.timeZone;
    else if (method !== 'getDateTimeInfo') return context.json({ error: { code: 2002, message: 'HTTP request type' } });
    return context.json({
      apiVersion: '1.0',
      method,
      data: { dateTime: new Date(clock.now()).toISOString(), timeZone },
    });
  });
}

export const axisCamera: CameraVendor = {
  encode(camera, event) {
    const words = wordsOf(camera, event);
    const json = JSON.stringify({
      packetCounter: '1',
      capture_timestamp: String(words.wallMs),
      plateText: words.plate,
      plateUTF8: words.plate,
      plateASCII: words.plate.replace(/[^ -~]/g, '?'),
      plateCountry: words.country,
      plateConfidence: words.confidence.toFixed(6),
      carState: 'update',
      carMoveDirection: { forward: 'in', reverse: 'out', unknown: 'unknown' }[words.direction],
      carID: carIdOf(words.id),
      imageType: 'roi',
      camera_info: { SerialNumber: '020000000021' },
    });
    const part = (name: string, type: string, bytes: Buffer) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ];
    return {
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      body: Buffer.concat([
        ...part('event', 'application/json', Buffer.from(json)),
        ...part('image', 'image/jpeg', event.pictures.scene),
        Buffer.from(`--${BOUNDARY}--\r\n`),
      ]),
    };
  },
  createDevice(camera, _seen, clock = createCameraClock()) {
    const device = new Hono();
    device.use(requireDigest(camera, 'AXIS_020000000021'));
    device.get('/axis-cgi/param.cgi', (context) => context.text('root.Brand.Brand=AXIS\n'));
    addSettings(device, camera.timezone, clock);
    return device;
  },
};
