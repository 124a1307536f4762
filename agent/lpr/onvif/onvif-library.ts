/**
 * Supervises npm `onvif` for one camera: each call ends in time, answers are bounded, and no other host is asked than the camera's. The
 * library's own event loop is not used: a fault or a time with an offset ends that loop for good, and repeated faults make it subscribe
 * hundreds of times a second.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { waitFor } from '../../waiting/wait-for.js';

const SERVICE_PATH = '/onvif/device_service';
const CALL_WITHIN_MS = 10_000;
const UNAUTHORIZED = 401;
/** The limit of a camera's answers over one connection. */
const BYTES_MAX = 4 * 1024 * 1024;

/** The codes of faults by which a camera refuses the account. Its reason beside them is in its own language. */
const REFUSES_ACCOUNT = /:(NotAuthorized|FailedAuthentication|InvalidSecurityToken)\s*<\//;

/** The camera refuses its user name or password. */
export class AccountRefusal extends Error {
  override name = 'AccountRefusal';
}

/** Something else than an ONVIF service answers: nothing that it sends is an envelope. */
export class NoOnvifAnswer extends Error {
  override name = 'NoOnvifAnswer';
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super('what answers there does not speak ONVIF');
  }
}

const isEnvelope = (xml: string): boolean => /<(?:[\w-]+:)?Envelope\b/.test(xml);

type Done = (error: unknown, data?: unknown, xml?: string) => void;

export interface LibrarySubscription {
  subscriptionReference: { address: Record<string, unknown> };
}

/** The part of the library's camera that is used. */
interface LibraryCamera {
  events: { subscription?: LibrarySubscription };
  profiles?: { $?: { token?: string } }[];
  /** Answers the digest challenges of an HTTP answer. */
  digestAuth(challenges: string[], request: { method: string; path: string }): string;
  on(event: 'rawResponse', heard: (xml: string, status: number) => void): void;
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

export interface OnvifLibrary {
  cam: LibraryCamera;
  /** Starts one call of the library, and resolves with its data and the XML of the answer. @param withinMs 10 s when left out */
  call(signal: AbortSignal, start: (done: Done) => void, withinMs?: number): Promise<{ data: unknown; xml: string }>;
  /** The XML of the latest answer, also of one that the library could not read. */
  lastXml(): string;
  /** The camera's configured host. */
  host: { hostname: string; port: number };
  /** Makes the connections to the camera, and ends all of them when it is destroyed. */
  agent: HttpAgent;
}

export async function openOnvifLibrary(camera: CameraItem, clock: Clock): Promise<OnvifLibrary> {
  // The library costs memory, so it is loaded by the first camera that needs it.
  const library = await import('onvif');
  const url = new URL(camera.address);
  const useSecure = url.protocol === 'https:';
  const agent = boundedAgent(useSecure);
  const host = { hostname: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (useSecure ? 443 : 80)) };
  const cam = new library.Cam({
    ...host,
    path: url.pathname === '/' ? SERVICE_PATH : url.pathname,
    username: camera.username,
    password: camera.password,
    useSecure,
    agent,
    timeout: CALL_WITHIN_MS,
    autoconnect: false,
    // Without this, the library asks the host that the camera names for its services.
    preserveAddress: true,
  }) as unknown as LibraryCamera;
  let lastXml = '';
  /** null: nothing answered the call yet. */
  let lastStatus: number | null = null;
  cam.on('rawResponse', (xml, status) => {
    lastXml = xml;
    lastStatus = status;
  });
  return {
    cam,
    call: (signal, start, withinMs = CALL_WITHIN_MS) =>
      // The library may call back twice, or never.
      waitFor({
        clock,
        timeoutMs: withinMs,
        timedOut: () => new Error('no answer in time'),
        signals: [signal],
        listen(resolve, reject) {
          lastXml = '';
          lastStatus = null;
          start((error, data) => {
            // Without an error the library passes `null`, `false` or nothing.
            if (error && REFUSES_ACCOUNT.test(lastXml))
              reject(new AccountRefusal('the camera refuses the account', { cause: error }));
            else if (error && lastStatus !== null && lastStatus !== UNAUTHORIZED && !isEnvelope(lastXml))
              reject(new NoOnvifAnswer(lastStatus, lastXml));
            else if (error) reject(error instanceof Error ? error : new Error(String(error)));
            else resolve({ data, xml: lastXml });
          });
          return () => {};
        },
      }),
    lastXml: () => lastXml,
    host,
    agent,
  };
}

/** Makes connections that end when a camera answers more than it may: the library would keep all of it in memory. */
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
