/** Receives the reads that cameras post: `POST /lpr/{driver}/{device_id}/{push_key}`. A read is stored before the camera is answered. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { CameraDrivers, ParsedPush, PushReader } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { PlateReads } from '../reads/plate-reads.js';
import type { Quarantine } from './quarantine.js';

const BODY_BYTES_MAX = 8 * 1024 * 1024;

export interface PushListenerDeps {
  drivers: CameraDrivers;
  camera: (deviceId: string) => CameraItem | undefined;
  plateReads: Pick<PlateReads, 'handle'>;
  quarantine: Quarantine;
  states: CameraStates;
  logger: Logger;
}

/** Answers 404 to an unknown camera, driver or key, 413 above 8 MiB, 503 when a read cannot be stored, else what the vendor expects. */
export function createPushListener(deps: PushListenerDeps): Hono {
  const { quarantine, states, logger } = deps;

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
      logger.warn({ camera: camera.device_id, reason: parsed.reason }, 'malformed push put in quarantine');
      await quarantine.add({
        camera_device_id: camera.device_id,
        driver: camera.driver,
        reason: parsed.reason,
        content_type: push.contentType.slice(0, 256),
        body: push.body,
      });
    }
    return true;
  }

  const app = new Hono();
  app.onError((error, context) => {
    // Usually the camera broke off the connection; it sends again what was not answered.
    logger.warn({ err: error, path: context.req.path.split('/').slice(0, 4).join('/') }, 'push not accepted');
    return context.body(null, 503);
  });
  app.post('/lpr/:driver/:device_id/:push_key', async (context) => {
    const { driver: driverName, device_id, push_key } = context.req.param();
    const known = authorized(driverName, device_id, push_key);
    if (known === null) return context.body(null, 404);
    const [reader, camera] = known;
    const body = await readBody(context.req.raw);
    if (body === 'too_large') return context.body(null, 413);
    const contentType = context.req.header('content-type') ?? '';
    if (!(await handlePush(reader.parse({ contentType, body, camera }), camera, { contentType, body }))) {
      return context.body(null, 503);
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

/** The declared length is checked before anything is read; a body without one is counted as it comes. */
async function readBody(request: Request): Promise<Uint8Array | 'too_large'> {
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (!(Number(declared) <= BODY_BYTES_MAX)) return 'too_large';
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return 'too_large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Compares in constant time, also texts of different lengths. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
