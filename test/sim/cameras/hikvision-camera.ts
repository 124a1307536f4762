/** A Hikvision camera: its events, and the part of its ISAPI by which others find it. */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import type { CameraVendor } from './camera-vendor.js';
import { createDigestAccess } from './digest-access.js';
import { encodeHikvisionEvent, escapeXml } from './hikvision-event-codec.js';

export const hikvisionCamera: CameraVendor = {
  encode: (camera, event, retransmission) =>
    encodeHikvisionEvent(camera, event, { macAddress: macAddressOf(camera), retransmission }),
  createDevice,
};

function createDevice(camera: CarParkCamera): Hono {
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
  device.notFound((context) =>
    context.body(responseStatus(context.req.path, { code: 4, text: 'Invalid Operation', sub: 'notSupport' }), 404, {
      'Content-Type': 'application/xml',
    }),
  );
  return device;
}

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
  // 02: locally administered, so that it is never a real device's.
  return ['02', ...Array.from(fingerprint(camera).subarray(4, 9), (byte) => byte.toString(16).padStart(2, '0'))].join(
    ':',
  );
}
