/**
 * Sets cameras up for this gateway, and back: what was there is kept in a file before anything is changed, and written back by an undo.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { withoutMapping } from '../../../shared/remote-address.js';
import type { CameraDrivers, SetupChange, SetupPlan, SetupRequest } from '../camera.js';
import { type CameraClient, reasonOf } from '../network/camera-client.js';
import { assertTaken } from './assert-taken.js';

const WITHIN_MS = 30_000;

const requestSchema = z.object({
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string(),
  contentType: z.string(),
  body: z.string(),
  expects: z.string().exactOptional(),
});
const doneSchema = z.array(z.object({ name: z.string().exactOptional(), what: z.string(), undo: requestSchema }));

export interface SetupReport {
  /** What would be changed, or was. */
  changes: string[];
  byHand: string[];
  isDone: boolean;
}

/** What somebody wants beside what the gateway needs. */
export interface SetupWishes {
  /** The host of a time server that the camera's clock shall follow. */
  timeServer?: string | undefined;
}

export interface CameraSetups {
  /** Says what it would change. @throws Error that says what is wrong */
  plan(deviceId: string, wishes?: SetupWishes): Promise<SetupReport>;
  apply(deviceId: string, wishes?: SetupWishes): Promise<SetupReport>;
  /** Writes back what was there before. */
  undo(deviceId: string): Promise<SetupReport>;
}

export function createCameraSetups(deps: {
  camera: (deviceId: string) => CameraItem | undefined;
  drivers: CameraDrivers;
  client: CameraClient;
  directory: string;
  clock: Clock;
  isClockKnown: () => boolean;
  httpPort: () => number;
}): CameraSetups {
  const { client, clock } = deps;
  const undos = createKeptUndos(deps.directory);

  function known(deviceId: string): CameraItem {
    const camera = deps.camera(deviceId);
    if (camera === undefined) throw new Error(`there is no camera ${deviceId}; parking-agent cameras list shows them`);
    if (!/^https?:/i.test(camera.address)) throw new Error(`${deviceId} has no address at which it could be asked`);
    return camera;
  }

  async function within<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const limit = new AbortController();
    const timer = clock.setTimer(WITHIN_MS, () => limit.abort(new Error('the camera does not answer in time')));
    try {
      return await work(limit.signal);
    } finally {
      timer.cancel();
    }
  }

  /** The address by which the camera reaches this gateway: that of the way to it. */
  async function pushUrl(camera: CameraItem, signal: AbortSignal): Promise<URL> {
    const { localAddress } = await client.ask(camera, { path: '/', signal });
    const host = withoutMapping(localAddress);
    const path = ['lpr', camera.driver, camera.device_id, camera.push_key].map(encodeURIComponent).join('/');
    return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${deps.httpPort()}/${path}`);
  }

  async function planOf(
    camera: CameraItem,
    { timeServer }: SetupWishes,
    signal: AbortSignal,
  ): Promise<Pick<SetupPlan, 'changes' | 'byHand'>> {
    const driver = deps.drivers.get(camera.driver);
    const plan = driver?.planSetup;
    const url = await pushUrl(camera, signal);
    if (plan === undefined)
      return {
        changes: [],
        byHand: [
          `point its push at http://${url.host}/lpr/${camera.driver}/${camera.device_id}/KEY on its web page`,
          `set its clock and its time zone (${camera.timezone}), best by a time server${timeServer === undefined ? '' : ` (${timeServer})`}`,
        ],
      };
    const isPushing = driver?.push !== null && driver?.fixedPath?.isOnly !== true;
    if (isPushing && camera.push_key === '')
      throw new Error(`${camera.device_id} has no push_key: give it one, and it can push`);
    const now_ms = deps.isClockKnown() ? clock.now() : null;
    const found = await plan(camera, { pushUrl: url, now_ms, timeServer: timeServer ?? null }, signal);
    if (timeServer === undefined || found.namesTimeServer === true) return found;
    return { ...found, byHand: [...found.byHand, `name ${timeServer} as its time server on its web page`] };
  }

  async function send(camera: CameraItem, request: SetupRequest, signal: AbortSignal): Promise<void> {
    const sendSetup = deps.drivers.get(camera.driver)?.sendSetup;
    if (sendSetup !== undefined) return sendSetup(camera, request, signal);
    const { method, path, body, contentType } = request;
    const answer = await client.ask(camera, {
      method,
      path,
      signal,
      ...(method === 'GET' ? {} : { body, headers: { 'content-type': contentType } }),
    });
    assertTaken(request, answer);
  }

  /** Writes back what was there before, in a time of its own: that of the changes may be over. Says what came of it. */
  async function takeBack(camera: CameraItem, done: readonly SetupRequest[]): Promise<string> {
    try {
      await within(async (signal) => {
        for (const undo of done.toReversed()) await send(camera, undo, signal);
      });
      return 'what was changed before is as it was';
    } catch (error) {
      return `what was changed before could not be taken back (${reasonOf(error)}): an undo will, once the camera answers`;
    }
  }

  /** Changes one after the other; where one fails, those before it are taken back. */
  async function changeAll(camera: CameraItem, changes: readonly SetupChange[], signal: AbortSignal): Promise<void> {
    const done: SetupRequest[] = [];
    for (const each of changes) {
      await undos.keep(camera.device_id, each);
      try {
        await send(camera, each.apply, signal);
      } catch (error) {
        const back = await takeBack(camera, done);
        const reason = reasonOf(error);
        throw new Error(`${each.what}: ${reason}; ${back}`, { cause: error });
      }
      if (each.undo !== null) done.push(each.undo);
    }
  }

  return {
    plan: (deviceId, wishes = {}) =>
      within(async (signal) => reportOf(await planOf(known(deviceId), wishes, signal), false)),
    apply: (deviceId, wishes = {}) =>
      within(async (signal) => {
        const camera = known(deviceId);
        const plan = await planOf(camera, wishes, signal);
        await changeAll(camera, plan.changes, signal);
        // It is read again: some cameras say that they took what they did not.
        const after = plan.changes.length === 0 ? plan : await planOf(camera, wishes, signal);
        const notKept = after.changes.map(
          ({ what }) => `it did not keep what it was told (${what}): set it on its web page`,
        );
        return reportOf({ changes: plan.changes, byHand: [...after.byHand, ...(after === plan ? [] : notKept)] }, true);
      }),
    undo: (deviceId) =>
      within(async (signal) => {
        const camera = known(deviceId);
        const kept = await undos.of(deviceId);
        for (const { undo } of kept.toReversed()) await send(camera, undo, signal);
        await undos.forget(deviceId);
        return reportOf({ changes: kept.map(({ what }) => ({ what: `back: ${what}` })), byHand: [] }, true);
      }),
  };
}

const reportOf = (plan: { changes: { what: string }[]; byHand: string[] }, isDone: boolean): SetupReport => ({
  changes: plan.changes.map(({ what }) => what),
  byHand: plan.byHand,
  isDone,
});

/** Keeps in a file per camera what was there before its setup. */
function createKeptUndos(directory: string) {
  const fileOf = (deviceId: string): string => join(directory, `${encodeURIComponent(deviceId)}.json`);

  /** What an undo has to write back, the first change first. */
  async function of(deviceId: string): Promise<z.infer<typeof doneSchema>> {
    const text = await readFile(fileOf(deviceId), 'utf8').catch(() => null);
    return text === null ? [] : doneSchema.parse(JSON.parse(text));
  }

  /** What was there first is what an undo restores, however often a camera is set up. */
  async function keep(deviceId: string, change: SetupChange): Promise<void> {
    const { what, undo, name } = change;
    if (undo === null) return;
    const kept = await of(deviceId);
    if (kept.some((each) => (each.name ?? each.undo.path) === (name ?? undo.path))) return;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const entry = { what, undo, ...(name === undefined ? {} : { name }) };
    await writeFile(fileOf(deviceId), JSON.stringify([...kept, entry]), { mode: 0o600 });
  }

  const forget = (deviceId: string): Promise<void> => rm(fileOf(deviceId), { force: true });

  return { of, keep, forget };
}
