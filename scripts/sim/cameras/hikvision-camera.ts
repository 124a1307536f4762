/** A Hikvision camera: its events, and the part of its ISAPI by which others find it. */
import { parseCameraTime } from '../../../agent/lpr/formats/camera-time-parser.js';
import { createCameraClock } from './camera-clock.js';
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import type { CameraEvent, CameraVendor, SeenEvents } from './camera-vendor.js';
import { createDigestAccess } from './digest-access.js';
import { cameraTime, encodeHikvisionEvent, escapeXml, hikvisionParts } from './hikvision-event-codec.js';
import { streamOf } from './event-stream.js';

export const hikvisionCamera = {
  encode: (camera: CarParkCamera, event: CameraEvent, retransmission: boolean) =>
    encodeHikvisionEvent(camera, event, { macAddress: macAddressOf(camera), retransmission }),
  createDevice,
} satisfies CameraVendor;

function createDevice(camera: CarParkCamera, seen?: SeenEvents, clock = createCameraClock()): Hono {
  const device = new Hono();
  const serial = serialOf(camera);
  const access = createDigestAccess({ realm: `IP Camera(${serial})`, ...camera });
  device.use(async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const authorization = context.req.header('Authorization');
    if (camera.username === '') return next();
    if (access.allows({ method: context.req.method, uri: pathname + search, authorization })) return next();
    context.header('WWW-Authenticate', access.challenge());
    return context.body(
      responseStatus(context.req.path, { code: 4, text: 'Invalid Operation', sub: 'unauthorized' }),
      401,
      {
        'Content-Type': 'application/xml',
      },
    );
  });
  device.get('/ISAPI/System/deviceInfo', (context) =>
    context.body(deviceInfo(camera, serial), 200, { 'Content-Type': 'application/xml' }),
  );
  const xml = (body: string) => new Response(body, { headers: { 'content-type': 'application/xml' } });
  const settings = new Map([
    ['/ISAPI/Event/notification/httpHosts/1', host(1, '/their/system')],
    ['/ISAPI/Event/notification/httpHosts/2', host(2, '')],
    ['/ISAPI/Event/triggers/vehicledetection-1', TRIGGER],
    [TIME_PATH, TIME],
    ['/ISAPI/System/time/ntpServers/1', TIME_SERVER],
  ]);
  device.get('/ISAPI/Event/notification/httpHosts', () => {
    const hosts = [...settings].flatMap(([path, body]) => (path.includes('/httpHosts/') ? [body] : []));
    return xml(
      `<HttpHostNotificationList version="2.0">${hosts.join('').replaceAll(/<\?xml[^>]*>/g, '')}</HttpHostNotificationList>`,
    );
  });
  let offset: string | null = null;
  for (const path of settings.keys()) {
    device.get(path, () =>
      xml(timed(settings.get(path) ?? '', { now: clock.now(), timezone: camera.timezone, offset })),
    );
    device.put(path, async (context) => {
      const body = await context.req.text();
      const given = parseCameraTime(LOCAL_TIME.exec(body)?.[1] ?? '', camera.timezone);
      // A request without a time leaves the clock as it is.
      if (given !== null) {
        clock.set(given.epoch_ms);
        offset = /[+-]\d\d:\d\d(?=<\/localTime>)/.exec(body)?.[0] ?? offset;
      }
      const hasTime = path !== TIME_PATH || LOCAL_TIME.test(body);
      settings.set(path, hasTime ? body : body.replace('</timeMode>', '</timeMode><localTime></localTime>'));
      if (path.includes('/httpHosts/')) seen?.setPushAddress?.(pushAddressIn(body));
      return xml(responseStatus(path, { code: 1, text: 'OK', sub: 'ok' }));
    });
  }
  device.get('/ISAPI/Event/notification/alertStream', () =>
    streamOf(seen, {
      contentType: 'multipart/mixed; boundary=boundary',
      boundary: 'boundary',
      heartbeat: { type: 'application/xml', bytes: Buffer.from(VIDEO_LOSS) },
      parts: (event) => hikvisionParts(camera, event, { macAddress: macAddressOf(camera), retransmission: false }),
    }),
  );
  device.notFound((context) =>
    context.body(responseStatus(context.req.path, { code: 4, text: 'Invalid Operation', sub: 'notSupport' }), 404, {
      'Content-Type': 'application/xml',
    }),
  );
  return device;
}

/** Returns the address in a slot for pushes, if it is a gateway's. */
function pushAddressIn(slot: string): string | null {
  const of = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(slot)?.[1] ?? '';
  const path = of('url');
  return path.startsWith('/lpr/') ? `http://${of('ipAddress')}:${of('portNo')}${path}` : null;
}

const host = (id: number, url: string): string =>
  `<HttpHostNotification version="2.0"><id>${id}</id><url>${url}</url><protocolType>HTTP</protocolType><parameterFormatType>XML</parameterFormatType><addressingFormatType>ipaddress</addressingFormatType><ipAddress>${url === '' ? '0.0.0.0' : '192.0.2.9'}</ipAddress><portNo>80</portNo><httpAuthenticationMethod>none</httpAuthenticationMethod></HttpHostNotification>`;

const TIME_SERVER =
  '<NTPServer version="2.0"><id>1</id><addressingFormatType>hostname</addressingFormatType><hostName>clock.example</hostName><portNo>123</portNo><synchronizeInterval>1440</synchronizeInterval></NTPServer>';

const TRIGGER =
  '<EventTrigger version="2.0"><id>vehicledetection-1</id><eventType>vehicledetection</eventType><EventTriggerNotificationList><EventTriggerNotification><id>record-1</id><notificationMethod>record</notificationMethod></EventTriggerNotification></EventTriggerNotificationList></EventTrigger>';

const TIME_PATH = '/ISAPI/System/time';
const LOCAL_TIME = /<localTime>([^<]*)<\/localTime>/;
/** The clock was set by hand once. */
const TIME =
  '<Time version="2.0"><timeMode>manual</timeMode><localTime></localTime><timeZone>CST-1:00:00</timeZone></Time>';

/** Writes the time of now into a setting that has one, in the zone that the camera was given last; null: its own. */
function timed(setting: string, { now, timezone, offset }: { now: number; timezone: string; offset: string | null }) {
  const [sign = '+', hours = 0, minutes = 0] = offset === null ? [] : [offset[0], offset.slice(1, 3), offset.slice(4)];
  const aheadMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const local =
    offset === null
      ? cameraTime(now, timezone).iso.replace(/\.\d+/, '')
      : new Date(now + aheadMs).toISOString().replace(/\.\d+Z/, offset);
  return setting.replace(LOCAL_TIME, `<localTime>${local}</localTime>`);
}

/** The stream sends this every few seconds to show that the connection is alive. */
const VIDEO_LOSS =
  '<EventNotificationAlert version="2.0"><eventType>videoloss</eventType><eventState>inactive</eventState></EventNotificationAlert>';

function deviceInfo(camera: CarParkCamera, serial: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<DeviceInfo version="2.0" xmlns="http://www.hikvision.com/ver20/XMLSchema">
<deviceName>${escapeXml(camera.name)}</deviceName>
<deviceID>${serial}</deviceID>
<model>iDS-2CD7A46G0/P-IZHS</model>
<serialNumber>iDS-2CD7A46G0/P-IZHS20240101AAWR${serial}</serialNumber>
<macAddress>${macAddressOf(camera)}</macAddress>
<firmwareVersion>V5.7.3</firmwareVersion>
<firmwareReleasedDate>build 220225</firmwareReleasedDate>
<deviceType>IPCamera</deviceType>
</DeviceInfo>
`;
}

function responseStatus(path: string, status: { code: number; text: string; sub: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ResponseStatus version="2.0" xmlns="http://www.hikvision.com/ver20/XMLSchema">
<requestURL>${escapeXml(path)}</requestURL>
<statusCode>${status.code}</statusCode>
<statusString>${status.text}</statusString>
<subStatusCode>${status.sub}</subStatusCode>
</ResponseStatus>
`;
}

/** The same camera has the same number after every start. */
function fingerprint(camera: CarParkCamera): Buffer {
  return createHash('sha256').update(camera.device_id).digest();
}

function serialOf(camera: CarParkCamera): string {
  return String(fingerprint(camera).readUInt32BE(0) % 1_000_000_000).padStart(9, '0');
}

function macAddressOf(camera: CarParkCamera): string {
  // 02 marks a locally administered address: no real device has it.
  return ['02', ...Array.from(fingerprint(camera).subarray(4, 9), (byte) => byte.toString(16).padStart(2, '0'))].join(
    ':',
  );
}
