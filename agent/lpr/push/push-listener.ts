/**
 * Receives the reads that cameras post: `POST /lpr/{driver}/{device_id}/{push_key}`. A read is stored before the camera is answered.
 * Of a push that is not authorised nothing is read; the body of one that is has its place in the budget before it is read.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { CameraDrivers, ParsedPush, PushReader } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { PlateReads } from '../reads/plate-reads.js';
import type { BodyBudget } from './body-budget.js';
import type { Quarantine } from './quarantine.js';
import { declaredBytes, readBody } from './read-body.js';

const RETRY_AFTER_S = 5;

export interface PushListenerDeps {
  drivers: CameraDrivers;
  camera: (deviceId: string) => CameraItem | undefined;
  plateReads: Pick<PlateReads, 'handle'>;
  quarantine: Quarantine;
  states: CameraStates;
  budget: BodyBudget;
  /** The push is authorised. */
  onAuthorized: (push: Context) => void;
  clock: Clock;
  logger: Logger;
}

/** Answers 404 to an unknown camera, driver or key, 413 above 8 MiB, 503 when there is no room for it or a read cannot be stored, else what the vendor expects. */
export function createPushListener(deps: PushListenerDeps): Hono {
  const { quarantine, states, budget, logger } = deps;
  const outsiders = createBoundedLog(deps);

  function authorized(driverName: string, deviceId: string, pushKey: string): [PushReader, CameraItem] | null {
    const camera = deps.camera(deviceId);
    // The keys are compared even for a camera that does not exist, so that the time of the answer does not show which cameras exist.
    const isKeyRight = sameSecret(pushKey, camera?.push_key ?? '');
    const push = deps.drivers.get(driverName)?.push ?? null;
    if (camera === undefined || push === null || camera.driver !== driverName) return null;
    return isKeyRight && camera.push_key !== '' ? [push, camera] : null;
  }

  /** false: the read could not be stored, and the camera has to send it again. */
  async function handlePush(parsed: ParsedPush, camera: CameraItem, push: { contentType: string; body: Uint8Array }) {
    states.recordPush(camera.device_id);
    if (parsed.kind === 'read') return (await deps.plateReads.handle(camera.device_id, parsed.read)) !== 'not_stored';
    if (parsed.kind === 'malformed') {
      const isKept = await quarantine.add({
        camera_device_id: camera.device_id,
        driver: camera.driver,
        reason: parsed.reason,
        content_type: push.contentType.slice(0, 256),
        body: push.body,
      });
      if (isKept) logger.warn({ camera: camera.device_id, reason: parsed.reason }, 'malformed push put in quarantine');
    }
    return true;
  }

  function answerCrowded(context: Context, camera: CameraItem): Response {
    const { device_id } = camera;
    outsiders.from(device_id).warn({ camera: device_id }, 'no room for a push: the camera has to send it again');
    return context.body(null, 503, { 'retry-after': String(RETRY_AFTER_S) });
  }

  const app = new Hono();
  app.onError((error, context) => {
    // Usually the camera broke off the connection; it sends again what was not answered.
    const path = context.req.path.split('/').slice(0, 4).join('/');
    outsiders.from(path).warn({ err: error, path }, 'push not accepted');
    return context.body(null, 503);
  });
  app.post('/lpr/:driver/:device_id/:push_key', async (context) => {
    const { driver: driverName, device_id, push_key } = context.req.param();
    const known = authorized(driverName, device_id, push_key);
    if (known === null) return context.body(null, 404);
    const [reader, camera] = known;
    deps.onAuthorized(context);
    const declared = declaredBytes(context.req.raw);
    if (declared === 'too_large') return context.body(null, 413);
    const reservation = await budget.reserve(device_id, declared ?? 0);
    if (reservation === null) return answerCrowded(context, camera);
    try {
      const body = await readBody(context.req.raw, declared, reservation);
      if (body === 'too_large') return context.body(null, 413);
      if (body === 'no_room') return answerCrowded(context, camera);
      const contentType = context.req.header('content-type') ?? '';
      if (!(await handlePush(reader.parse({ contentType, body, camera }), camera, { contentType, body }))) {
        return context.body(null, 503);
      }
    } finally {
      reservation.release();
    }
    const { accepted } = reader;
    return context.body(
      accepted.body,
      accepted.status,
      accepted.contentType === null ? {} : { 'content-type': accepted.contentType },
    );
  });
  return app;
}

/** Compares in constant time, also texts of different lengths. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
