/** One camera of the car park: sends its reads to its agent, and keeps those that the agent did not accept. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { CarParkCamera } from '../car-park.js';
import { type HttpListener, listenHttp } from '../http-listener.js';
import type { SimBrokers } from '../sensors/sim-brokers.js';
import type {
  CameraEvent,
  CameraVendor,
  PushRequest,
  SeenEvents,
  VehiclePictures,
  VehicleRead,
} from './camera-vendor.js';
import { createCameraClock } from './camera-clock.js';
import { createEventMemory } from './event-memory.js';
import { postEvent, type PostOutcome, pushUrl } from './post-event.js';

/** `not_sent`: the camera is offline, or the simulator does not speak its vendor's language. */
export type ReadOutcome = PostOutcome | { outcome: 'not_sent'; reason: string };

export interface CameraView {
  device_id: string;
  driver: string;
  address: string;
  online: boolean;
  /** Events kept because the agent did not accept them. */
  waiting: number;
}

export interface SimCamera {
  view(): CameraView;
  /**
   * Sends one vehicle, and the same vendor event `repeat` times more. `refines`: the read has the event of the last
   * vehicle, which the camera sees better now. Returns the outcome of the first attempt.
   */
  read(
    read: VehicleRead,
    options?: { repeat?: number | undefined; refines?: boolean | undefined },
  ): Promise<ReadOutcome>;
  /** Takes the camera off the network or back onto it. Rejects when its address is in use. */
  setOnline(online: boolean): Promise<void>;
  /** Sets its clock wrong. @param off_s seconds by which it is ahead; below 0: behind */
  setClock(off_s: number): void;
  close(): Promise<void>;
}

export interface CameraDeps {
  /** Undefined: a vendor the simulator does not speak. */
  vendor: CameraVendor | undefined;
  drawVehicle: (plate: string, color: string | undefined) => Promise<VehiclePictures>;
  /** Base address of the agent the camera pushes to now; null: none was named. */
  agentUrl: () => string | null;
  /** The brokers at which cameras are heard. */
  brokers: Pick<SimBrokers, 'at'>;
  clock: Clock;
  /** Makes the ids of events. */
  newUuid: () => string;
  logger: Logger;
}

const isBroker = ({ address }: CarParkCamera): boolean => address.startsWith('mqtt://');

/** The account of a camera at its broker; null: the account is in its address, or there is none. */
const accountAt = ({ address, username, password }: CarParkCamera) =>
  new URL(address).username !== '' || username === '' ? null : { username, password };

const isAtBroker = (
  config: CarParkCamera,
  vendor: CameraVendor,
): vendor is CameraVendor & Required<Pick<CameraVendor, 'publish'>> => vendor.publish !== undefined && isBroker(config);

/** Starts the camera: when it resolves, its address answers. */
export async function startCamera(config: CarParkCamera, deps: CameraDeps): Promise<SimCamera> {
  const { clock, logger, vendor, newUuid } = deps;
  let last: CameraEvent | null = null;
  const device_id = config.device_id;
  const own = createCameraClock(() => clock.now());
  const closing = new AbortController();
  let online = false;

  const ways = createWays(config, deps, closing.signal);

  async function send(event: CameraEvent, retransmission: boolean): Promise<ReadOutcome> {
    if (vendor === undefined) return { outcome: 'not_sent', reason: `driver ${config.driver} is not simulated` };
    if (isAtBroker(config, vendor)) return ways.publish(vendor.publish(config, event));
    // A camera without a push key does not push: its events are for those who listen to the camera.
    if (vendor.encode === null || config.push_key === '') return ways.notifyListeners(event);
    const outcome = await ways.push(vendor.encode(config, event, retransmission));
    logger.debug({ device_id, uuid: event.uuid, plate: event.read.plate, retransmission, ...outcome }, 'event sent');
    return outcome;
  }

  const memory = createEventMemory({
    clock,
    resend: async (event) => isAccepted(await send(event, true)),
    onDropped: ({ uuid }) => logger.warn({ device_id, uuid }, 'camera memory full: its oldest event is lost'),
  });
  const network = createSwitch({
    async on() {
      const device =
        vendor === undefined || config.address === '' || isBroker(config)
          ? null
          : vendor.createDevice(config, ways.seen, own);
      const listener = device === null ? null : await listenHttp(device.fetch, hostAndPort(config));
      online = true;
      memory.start();
      return listener;
    },
    async off(listener) {
      online = false;
      memory.stop();
      await listener?.close();
    },
  });
  await network.set(true);
  // The broker listens before the first event, so that agents can connect.
  if (vendor !== undefined && isAtBroker(config, vendor))
    await deps.brokers.at(new URL(config.address), accountAt(config));

  return {
    view: () => ({ device_id, driver: config.driver, address: config.address, online, waiting: memory.size }),
    async read(read, { repeat = 0, refines = false } = {}) {
      if (!online) return { outcome: 'not_sent', reason: 'the camera is offline' };
      const pictures = await deps.drawVehicle(read.plate, read.color);
      const named = refines && last !== null ? last : { uuid: newUuid(), wallMs: own.now() };
      const event: CameraEvent = { uuid: named.uuid, wallMs: named.wallMs, read, pictures };
      last = event;
      const first = await send(event, false);
      const outcomes = [first];
      for (let sent = 0; sent < repeat; sent++) outcomes.push(await send(event, false));
      if (first.outcome !== 'not_sent' && !outcomes.some(isAccepted)) memory.keep(event);
      return first;
    },
    setOnline: (wanted) => network.set(wanted),
    setClock: (off_s) => own.set(clock.now() + off_s * 1_000),
    close() {
      closing.abort(new Error('the simulator stops'));
      return network.set(false);
    },
  };
}

/** The three ways in which an event leaves the camera: to listeners, to a broker, as a push. */
function createWays(config: CarParkCamera, { agentUrl, brokers, clock }: CameraDeps, signal: AbortSignal) {
  /** Those who listen to the camera itself. */
  const listeners = new Set<(event: CameraEvent) => void>();
  /** The address that somebody wrote into its settings. */
  let written: string | null = null;
  const seen: SeenEvents = {
    setPushAddress: (url) => void (written = url),
    subscribe(hear) {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
  };
  return {
    seen,
    notifyListeners(event: CameraEvent): ReadOutcome {
      if (listeners.size === 0) return { outcome: 'unreachable', reason: 'nobody listens to it' };
      for (const hear of listeners) hear(event);
      return { outcome: 'answered', status: 200 };
    },
    async publish({ topic, payload }: { topic: string; payload: string }): Promise<ReadOutcome> {
      const broker = await brokers.at(new URL(config.address), accountAt(config));
      if (broker === undefined) return { outcome: 'unreachable', reason: 'there is no broker for it' };
      const packet = { cmd: 'publish', qos: 1, dup: false, retain: false, topic, payload } as const;
      await new Promise<void>((resolve) => broker.publish(packet, () => resolve()));
      return { outcome: 'answered', status: 200 };
    },
    async push(request: PushRequest): Promise<ReadOutcome> {
      const base = agentUrl();
      if (written !== null) return postEvent({ url: `${written}${request.path ?? ''}`, request, clock, signal });
      if (base === null) return { outcome: 'unreachable', reason: 'no agent was given for its gateway' };
      return postEvent({ url: `${pushUrl(base, config)}${request.path ?? ''}`, request, clock, signal });
    },
  };
}

/** A 4xx counts as accepted: the agent refused the event for good. */
function isAccepted(outcome: ReadOutcome): boolean {
  return outcome.outcome === 'answered' && outcome.status < 500;
}

/** Runs changes one after the other, so that the address is free before the camera listens there again. */
function createSwitch(actions: {
  on(): Promise<HttpListener | null>;
  off(listener: HttpListener | null): Promise<void>;
}): { set(on: boolean): Promise<void> } {
  let state: { listener: HttpListener | null } | null = null;
  const changes = createMutex<'change'>();

  async function change(on: boolean): Promise<void> {
    if (on && state === null) {
      state = { listener: await actions.on() };
    } else if (!on && state !== null) {
      const { listener } = state;
      state = null;
      await actions.off(listener);
    }
  }
  return { set: (on) => changes.run('change', () => change(on)) };
}

function hostAndPort(camera: CarParkCamera): { host: string; port: number } {
  const url = URL.canParse(camera.address) ? new URL(camera.address) : null;
  if (url === null || url.protocol !== 'http:') {
    throw new Error(
      `camera ${camera.device_id}: cannot listen on address "${camera.address}"; give it as http://host:port`,
    );
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) };
}
