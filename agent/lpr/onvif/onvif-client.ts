/** Speaks ONVIF with a camera, one call at a time. A password that was refused is not tried again for an hour. */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { answerChallenge, CameraRefusal, createRefusedAccounts } from '../network/refused-accounts.js';
import { AccountRefusal, type LibrarySubscription, type OnvifLibrary, openOnvifLibrary } from './onvif-library.js';
import { parseLife } from './onvif-parser.js';
import { errorText } from '../../../shared/error-text.js';

/** The library asks a camera to wait for up to a minute until it has something to say. */
const PULL_WITHIN_MS = 75_000;
const MESSAGES_PER_PULL = 20;

export interface OnvifSession {
  /** Reads the camera's clock, by which the library dates a password, and its services. */
  connect(signal: AbortSignal): Promise<void>;
  /** Reads the camera's clock, which needs no account; `camera_ms` null: the answer holds no time that is understood. */
  readTime(signal: AbortSignal): Promise<{ camera_ms: number | null; followsServer: boolean }>;
  setTime(now_ms: number, signal: AbortSignal): Promise<void>;
  /** Asks for something that needs the account. */
  checkAccount(signal: AbortSignal): Promise<void>;
  /** The address of a snapshot, as the camera writes it; null: it has none. */
  snapshotAddress(signal: AbortSignal): Promise<string | null>;
  /** Resolves with how long the camera keeps the subscription; null: it does not say. */
  subscribe(signal: AbortSignal): Promise<number | null>;
  /** Leaves the subscription to another session; null: there is none. It is not the session's any more. */
  handOver(): OnvifSubscription | null;
  /** Goes on with the subscription of an earlier session. */
  resume(subscription: OnvifSubscription): void;
  /**
   * The XML of the messages that came. The camera answers when it has messages, or after a minute.
   * @throws PullRefusal when the camera answers, but not with messages
   */
  pull(signal: AbortSignal): Promise<string>;
  /** Resolves with how long the camera keeps the subscription; null: it does not say. */
  renew(signal: AbortSignal): Promise<number | null>;
  unsubscribe(signal: AbortSignal): Promise<void>;
  /** Ends all connections. */
  close(): void;
}

/** A subscription as the library has it. */
export type OnvifSubscription = LibrarySubscription;

/** The camera answers, but gives no messages: the subscription is probably over. */
export class PullRefusal extends Error {
  override name = 'PullRefusal';
}

export interface OnvifClient {
  open(camera: CameraItem): Promise<OnvifSession>;
}

/** Opens a session for some work, and closes it. */
export async function withSession<Result>(
  client: OnvifClient,
  camera: CameraItem,
  work: (session: OnvifSession) => Promise<Result>,
): Promise<Result> {
  const session = await client.open(camera);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}

/** Runs a call that needs the account. */
type WithAccount = <Result>(call: () => Promise<Result>) => Promise<Result>;

export function createOnvifClient(deps: {
  clock: Clock;
  randomHex: (bytes: number) => string;
  seenSha256: Set<string>;
}): OnvifClient {
  const { clock, randomHex, seenSha256: seen } = deps;
  const refused = createRefusedAccounts(clock);
  return {
    async open(camera) {
      if (!/^https?:/i.test(camera.address) || !URL.canParse(camera.address))
        throw new Error('its address is no http address');
      const isResting = refused.isResting(camera);
      const library = await openOnvifLibrary(camera, clock);
      library.cam.digestAuth = (challenges, { method, path }) => {
        const challenge = challenges.join(', ');
        const answer = answerChallenge(camera, { challenge, seen, method, uri: path, cnonce: randomHex(8) });
        if (answer === null) throw new CameraRefusal();
        return answer;
      };
      return sessionOf(library, async (call) => {
        if (isResting) throw new CameraRefusal();
        try {
          return await call();
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refused.note(camera);
          throw camera.username === '' ? new CameraRefusal(NO_ACCOUNT) : new CameraRefusal();
        }
      });
    },
  };
}

const NO_ACCOUNT = 'it asks for a user name and password: give them';

/** By the code of its fault, or of HTTP; some cameras say it in words alone. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AccountRefusal ||
  (error instanceof Error && /\b401\b|not\s?authorized|unauthorized|authority failure/i.test(errorText(error)));

function sessionOf(library: OnvifLibrary, withAccount: WithAccount): OnvifSession {
  const { cam, call } = library;
  return {
    async connect(signal) {
      // The clock needs no account: a camera that tells it is there, also when it refuses the account.
      await call(signal, (done) => cam.getSystemDateAndTime(done));
      await withAccount(() => readServices(library, signal));
    },
    async readTime(signal) {
      const { data, xml } = await call(signal, (done) => cam.getSystemDateAndTime(done));
      return {
        camera_ms: data instanceof Date && Number.isFinite(data.getTime()) ? data.getTime() : null,
        followsServer: /<(?:[\w-]+:)?DateTimeType>\s*NTP\s*</i.test(xml),
      };
    },
    async setTime(now_ms, signal) {
      const time = { dateTimeType: 'Manual', dateTime: new Date(now_ms) } as const;
      await withAccount(() => call(signal, (done) => cam.setSystemDateAndTime(time, done)));
    },
    async checkAccount(signal) {
      await withAccount(() => call(signal, (done) => cam.getDeviceInformation(done)));
    },
    snapshotAddress: (signal) => withAccount(() => readSnapshotAddress(library, signal)),
    subscribe: (signal) => withAccount(() => subscribe(library, signal)),
    handOver() {
      const { subscription = null } = cam.events;
      delete cam.events.subscription;
      return subscription;
    },
    resume(subscription) {
      cam.events.subscription = subscription;
      useAgent(library);
    },
    pull: (signal) => withAccount(() => pull(library, signal)),
    async renew(signal) {
      const renewed = await withAccount(() => call(signal, (done) => cam.renew(done)));
      return parseLife(renewed.xml);
    },
    async unsubscribe(signal) {
      if (cam.events.subscription !== undefined) await call(signal, (done) => cam.unsubscribe(done, true));
    },
    close: () => library.agent.destroy(),
  };
}

async function readServices({ cam, call }: OnvifLibrary, signal: AbortSignal): Promise<void> {
  try {
    await call(signal, (done) => cam.getServices(false, done));
  } catch (error) {
    if (isRefusal(error) || signal.aborted) throw error;
    // Cameras of the first specification know only this call.
    await call(signal, (done) => cam.getCapabilities(done));
  }
}

async function readSnapshotAddress({ cam, call }: OnvifLibrary, signal: AbortSignal): Promise<string | null> {
  try {
    await call(signal, (done) => cam.getProfiles(done));
    const profileToken = cam.profiles?.[0]?.$?.token ?? '';
    if (profileToken === '') return null;
    const { data } = await call(signal, (done) => cam.getSnapshotUri({ profileToken }, done));
    const uri = typeof data === 'object' && data !== null ? Reflect.get(data, 'uri') : null;
    return typeof uri === 'string' ? uri : null;
  } catch (error) {
    if (isRefusal(error) || signal.aborted) throw error;
    return null;
  }
}

async function pull({ cam, call, lastXml }: OnvifLibrary, signal: AbortSignal): Promise<string> {
  const options = { messageLimit: MESSAGES_PER_PULL };
  try {
    return (await call(signal, (done) => cam.pullMessages(options, done), PULL_WITHIN_MS)).xml;
  } catch (error) {
    if (lastXml() === '' || isRefusal(error)) throw error;
    throw new PullRefusal(errorText(error), { cause: error });
  }
}

async function subscribe(library: OnvifLibrary, signal: AbortSignal): Promise<number | null> {
  const { cam, call, lastXml, host } = library;
  try {
    await call(signal, (done) => cam.createPullPointSubscription(done));
  } catch (error) {
    const url = subscriptionUrl(lastXml());
    if (url === null || signal.aborted) throw error;
    // The subscription exists; the library failed only on the times in the answer.
    const request = { ...host, path: `${url.pathname}${url.search}`, href: url.href };
    cam.events.subscription = { subscriptionReference: { address: request } };
  }
  useAgent(library);
  return parseLife(lastXml());
}

/** The library asks at the subscription's own address by an agent of its own unless it is told otherwise. */
function useAgent({ cam, agent }: OnvifLibrary): void {
  const address = cam.events.subscription?.subscriptionReference.address;
  if (typeof address !== 'object' || address === null) throw new Error('it names no address of its subscription');
  Object.assign(address, { agent });
}

function subscriptionUrl(xml: string): URL | null {
  const [, address] =
    /<(?:[\w-]+:)?Address[^>]{0,500}>\s*(https?:\/\/[^<\s]{1,500})\s*</i.exec(xml.slice(0, 64 * 1024)) ?? [];
  return address === undefined ? null : new URL(address);
}
