/**
 * Subscribes to the events of Uniview cameras by `POST /LAPI/V1.0/System/Event/Subscription`, and renews a subscription by PUT each time half
 * of its duration is over.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { withoutMapping } from '../../../shared/remote-address.js';
import type { OpenCameraSource, SourceListener } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt } from '../formats/path-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { keepOpen } from '../network/keep-open.js';
import { withinTime } from '../network/within-time.js';

const SUBSCRIPTION = '/LAPI/V1.0/System/Event/Subscription';
const DURATION_S = 60;
/** Bits for structured vehicles and for vehicle events. */
const TYPES = (1 << 5) | (1 << 11);
const ANSWER_WITHIN_MS = 10_000;

export interface UniviewSubscriptions {
  open: OpenCameraSource;
  /** The device_ids of the subscribed cameras at this address: several where they share a router or a recorder. */
  camerasAt(remoteAddress: string): readonly string[];
  /**
   * Which of these cameras sent a push with this `Reference`; null: none, or several may have. A camera that named no `Reference` in its
   * subscription is known by its address alone, if no other camera is at that address.
   */
  cameraByReference(reference: string, among: readonly string[]): string | null;
}

interface Subscription {
  id: string;
  /** The address at which the camera answered. */
  address: string;
  /** The name of the subscription in the camera's pushes; empty: it has none. */
  reference: string;
}

interface UniviewSubscriptionsDeps {
  client: CameraClient;
  clock: Clock;
  random: () => number;
  httpPort: () => number;
}

export function createUniviewSubscriptions(deps: UniviewSubscriptionsDeps): UniviewSubscriptions {
  const { clock, random } = deps;
  const api = createSubscriptionApi(deps);
  /** By the device_id of the camera. */
  const subscribed = new Map<string, Subscription>();

  async function hold(camera: CameraItem, listener: SourceListener, signal: AbortSignal, onUp: () => void) {
    const subscription = await api.subscribe(camera, signal);
    subscribed.set(camera.device_id, subscription);
    onUp();
    listener.onAlive();
    try {
      for (;;) {
        await sleep(clock, (DURATION_S * 1000) / 2, signal);
        await api.renew(camera, subscription, signal);
        listener.onAlive();
      }
    } finally {
      subscribed.delete(camera.device_id);
      // A camera has only a few subscriptions. One that is not cancelled ends when its duration is over.
      if (signal.aborted) await api.cancel(camera, subscription).catch(() => undefined);
    }
  }

  return {
    open(camera, listener) {
      if (camera.address === '') return null;
      return keepOpen({ clock, random, listener, attempt: (signal, onUp) => hold(camera, listener, signal, onUp) });
    },
    camerasAt(remoteAddress) {
      const at = withoutMapping(remoteAddress);
      return [...subscribed].flatMap(([deviceId, { address }]) => (address === at ? [deviceId] : []));
    },
    cameraByReference(reference, among) {
      const [found = null, ...others] = among.filter((deviceId) => subscribed.get(deviceId)?.reference === reference);
      if (reference !== '' && found !== null && others.length === 0) return found;
      const [only] = among;
      return only !== undefined && among.length === 1 && subscribed.get(only)?.reference === '' ? only : null;
    },
  };
}

/** Makes the requests about one subscription. Each throws the camera's reason when it refuses. */
function createSubscriptionApi({ client, clock, httpPort }: Omit<UniviewSubscriptionsDeps, 'random'>) {
  async function ask(
    camera: CameraItem,
    { body, ...request }: { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: unknown },
    signal?: AbortSignal,
  ) {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const limit = { clock, ms: ANSWER_WITHIN_MS, ...(signal === undefined ? {} : { signal }) };
    const answer = await withinTime(limit, (within) =>
      client.ask(camera, { ...request, ...(body === undefined ? {} : json), signal: within }),
    );
    const tree = parseJson(decodeText(answer.body));
    const code = textAt(tree, ['Response.ResponseCode', 'ResponseCode']);
    return { ...answer, tree, code, isTaken: answer.status < 300 && code === '0' };
  }

  return {
    async subscribe(camera: CameraItem, signal: AbortSignal): Promise<Subscription> {
      // The first request finds this gateway's own address, which depends on the way to the camera.
      const { localAddress } = await ask(camera, { method: 'GET', path: SUBSCRIPTION }, signal);
      const body = {
        AddressType: 0,
        IPAddress: withoutMapping(localAddress),
        Port: httpPort(),
        Duration: DURATION_S,
        Type: TYPES,
        ImagePushMode: 1,
      };
      const answer = await ask(camera, { method: 'POST', path: SUBSCRIPTION, body }, signal);
      const { tree, status, code, isTaken, remoteAddress } = answer;
      const id = textAt(tree, ['Response.Data.ID', 'Data.ID', 'ID']);
      if (!isTaken || !/^[\w-]{1,64}$/.test(id))
        throw new Error(`it takes no subscription: HTTP ${status}, ResponseCode ${code || 'none'}`);
      const reference = textAt(tree, ['Response.Data.Reference', 'Data.Reference', 'Reference']);
      return { id, address: withoutMapping(remoteAddress), reference };
    },
    async renew(camera: CameraItem, { id }: Subscription, signal: AbortSignal): Promise<void> {
      const body = { Duration: DURATION_S };
      const { status, isTaken } = await ask(camera, { method: 'PUT', path: `${SUBSCRIPTION}/${id}`, body }, signal);
      if (!isTaken) throw new Error(`it does not renew its subscription: HTTP ${status}`);
    },
    async cancel(camera: CameraItem, { id }: Subscription): Promise<void> {
      await ask(camera, { method: 'DELETE', path: `${SUBSCRIPTION}/${id}` });
    },
  };
}
