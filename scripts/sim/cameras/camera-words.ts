/** The values that vendors send about one vehicle, in a common form. */
import type { MiddlewareHandler } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import type { CameraEvent, PushRequest } from './camera-vendor.js';
import { createDigestAccess } from './digest-access.js';
import { cameraTime, hikvisionDirection } from './hikvision-event-codec.js';

const CONFIDENCE_DEFAULT = 0.97;

export function wordsOf(camera: CarParkCamera, event: CameraEvent) {
  const { read, wallMs, pictures } = event;
  const { iso } = cameraTime(wallMs, camera.timezone);
  return {
    plate: read.plate,
    confidence: read.confidence ?? CONFIDENCE_DEFAULT,
    /** The direction of movement as the camera sees it. */
    direction: hikvisionDirection(camera, read.direction),
    /** Local time without an offset, and with it. */
    localTime: iso.replace('T', ' ').replace(/[+-]\d\d:\d\d$/, ''),
    iso,
    utcTime: new Date(wallMs).toISOString(),
    wallMs,
    id: event.uuid,
    type: read.type ?? 'car',
    make: read.make ?? '',
    color: read.color ?? pictures.color,
    country: read.country_code ?? '',
    scene: pictures.scene.toString('base64'),
    platePicture: pictures.plate.toString('base64'),
    box: pictures.plateBox,
  };
}
export type Words = ReturnType<typeof wordsOf>;

export const jsonPush = (document: unknown, more: Partial<PushRequest> = {}): PushRequest => ({
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(document)),
  ...more,
});

/** Requires digest authentication if the camera has an account. */
export function requireDigest(camera: CarParkCamera, realm: string): MiddlewareHandler {
  const access = createDigestAccess({ realm, ...camera });
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const authorization = context.req.header('Authorization');
    if (camera.username === '' || access.allows({ method: context.req.method, uri: pathname + search, authorization }))
      return next();
    context.header('WWW-Authenticate', access.challenge());
    return context.body(null, 401);
  };
}
