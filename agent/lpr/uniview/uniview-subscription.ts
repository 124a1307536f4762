/** Subscribes to the events of Uniview cameras and renews it: `POST /LAPI/V1.0/System/Event/Subscription`, a PUT each half of its duration. */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { withoutMapping } from '../../../shared/remote-address.js';
import type { OpenCameraSource, SourceListener } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';
import { type CameraAnswer, type CameraClient } from '../network/camera-client.js';
import { keepOpen } from '../network/keep-open.js';

const SUBSCRIPTION = '/LAPI/V1.0/System/Event/Subscription';
const DURATION_S = 60;
/** Structured vehicles, and vehicle events. */
const TYPES = (1 << 5) | (1 << 11);
const ANSWER_WITHIN_MS = 10_000;

export interface UniviewSubscriptions {
  open: OpenCameraSource;
  /** The cameras that are subscribed to at this address: several where they share a router or a recorder. */
  camerasAt(remoteAddress: string): readonly string[];
  /**
   * Which of these cameras a push with this `Reference` is of; null: none, or several. A camera that named no `Reference` when it was
   * subscribed to is known by its address alone, if no other is there.
   */
  cameraByReference(reference: string, among: readonly string[]): string | null;
}

export function createUniviewSubscriptions(deps: {
  client: CameraClient;
  clock: Clock;
  random: () => number;
  httpPort: () => number;
}): UniviewSubscriptions {
  const { client, clock } = deps;
  /** Camera -> the address at which it answered, and by what its pushes name the subscription. */
  const subscribed = new Map<string, { address: string; reference: string }>();

  async function ask(
    camera: CameraItem,
    request: { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: unknown },
    signal: AbortSignal,
  ): Promise<CameraAnswer & { tree: unknown }> {
    const limit = new AbortController();
    const timer = clock.setTimer(ANSWER_WITHIN_MS, () => limit.abort(new Error('no answer in time')));
    try {
      const answer = await client.ask(camera, {
        method: request.method,
        path: request.path,
        ...(request.body === undefined
          ? {}
          : { body: JSON.stringify(request.body), headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.any([signal, limit.signal]),
      });
      return { ...answer, tree: parseJson(decodeText(answer.body)) };
    } finally {
      timer.cancel();
    }
  }

  /** @throws what the camera has against it */
  async function subscribe(camera: CameraItem, signal: AbortSignal): Promise<string> {
    // The camera is asked first, because this gateway's own address depends on the way to it.
    const { localAddress } = await ask(camera, { method: 'GET', path: SUBSCRIPTION }, signal);
    const { tree, status, remoteAddress } = await ask(
      camera,
      {
        method: 'POST',
        path: SUBSCRIPTION,
        body: {
          AddressType: 0,
          IPAddress: withoutMapping(localAddress),
          Port: deps.httpPort(),
          Duration: DURATION_S,
          Type: TYPES,
          ImagePushMode: 1,
        },
      },
      signal,
    );
    const id = textAt(tree, ['Response.Data.ID', 'Data.ID', 'ID']);
    const code = textAt(tree, ['Response.ResponseCode', 'ResponseCode']);
    if (status >= 300 || code !== '0' || !/^[\w-]{1,64}$/.test(id))
      throw new Error(`it takes no subscription: HTTP ${status}, ResponseCode ${code || 'none'}`);
    const reference = textAt(tree, ['Response.Data.Reference', 'Data.Reference', 'Reference']);
    subscribed.set(camera.device_id, { address: withoutMapping(remoteAddress), reference });
    return id;
  }

  async function hold(camera: CameraItem, listener: SourceListener, signal: AbortSignal, onUp: () => void) {
    const id = await subscribe(camera, signal);
    onUp();
    listener.onAlive();
    const path = `${SUBSCRIPTION}/${id}`;
    try {
      for (;;) {
        await sleep(clock, (DURATION_S * 1000) / 2, signal);
        const { tree, status } = await ask(camera, { method: 'PUT', path, body: { Duration: DURATION_S } }, signal);
        const code = textAt(tree, ['Response.ResponseCode', 'ResponseCode']);
        if (status >= 300 || code !== '0') throw new Error(`it does not renew its subscription: HTTP ${status}`);
        listener.onAlive();
      }
    } finally {
      subscribed.delete(camera.device_id);
      // Left alone it ends by itself; a camera has only a few.
      if (signal.aborted) {
        await ask(camera, { method: 'DELETE', path }, new AbortController().signal).catch(() => undefined);
      }
    }
  }

  return {
    open(camera, listener) {
      if (camera.address === '') return null;
      return keepOpen({
        clock,
        random: deps.random,
        listener,
        attempt: (signal, onUp) => hold(camera, listener, signal, onUp),
      });
    },
    camerasAt(remoteAddress) {
      const at = withoutMapping(remoteAddress);
      return [...subscribed].flatMap(([deviceId, { address }]) => (address === at ? [deviceId] : []));
    },
    cameraByReference(reference, among) {
      const found = among.filter((deviceId) => subscribed.get(deviceId)?.reference === reference);
      const isSaid = reference !== '' && found.length === 1;
      if (isSaid) return found[0] ?? null;
      const [only] = among;
      return only !== undefined && among.length === 1 && subscribed.get(only)?.reference === '' ? only : null;
    },
  };
}
