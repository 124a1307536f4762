/**
 * Pulls the events of ONVIF cameras, by one subscription at a time. A subscription lives for as long as the camera says, whatever becomes of
 * its upkeep: one that is not renewed is pulled to its end, and one whose connection broke off is pulled again. A camera has room for a few
 * only, so those that could not be ended are counted until they end by themselves.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraRead, OpenCameraSource, SourceListener } from '../camera.js';
import { keepOpen } from '../network/keep-open.js';
import { ownPath } from '../network/picture-fetcher.js';
import { CameraRefusal } from '../network/refused-accounts.js';
import { withinTime } from '../network/within-time.js';
import { type OnvifClient, type OnvifSession, type OnvifSubscription, PullRefusal } from './onvif-client.js';
import { parseLife, parsePulledMessages } from './onvif-parser.js';

const RENEW_MS = 60_000;
/** The duration that the library asks for, used if a camera does not say how long it keeps a subscription. */
const LIFE_MS = 120_000;
/** So long before its end a subscription is given up for the next one. */
const END_MARGIN_MS = 1_000;
/** The pause after an answer that came at once without messages. */
const IDLE_PAUSE_MS = 1_000;
/** The pause after an answer that came at once with messages. */
const BUSY_PAUSE_MS = 50;
const AT_ONCE_MS = 500;
const LEAVE_WITHIN_MS = 2_000;
/** How many that could not be ended a camera may hold when another one is made: the smallest cameras have room for five, for all clients. */
const LEFT_MAX = 3;

interface SourceDeps {
  client: OnvifClient;
  clock: Clock;
  random: () => number;
}

export function createOnvifSource({ client, clock, random }: SourceDeps): OpenCameraSource {
  return (camera, listener) => {
    if (camera.address === '') return null;
    const places = createPlaces(clock);
    return keepOpen({
      clock,
      random,
      listener,
      async attempt(signal, onUp) {
        await places.wait(listener, signal);
        const session = await client.open(camera);
        try {
          const snapshot = await connect(camera, session, signal).catch((error: unknown) => {
            places.forgetKept();
            throw error;
          });
          await pullAll({ session, places, listener, clock, signal, snapshot, onUp });
        } finally {
          session.close();
        }
      },
    });
  };
}

/** @returns the path of its snapshot; null: it has none */
async function connect(camera: CameraItem, session: OnvifSession, signal: AbortSignal): Promise<string | null> {
  await session.connect(signal);
  const address = await session.snapshotAddress(signal);
  return address === null ? null : ownPath(address, camera);
}

type Places = ReturnType<typeof createPlaces>;

/** The subscriptions that a camera still holds of an earlier session. Times are monotonic. */
function createPlaces(clock: Clock) {
  let left: number[] = [];
  let kept: { subscription: OnvifSubscription; endsMonoMs: number } | null = null;
  return {
    /** Keeps a subscription for the next session. */
    keep: (subscription: OnvifSubscription, endsMonoMs: number) => void (kept = { subscription, endsMonoMs }),
    /** The subscription that was kept, if it still lives. */
    resumeKept() {
      const resumed = kept;
      kept = null;
      return resumed !== null && resumed.endsMonoMs - END_MARGIN_MS > clock.monotonic() ? resumed : null;
    },
    /** The camera was away, and may know the subscription no more, though some go on to answer about it. */
    forgetKept() {
      if (kept !== null) left.push(kept.endsMonoMs);
      kept = null;
    },
    /** Counts a subscription that could not be ended. */
    leave: (endsMonoMs: number) => void left.push(endsMonoMs),
    /** Waits until there is room for another one. */
    async wait(listener: Pick<SourceListener, 'onFault'>, signal: AbortSignal): Promise<void> {
      for (;;) {
        left = left.filter((endsMonoMs) => endsMonoMs > clock.monotonic()).toSorted((a, b) => a - b);
        const [first] = left;
        if (kept !== null || first === undefined || left.length < LEFT_MAX) return;
        listener.onFault(`it does not end its subscriptions: the next one is made when one of ${left.length} is over`);
        await sleep(clock, first - clock.monotonic(), signal);
      }
    },
  };
}

interface Pulling {
  session: OnvifSession;
  places: Places;
  listener: SourceListener;
  clock: Clock;
  signal: AbortSignal;
  snapshot: string | null;
  onUp: () => void;
}

/** Pulls by one subscription after the other. */
async function pullAll(pulling: Pulling): Promise<never> {
  const { session, places, listener, clock, signal, onUp } = pulling;
  for (;;) {
    await places.wait(listener, signal);
    const kept = places.resumeKept();
    const life = { endsMonoMs: kept?.endsMonoMs ?? 0 };
    if (kept === null) life.endsMonoMs = clock.monotonic() + ((await session.subscribe(signal)) ?? LIFE_MS);
    else session.resume(kept.subscription);
    try {
      // One that is taken over is heard when it has answered.
      if (kept !== null) await pullOnce(pulling, life.endsMonoMs - clock.monotonic());
      onUp();
      await pullToItsEnd(pulling, life);
      await end(pulling, life.endsMonoMs);
    } catch (error) {
      // Without an answer, the subscription lives on at the camera.
      const lives = !signal.aborted && !(error instanceof PullRefusal) && !(error instanceof CameraRefusal);
      const subscription = lives ? session.handOver() : null;
      if (subscription === null) await end(pulling, life.endsMonoMs);
      else places.keep(subscription, life.endsMonoMs);
      if (kept === null || !(error instanceof PullRefusal)) throw error;
    }
  }
}

async function end({ session, places, clock }: Pulling, endsMonoMs: number): Promise<void> {
  await session.unsubscribe(AbortSignal.timeout(LEAVE_WITHIN_MS)).catch(() => {
    if (endsMonoMs > clock.monotonic()) places.leave(endsMonoMs);
  });
}

/** Pulls until the time of the subscription is over, which the camera may name anew in its answers. */
async function pullToItsEnd(pulling: Pulling, life: { endsMonoMs: number }): Promise<void> {
  const { session, clock, signal } = pulling;
  // Some cameras name an earlier end in their answers than they keep to.
  const lives = (ms: number) => void (life.endsMonoMs = Math.max(life.endsMonoMs, clock.monotonic() + ms));
  const leftMs = () => life.endsMonoMs - END_MARGIN_MS - clock.monotonic();
  let renewedMonoMs = clock.monotonic();
  while (leftMs() > 0) {
    try {
      lives((await pullOnce(pulling, leftMs())) ?? 0);
    } catch (error) {
      if (leftMs() <= 0 && !signal.aborted && !(error instanceof CameraRefusal)) return;
      throw error;
    }
    if (clock.monotonic() - renewedMonoMs < RENEW_MS) continue;
    renewedMonoMs = clock.monotonic();
    // A camera that does not renew keeps the subscription for as long as it said.
    await session.renew(signal).then(
      (ms) => lives(ms ?? LIFE_MS),
      () => signal.throwIfAborted(),
    );
  }
}

/** @returns how long the camera keeps the subscription from now on; null: it does not say */
async function pullOnce(pulling: Pulling, withinMs: number): Promise<number | null> {
  const { session, listener, clock, snapshot, signal } = pulling;
  const askedMonoMs = clock.monotonic();
  const xml = await withinTime({ clock, ms: withinMs, signal }, (within) => session.pull(within));
  listener.onAlive();
  const { count, reads, malformed } = parsePulledMessages(xml);
  for (const reason of malformed)
    listener.onMalformed({ reason, contentType: 'application/soap+xml', body: Buffer.from(xml) });
  for (const read of reads) await listener.onRead(withSnapshot(read, snapshot));
  const isAtOnce = clock.monotonic() - askedMonoMs < AT_ONCE_MS;
  if (isAtOnce) await sleep(clock, count === 0 ? IDLE_PAUSE_MS : BUSY_PAUSE_MS, signal);
  return parseLife(xml);
}

const withSnapshot = (read: CameraRead, snapshot: string | null): CameraRead =>
  snapshot === null ? read : { ...read, pictures: { ...read.pictures, full_address: snapshot } };
