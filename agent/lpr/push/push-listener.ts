/**
 * Receives the reads that cameras post: `POST /lpr/{driver}/{device_id}/{push_key}`, and below it where a vendor's cameras add to the
 * address. Cameras of some vendors post to a fixed path of their own, in which no key fits: there a camera is heard if its pushes name what
 * only it knows, or if it may push without a key. A read is stored before the camera is answered. Nothing is read of a push that is not
 * authorised.
 */
import { type Context, Hono } from 'hono';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraDriver, CameraPush } from '../camera.js';
import type { MisdirectedPushes } from './misdirected-pushes.js';
import { cameraByKey } from './push-key.js';
import { createPushReceiver, type PushReceiverDeps, type PushSender } from './push-receiver.js';

export interface PushListenerDeps extends PushReceiverDeps {
  camera: (deviceId: string) => CameraItem | undefined;
  /** The address that a push comes from. */
  remoteAddress: (push: Context) => string;
  /** Takes the pushes that name no camera of this gateway. */
  misdirected: Pick<MisdirectedPushes, 'note'>;
  /** Called when a push is authorised. */
  onAuthorized: (push: Context) => void;
}

/** Answers 404 to an unknown camera, driver or key; else as `ReceivePush`. */
export function createPushListener(deps: PushListenerDeps): Hono {
  const receive = createPushReceiver(deps);
  const outsiders = createBoundedLog(deps);
  const app = new Hono();
  app.onError((error, context) => {
    // Usually the camera broke off the connection; it sends again what was not answered.
    const path = context.req.path.split('/').slice(0, 4).join('/');
    outsiders.from(path).warn({ err: error, path }, 'push not accepted');
    return context.body(null, 503);
  });

  async function handle(context: Context, sender: PushSender | null): Promise<Response> {
    if (sender === null) return context.body(null, 404);
    deps.onAuthorized(context);
    return receive(context, sender);
  }

  // Some cameras end an address with a slash.
  for (const path of ['', '/', '/:rest{.+}'])
    app.on(['POST', 'GET'], `/lpr/:driver/:device_id/:push_key${path}`, (context) =>
      handle(context, senderByKey(context, deps)),
    );
  for (const [name, driver] of deps.drivers) {
    const { push, fixedPath } = driver;
    if (push === null || fixedPath === undefined) continue;
    const methods = push.acceptsGet === true ? ['POST', 'GET'] : ['POST'];
    app.on(methods, `${fixedPath.prefix}/:rest{.+}`, (context) =>
      handle(context, senderByAddress(context, { ...driver, name }, deps)),
    );
  }
  return app;
}

function senderByKey(context: Context, deps: PushListenerDeps): PushSender | null {
  const { camera: find, drivers } = deps;
  const { driver = '', device_id: deviceId = '', push_key: key = '', rest = '' } = context.req.param();
  const camera = cameraByKey({ driver, deviceId, key }, find);
  const reader = drivers.get(driver)?.push ?? null;
  if (camera === null) noteUnauthorised({ driver, deviceId, from: deps.remoteAddress(context) }, deps);
  if (camera === null || reader === null || (context.req.method === 'GET' && reader.acceptsGet !== true)) return null;
  return { reader, camera, payer: camera.device_id, path: rest === '' ? '' : `/${rest}` };
}

/** Notes why nothing of a push with a wrong address is read: at its camera, where the address names one. */
function noteUnauthorised(
  { driver, deviceId, from }: { driver: string; deviceId: string; from: string },
  { camera: find, states, misdirected }: Pick<PushListenerDeps, 'camera' | 'states' | 'misdirected'>,
): void {
  const camera = find(deviceId);
  if (camera === undefined) misdirected.note({ camera: deviceId, from });
  else if (camera.driver === driver)
    states.recordRefusal(deviceId, `${from} pushes in its name with another key than its own: nothing of it is read`, {
      kind: 'wrong_key',
      from,
    });
  else
    states.recordRefusal(
      deviceId,
      `${from} pushes in its name to the address of driver ${driver}: nothing of it is read`,
      {
        kind: 'wrong_driver',
        posted: driver,
        from,
      },
    );
}

/** A push to a driver's fixed path, in which no key fits: from the cameras that are known at the address it comes from. */
function senderByAddress(
  context: Context,
  driver: CameraDriver & { name: string },
  deps: PushListenerDeps,
): PushSender | null {
  const { push: reader, fixedPath, name } = driver;
  if (reader === null || fixedPath === undefined) return null;
  const address = deps.remoteAddress(context);
  const ids = fixedPath.camerasAt(address, deps.cameras());
  const known = ids.flatMap((id) => deps.camera(id) ?? []).filter((each) => each.driver === name);
  const cameras = known.filter(({ push_without_key }) => fixedPath.isNamedIn !== undefined || push_without_key);
  const [camera] = cameras;
  if (camera === undefined) {
    for (const { device_id } of known) deps.states.recordRefusal(device_id, keylessPush(fixedPath.prefix));
    return null;
  }
  const path = `/${context.req.param('rest')}`;
  const among = (posted: Pick<CameraPush, 'contentType' | 'body'>) => {
    const named = fixedPath.cameraOf({ ...posted, path }, cameras);
    return cameras.find(({ device_id }) => device_id === named) ?? null;
  };
  const { isNamedIn } = fixedPath;
  const payer = `address ${address}`;
  return {
    reader,
    camera,
    payer,
    path,
    among,
    ...(isNamedIn === undefined ? {} : { isNamedIn: (beginning: Uint8Array) => isNamedIn(beginning, cameras) }),
  };
}

const keylessPush = (prefix: string): string =>
  `its address posts to ${prefix}, without a key: point it at its push address, or allow push_without_key, and whoever has its address is heard`;
