/**
 * Receives the reads that cameras post: `POST /lpr/{driver}/{device_id}/{push_key}`, and below it where a vendor's cameras add to the
 * address. Cameras of some vendors post to a path of their own: they are known by their address. A read is stored before the camera is answered.
 * Of a push that is not authorised nothing is read; the body of one that is has its place in the budget before it is read. A read whose
 * pictures are still on their way is decided before they come, and handled again with them, as a camera's repeat is.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import { LOST_CHARACTER } from '../../../shared/plate/normalise-plate.js';
import type { CameraDrivers, CameraRead, ParsedPush, PushAnswer, PushReader } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { PlateReads } from '../reads/plate-reads.js';
import type { ReadResult } from '../reads/read-keeper.js';
import type { BodyBudget } from './body-budget.js';
import { createEarlyReader } from './early-reader.js';
import type { Quarantine } from './quarantine.js';
import { declaredBytes, readBody } from './read-body.js';

const RETRY_AFTER_S = 5;

export interface PushListenerDeps {
  drivers: CameraDrivers;
  camera: (deviceId: string) => CameraItem | undefined;
  /** All of them, among which the camera of a recorder's channel is found. Left out: none is. */
  cameras?: () => Iterable<CameraItem>;
  plateReads: Pick<PlateReads, 'handle'>;
  quarantine: Quarantine;
  states: CameraStates;
  budget: BodyBudget;
  /** The address that a push comes from. Left out: no camera is known by it. */
  remoteAddress?: (push: Context) => string;
  /** The push is authorised. */
  onAuthorized: (push: Context) => void;
  clock: Clock;
  logger: Logger;
}

/** The camera whose push address a path begins with, key and all; null: there is none. */
export function cameraOfAddress(path: string, camera: (deviceId: string) => CameraItem | undefined): CameraItem | null {
  const [driver = '', deviceId = '', key = ''] = /^\/lpr\/([^/]+)\/([^/]+)\/([^/?]+)/.exec(path)?.slice(1) ?? [];
  const known = camera(deviceId);
  const isKeyRight = sameSecret(key, known?.push_key ?? '');
  return known !== undefined && isKeyRight && known.push_key !== '' && known.driver === driver ? known : null;
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
    if (parsed.kind === 'read') {
      const reads = [parsed.read, ...(parsed.more ?? [])];
      const results = await Promise.all(
        reads.map(async (read) => {
          if (read.raw_plate.includes(LOST_CHARACTER)) {
            // Without those characters it may be the plate of another vehicle.
            await putAside(camera, push, 'characters of the plate are not of the character set that the push declares');
            return 'kept' as const;
          }
          const handled = handleRead(camera, read);
          if (handled !== null) return handled;
          const reason = `channel ${read.channels?.join(' or ')} of this recorder is no camera here: give one its address with ?channel=`;
          await putAside(camera, push, reason);
          return 'kept' as const;
        }),
      );
      return !results.includes('not_stored');
    }
    if (parsed.kind === 'malformed') {
      await putAside(camera, push, parsed.reason);
    }
    return true;
  }

  /** null: nobody has said which camera saw it. */
  function handleRead(camera: CameraItem, read: CameraRead): Promise<ReadResult> | null {
    const seenBy = cameraOfChannel(camera, read);
    return seenBy === null ? null : deps.plateReads.handle(seenBy.device_id, read);
  }

  async function putAside(
    camera: CameraItem,
    push: { contentType: string; body: Uint8Array },
    reason: string,
  ): Promise<void> {
    const isKept = await quarantine.add({
      camera_device_id: camera.device_id,
      driver: camera.driver,
      timezone: camera.timezone,
      reason,
      content_type: push.contentType.slice(0, 256),
      body: push.body,
    });
    if (isKept) logger.warn({ camera: camera.device_id, reason }, 'malformed push put in quarantine');
  }

  /** A recorder posts for all its channels to one camera's address. null: nobody has said which camera this channel is. */
  function cameraOfChannel(camera: CameraItem, { channels }: CameraRead): CameraItem | null {
    const channelOf = deps.drivers.get(camera.driver)?.channelOf;
    const own = channelOf?.(camera) ?? null;
    if (channelOf === undefined || own === null || channels === undefined || channels.includes(own)) return camera;
    const host = new URL(camera.address).host;
    for (const other of deps.cameras?.() ?? []) {
      if (other.driver !== camera.driver || !URL.canParse(other.address) || new URL(other.address).host !== host)
        continue;
      const channel = channelOf(other);
      if (channel !== null && channels.includes(channel)) return other;
    }
    return null;
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
  /** `path`: what follows the push key. */
  async function take(
    context: Context,
    [reader, first]: [PushReader, CameraItem],
    path: string,
    /** Which of the cameras at its address posted it. Left out: the key says it. */
    among?: (push: { contentType: string; body: Uint8Array }) => CameraItem | null,
  ): Promise<Response> {
    let camera = first;
    deps.onAuthorized(context);
    const incoming = incomingOf(context);
    const headerOf = (name: string) => headerValue(incoming, context, name);
    const declared = declaredBytes(headerOf('content-length'));
    if (declared === 'too_large') return context.body(null, 413);
    const reserved = budget.reserve(camera.device_id, declared ?? 0, () => incoming?.destroy());
    // Where there is room already, the body is listened to before any of it has come.
    const reservation = reserved instanceof Promise ? await reserved : reserved;
    if (reservation === null) return answerCrowded(context, camera);
    let answer: PushAnswer;
    try {
      const contentType = headerOf('content-type') ?? '';
      const readEarly = among === undefined ? createEarlyReader(reader, { contentType, camera: first }) : null;
      const body = await readBody(context.req.raw, declared, reservation, incoming, (arrived) => {
        const read = readEarly?.(arrived) ?? null;
        if (read !== null && !read.raw_plate.includes(LOST_CHARACTER)) void handleRead(first, read);
      });
      reservation.isWhole();
      if (body === 'too_large') return context.body(null, 413);
      if (body === 'no_room') return answerCrowded(context, camera);
      const named = among === undefined ? camera : among({ contentType, body });
      camera = named ?? camera;
      const parsed: ParsedPush =
        named === null
          ? { kind: 'malformed', reason: 'it names itself otherwise than the cameras that are known at its address' }
          : reader.parse({
              contentType,
              body,
              camera,
              path,
              query: new URL(context.req.url).search,
              header: headerOf,
            });
      if (!(await handlePush(parsed, camera, { contentType, body }))) return context.body(null, 503);
      answer = parsed.answer ?? reader.accepted;
    } finally {
      reservation.release();
    }
    const { body, status, contentType } = answer;
    return context.body(body, status, contentType === null ? {} : { 'content-type': contentType });
  }

  async function takeByKey(context: Context): Promise<Response> {
    const { driver = '', device_id = '', push_key = '', rest = '' } = context.req.param();
    const known = authorized(driver, device_id, push_key);
    if (known === null || (context.req.method === 'GET' && known[0].takesGet !== true)) return context.body(null, 404);
    return take(context, known, rest === '' ? '' : `/${rest}`);
  }

  // Some cameras end an address with a slash.
  app.on(['POST', 'GET'], ['/lpr/:driver/:device_id/:push_key', '/lpr/:driver/:device_id/:push_key/'], takeByKey);
  app.on(['POST', 'GET'], '/lpr/:driver/:device_id/:push_key/:rest{.+}', takeByKey);
  for (const driver of deps.drivers.values()) {
    const { push, fixedPath } = driver;
    if (push === null || fixedPath === undefined) continue;
    const methods = push.takesGet === true ? ['POST', 'GET'] : ['POST'];
    app.on(methods, `${fixedPath.prefix}/:rest{.+}`, async (context) => {
      const ids = fixedPath.camerasAt(deps.remoteAddress?.(context) ?? '', deps.cameras?.() ?? []);
      const cameras = ids.flatMap((id) => deps.camera(id) ?? []).filter((each) => each.driver === driver.name);
      const [camera] = cameras;
      if (camera === undefined) return context.body(null, 404);
      const path = `/${context.req.param('rest')}`;
      const among = (posted: { contentType: string; body: Uint8Array }) => {
        const named = fixedPath.cameraOf({ ...posted, path }, ids);
        return cameras.find(({ device_id }) => device_id === named) ?? null;
      };
      return take(context, [push, camera], path, among);
    });
  }
  return app;
}

/** The request as the HTTP server has it; undefined: it came another way. */
function incomingOf({ env }: Context): IncomingMessage | undefined {
  return (env as { incoming?: IncomingMessage } | undefined)?.incoming;
}

/** As Node.js has parsed it: a vehicle waits, and the other way every header is copied first. */
function headerValue(incoming: IncomingMessage | undefined, { req }: Context, name: string): string | undefined {
  const value = incoming?.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : req.header(name);
}

/** No key is longer: 200 characters, of at most four bytes each. */
const KEY_BYTES_MAX = 800;

/** Compares in constant time, also texts of different lengths. */
function sameSecret(given: string, expected: string): boolean {
  const isSame = timingSafeEqual(padded(given), padded(expected));
  return isSame && given.length === expected.length && Buffer.byteLength(given) <= KEY_BYTES_MAX;
}

function padded(text: string): Buffer {
  const bytes = Buffer.alloc(KEY_BYTES_MAX);
  bytes.write(text);
  return bytes;
}
