/**
 * Subscribes to the events of Uniview cameras by `POST /LAPI/V1.0/System/Event/Subscription`, and renews a subscription by PUT each time half
 * of what is left of it is over. A subscription that is not renewed is heard until its time is over, and the next one is made only then.
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
/** A camera that names more is not believed. */
const DURATION_MAX_S = 3_600;
/** Bits for structured vehicles and for vehicle events. */
const TYPES = (1 << 5) | (1 << 11);
const ANSWER_WITHIN_MS = 10_000;
/** Between two tries to renew, where no half is left. */
const RENEW_AGAIN_MS = 5_000;
const NAMELESS =
  'its subscription has no Reference, which is the key of its notifications: they are refused unless push_without_key allows them';

export interface UniviewSubscriptions {
  open: OpenCameraSource;
  /** The device_ids of the subscribed cameras at this address: several where they share a router or a recorder. */
  camerasAt(remoteAddress: string): readonly string[];
  /**
   * Which of these cameras sent a push with this `Reference`; null: none, or several may have. A camera that named no `Reference` in its
   * subscription is known by its address alone, if it may push without a key and no other camera is at that address.
   */
  cameraByReference(
    reference: string,
    among: readonly Pick<CameraItem, 'device_id' | 'push_without_key'>[],
  ): string | null;
}

interface Subscription {
  id: string;
  /** The address at which the camera answered. */
  address: string;
  /** The name of the subscription in the camera's pushes; empty: it has none. */
  reference: string;
  /** How long the camera keeps it, from its last answer on. */
  lives_ms: number;
}

interface Held {
  listener: SourceListener;
  signal: AbortSignal;
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

  /** Renews a subscription until its time is over. */
  async function renewWhileItLives(camera: CameraItem, subscription: Subscription, of: Held): Promise<void> {
    let endsMonoMs = clock.monotonic() + subscription.lives_ms;
    for (;;) {
      const leftMs = endsMonoMs - clock.monotonic();
      if (leftMs <= 0) return;
      await sleep(clock, Math.min(leftMs, Math.max(leftMs / 2, RENEW_AGAIN_MS)), of.signal);
      // A camera that does not renew goes on to send until the time is over.
      const lives_ms = await api.renew(camera, subscription, of.signal).catch(() => null);
      if (lives_ms === null) continue;
      endsMonoMs = clock.monotonic() + lives_ms;
      of.listener.onAlive();
    }
  }

  async function hold(camera: CameraItem, held: Held, onUp: () => void): Promise<void> {
    for (;;) {
      const subscription = await api.subscribe(camera, held.signal);
      subscribed.set(camera.device_id, subscription);
      onUp();
      held.listener.onAlive();
      if (subscription.reference === '' && !camera.push_without_key) held.listener.onFault(NAMELESS);
      try {
        await renewWhileItLives(camera, subscription, held);
      } finally {
        subscribed.delete(camera.device_id);
        // A camera has only a few subscriptions. One that is not cancelled ends when its duration is over.
        if (held.signal.aborted) await api.cancel(camera, subscription).catch(() => undefined);
      }
    }
  }

  return {
    open(camera, listener) {
      if (camera.address === '') return null;
      return keepOpen({ clock, random, listener, attempt: (signal, onUp) => hold(camera, { listener, signal }, onUp) });
    },
    camerasAt(remoteAddress) {
      const at = withoutMapping(remoteAddress);
      return [...subscribed].flatMap(([deviceId, { address }]) => (address === at ? [deviceId] : []));
    },
    cameraByReference(reference, among) {
      const referenceOf = ({ device_id }: { device_id: string }) => subscribed.get(device_id)?.reference;
      const [found, ...others] = among.filter((camera) => referenceOf(camera) === reference);
      if (found === undefined || others.length > 0) return null;
      return reference !== '' || (among.length === 1 && found.push_without_key) ? found.device_id : null;
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
    return { ...answer, tree, code, isAccepted: answer.status < 300 && code === '0' };
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
      const { tree, status, code, isAccepted, remoteAddress } = answer;
      const id = textAt(tree, ['Response.Data.ID', 'Data.ID', 'ID']);
      if (!isAccepted || !/^[\w-]{1,64}$/.test(id))
        throw new Error(`it takes no subscription: HTTP ${status}, ResponseCode ${code || 'none'}`);
      const reference = textAt(tree, ['Response.Data.Reference', 'Data.Reference', 'Reference']);
      return { id, address: withoutMapping(remoteAddress), reference, lives_ms: livesMs(tree) };
    },
    /** @returns how long the camera keeps it from now on */
    async renew(camera: CameraItem, { id }: Subscription, signal: AbortSignal): Promise<number> {
      const body = { Duration: DURATION_S };
      const request = { method: 'PUT', path: `${SUBSCRIPTION}/${id}`, body } as const;
      const { status, isAccepted, tree } = await ask(camera, request, signal);
      if (!isAccepted) throw new Error(`it does not renew its subscription: HTTP ${status}`);
      return livesMs(tree);
    },
    async cancel(camera: CameraItem, { id }: Subscription): Promise<void> {
      await ask(camera, { method: 'DELETE', path: `${SUBSCRIPTION}/${id}` });
    },
  };
}

/**
 * Reads how long the camera keeps a subscription, by its own clock; as long as it was asked for, where it does not say.
 */
function livesMs(tree: unknown): number {
  const [now, end] = ['CurrentTime', 'TerminationTime'].map((name) =>
    Number(textAt(tree, [`Response.Data.${name}`, `Data.${name}`, name]) || Number.NaN),
  );
  const seconds = (end ?? Number.NaN) - (now ?? Number.NaN);
  return seconds > 0 && seconds <= DURATION_MAX_S ? seconds * 1_000 : DURATION_S * 1_000;
}
