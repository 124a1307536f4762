/**
 * Speaks ONVIF with a camera by npm `onvif`, one call at a time. The library's own loop of events is not used: a fault or a time with an
 * offset ends it for good, repeated faults make it subscribe hundreds of times a second. Its calls are supervised here: each ends in time,
 * answers are bounded, no other host is asked than the camera's, and a password that was refused is not tried again for an hour.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { CameraRefusal, REFUSED_REST_MS } from '../network/camera-client.js';

const SERVICE_PATH = '/onvif/device_service';
const CALL_WITHIN_MS = 10_000;
/** The library lets a camera wait for a minute until it has something to say. */
const PULL_WITHIN_MS = 75_000;
/** What a camera may answer over one connection. */
const BYTES_MAX = 4 * 1024 * 1024;
const MESSAGES_PER_PULL = 20;

type Done = (error: unknown, data?: unknown, xml?: string) => void;

/** What is used of the library's camera. */
interface LibraryCamera {
  events: { subscription?: { subscriptionReference: { address: Record<string, unknown> } } };
  profiles?: { $?: { token?: string } }[];
  on(event: 'rawResponse', heard: (xml: string) => void): void;
  getSystemDateAndTime(done: Done): void;
  setSystemDateAndTime(options: { dateTimeType: 'Manual'; dateTime: Date }, done: Done): void;
  getServices(includeCapability: boolean, done: Done): void;
  getCapabilities(done: Done): void;
  getDeviceInformation(done: Done): void;
  getProfiles(done: Done): void;
  getSnapshotUri(options: { profileToken: string }, done: Done): void;
  createPullPointSubscription(done: Done): void;
  pullMessages(options: { messageLimit: number }, done: Done): void;
  renew(done: Done): void;
  unsubscribe(done: Done, preserveListeners: boolean): void;
}

export interface OnvifSession {
  /** Learns the camera's clock, by which a password is sent, and its services. */
  connect(signal: AbortSignal): Promise<void>;
  /** What the camera says of its clock, to anybody; `camera_ms` null: nothing that is understood. */
  readTime(signal: AbortSignal): Promise<{ camera_ms: number | null; followsServer: boolean }>;
  setTime(now_ms: number, signal: AbortSignal): Promise<void>;
  /** Asks for something that needs the account. */
  checkAccount(signal: AbortSignal): Promise<void>;
  /** The address of a snapshot, as the camera says it; null: it has none. */
  snapshotAddress(signal: AbortSignal): Promise<string | null>;
  subscribe(signal: AbortSignal): Promise<void>;
  /** The XML of the messages that came; the camera answers when there are some, or after a minute. */
  pull(signal: AbortSignal): Promise<string>;
  renew(signal: AbortSignal): Promise<void>;
  unsubscribe(signal: AbortSignal): Promise<void>;
  /** Ends all connections. */
  close(): void;
}

export interface OnvifClient {
  open(camera: CameraItem): Promise<OnvifSession>;
}

export function createOnvifClient({ clock }: { clock: Clock }): OnvifClient {
  /** By camera: the account that was refused, and when. */
  const refused = new Map<number, { account: string; mono_ms: number }>();
  return {
    async open(camera) {
      if (!/^https?:/i.test(camera.address) || !URL.canParse(camera.address))
        throw new Error('its address is no http address');
      const account = JSON.stringify([camera.address, camera.username, camera.password]);
      const rest = refused.get(camera.id);
      const isResting = rest?.account === account && clock.monotonic() - rest.mono_ms < REFUSED_REST_MS;
      const session = await openSession(camera, clock);
      const guarded =
        <Result>(call: (signal: AbortSignal) => Promise<Result>) =>
        async (signal: AbortSignal): Promise<Result> => {
          if (isResting) throw new CameraRefusal(REFUSED);
          try {
            return await call(signal);
          } catch (error) {
            if (!isRefusal(error)) throw error;
            refused.set(camera.id, { account, mono_ms: clock.monotonic() });
            throw new CameraRefusal(camera.username === '' ? NO_ACCOUNT : REFUSED);
          }
        };
      return {
        // The clock is told to anybody: a camera that answers is there, whatever it has against the account.
        connect: async (signal) => {
          await session.readClock(signal);
          await guarded(session.readServices)(signal);
        },
        readTime: session.readTime,
        setTime: (now_ms, signal) => guarded((each) => session.setTime(now_ms, each))(signal),
        checkAccount: guarded(session.checkAccount),
        snapshotAddress: guarded(session.snapshotAddress),
        subscribe: guarded(session.subscribe),
        pull: guarded(session.pull),
        renew: guarded(session.renew),
        unsubscribe: session.unsubscribe,
        close: session.close,
      };
    },
  };
}

const REFUSED = 'it refuses the user name and password: correct them (tried again in an hour)';
const NO_ACCOUNT = 'it asks for a user name and password: give them';

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /\b401\b|not\s?authorized|unauthorized|authority failure/i.test(error.message);

async function openSession(camera: CameraItem, clock: Clock) {
  // It is loaded by the first camera that needs it: it costs memory.
  const library = await import('onvif');
  const url = new URL(camera.address);
  const useSecure = url.protocol === 'https:';
  const agent = boundedAgent(useSecure);
  const options = {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (useSecure ? 443 : 80)),
    path: url.pathname === '/' ? SERVICE_PATH : url.pathname,
    username: camera.username,
    password: camera.password,
    useSecure,
    agent,
    timeout: CALL_WITHIN_MS,
    autoconnect: false,
    // Whatever host the camera names for its services, it is asked where it was configured.
    preserveAddress: true,
  };
  const cam = new library.Cam(options) as unknown as LibraryCamera;
  let lastXml = '';
  cam.on('rawResponse', (xml) => {
    lastXml = xml;
  });

  /** The library may call back twice, or never: the first counts, and no call lasts longer than it may. */
  function call(
    signal: AbortSignal,
    run: (done: Done) => void,
    withinMs = CALL_WITHIN_MS,
  ): Promise<{ data: unknown; xml: string }> {
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(withinMs, () => fail(new Error('no answer in time')));
      const stop = () => fail(signal.reason);
      const over = () => {
        timer.cancel();
        signal.removeEventListener('abort', stop);
      };
      function fail(error: unknown): void {
        over();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) return stop();
      lastXml = '';
      try {
        run((error, data) => {
          // It hands on `null`, `false` or nothing for no error.
          if (error) fail(error);
          else {
            over();
            resolve({ data, xml: lastXml });
          }
        });
      } catch (error) {
        fail(error);
      }
    });
  }

  return {
    readClock: async (signal: AbortSignal): Promise<void> => {
      await call(signal, (done) => cam.getSystemDateAndTime(done));
    },
    async readTime(signal: AbortSignal): Promise<{ camera_ms: number | null; followsServer: boolean }> {
      const { data, xml } = await call(signal, (done) => cam.getSystemDateAndTime(done));
      return {
        camera_ms: data instanceof Date && Number.isFinite(data.getTime()) ? data.getTime() : null,
        followsServer: /<(?:[\w-]+:)?DateTimeType>\s*NTP\s*</i.test(xml),
      };
    },
    setTime: async (now_ms: number, signal: AbortSignal): Promise<void> => {
      await call(signal, (done) =>
        cam.setSystemDateAndTime({ dateTimeType: 'Manual', dateTime: new Date(now_ms) }, done),
      );
    },
    async readServices(signal: AbortSignal): Promise<void> {
      try {
        await call(signal, (done) => cam.getServices(false, done));
      } catch (error) {
        // Cameras of the first specification know only this; one that refuses the account is not asked again.
        if (isRefusal(error) || signal.aborted) throw error;
        await call(signal, (done) => cam.getCapabilities(done));
      }
    },
    checkAccount: async (signal: AbortSignal): Promise<void> => {
      await call(signal, (done) => cam.getDeviceInformation(done));
    },
    async snapshotAddress(signal: AbortSignal): Promise<string | null> {
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
    },
    async subscribe(signal: AbortSignal): Promise<void> {
      try {
        await call(signal, (done) => cam.createPullPointSubscription(done));
      } catch (error) {
        const address = subscriptionAddress(lastXml);
        if (address === null || signal.aborted) throw error;
        // The subscription is there; the library only stumbled over the times in the answer.
        cam.events.subscription = { subscriptionReference: { address: requestOf(address, options) } };
      }
      const address = cam.events.subscription?.subscriptionReference.address;
      if (typeof address !== 'object' || address === null) throw new Error('it names no address of its subscription');
      Object.assign(address, { agent });
    },
    pull: async (signal: AbortSignal): Promise<string> => {
      const pulled = await call(
        signal,
        (done) => cam.pullMessages({ messageLimit: MESSAGES_PER_PULL }, done),
        PULL_WITHIN_MS,
      );
      return pulled.xml;
    },
    renew: async (signal: AbortSignal): Promise<void> => {
      await call(signal, (done) => cam.renew(done));
    },
    unsubscribe: async (signal: AbortSignal): Promise<void> => {
      if (cam.events.subscription !== undefined) await call(signal, (done) => cam.unsubscribe(done, true));
    },
    close: () => agent.destroy(),
  };
}

/** What Node asks for at the camera's own host, whatever host its address names. */
function requestOf(address: string, camera: { hostname: string; port: number }): Record<string, unknown> {
  const { pathname, search, href } = new URL(address);
  const { hostname, port } = camera;
  return { hostname, port, path: `${pathname}${search}`, href };
}

function subscriptionAddress(xml: string): string | null {
  return (
    /<(?:[\w-]+:)?Address[^>]{0,500}>\s*(https?:\/\/[^<\s]{1,500})\s*</i.exec(xml.slice(0, 64 * 1024))?.[1] ?? null
  );
}

/** Connections that end when a camera answers more than it may: the library would keep it all. */
function boundedAgent(isSecure: boolean): HttpAgent {
  const agent = isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const socket = create(options, done) as Socket;
    const check = () => {
      if (socket.bytesRead > BYTES_MAX) socket.destroy(new Error(`it answers more than ${BYTES_MAX} bytes`));
    };
    socket.prependListener('data', check);
    return socket;
  };
  return agent;
}
