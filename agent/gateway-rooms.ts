/** Lists what the gateway needs from outside, and wires its rooms together: each is composed from its ports and from the rooms that it uses. */
import type { Hono } from 'hono';
import type { Clock } from '../shared/clock.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import type { EventId } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import { composeMemory, type Memory } from './access/compose-memory.js';
import { type CloudOrders, composeCloudOrders, composeOnSite, type OnSite } from './command/compose-commands.js';
import { createLocalActions, type LocalActions } from './command/local-actions.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
import type { Identity } from './commissioning/identity.js';
import { composeDisplays } from './display/compose-displays.js';
import type { DisplayDrivers } from './display/display.js';
import type { Displays } from './display/displays.js';
import type { ClockGuard } from './health/clock-guard.js';
import { composeClockGuard, composeHealth, composeTroubleTimes } from './health/compose-health.js';
import type { HealthReporter } from './health/health-reporter.js';
import type { LogRing } from './health/log-ring.js';
import type { TroubleTimes } from './health/trouble-times.js';
import type { CameraDrivers } from './lpr/camera.js';
import type { FoundCamera } from './lpr/discovery/discovery-answers-parser.js';
import { type Cameras, composeCameras, composeReads, type Reads } from './lpr/compose-cameras.js';
import type { CameraClient } from './lpr/network/camera-client.js';
import type { Images } from './lpr/pictures/images.js';
import type { Quarantine } from './lpr/push/quarantine.js';
import { composeProducts, type Products } from './product/compose-products.js';
import type { RadioHealth } from './product/radio-health.js';
import type { Radio } from './product/radio.js';
import type { SensorDrivers } from './sensor/sensor-source.js';
import { createSensors, type Sensors } from './sensor/sensors.js';
import type { AgentStore } from './store/agent-store.js';
import { createStamps } from './store/stamps.js';
import { composeUpdates } from './update/compose-updates.js';
import { createPassage, type Passage } from './update/passage.js';
import type { UpdateInstaller } from './update/update-installer.js';
import type { Updates } from './update/updates.js';
import { composeUplink } from './uplink/compose-uplink.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';
import type { Uplink } from './uplink/uplink.js';

/** The parts that the gateway needs from outside. */
export interface GatewayDeps {
  identity: Identity;
  /** The configuration from the claim's answer, for a gateway that was claimed just now. */
  initialConfig: ConfigMessage[];
  life: GatewayLife;
  store: AgentStore;
  radio: Radio;
  radioHealth(): RadioHealth;
  transport: UplinkTransport;
  /** The machine's own addresses on its networks. */
  ownAddresses(): readonly string[];
  cameraDrivers: CameraDrivers;
  cameraClient: CameraClient;
  /** For the setup of cameras: the folder that keeps their earlier settings, and the port that they shall push to. */
  cameraSetup: { directory: string; httpPort: () => number };
  /** Asks the network which cameras are there, and resolves after `forMs`. */
  findCameras(forMs: number): Promise<FoundCamera[]>;
  sensorDrivers: SensorDrivers;
  displayDrivers: DisplayDrivers;
  /** Further routes of the local listener: those that sensors and cameras with a screen post to. */
  localRoutes: readonly Hono[];
  /** `directory` keeps the file of an update, and how far it is. */
  updates: { installer: UpdateInstaller; directory: string };
  images: Images;
  quarantine: Quarantine;
  /** The folder of the quarantine, for people who look at it on the gateway's own page. */
  quarantineDir: string;
  crypto: ProtocolCrypto;
  clock: Clock;
  random(): number;
  randomBytes(length: number): Uint8Array;
  logger: Logger;
  /** The newest lines of the log, for people on site. */
  logs: LogRing;
  version: string;
  reportIntervalMs: number;
  cameraProbeIntervalMs: number;
  /** null: nothing is traced. */
  tracer: Tracer | null;
}

export interface Rooms {
  memory: Memory;
  clockGuard: ClockGuard;
  uplink: Uplink;
  products: Products;
  cameras: Cameras;
  sensors: Sensors;
  displays: Displays;
  reads: Reads;
  orders: CloudOrders;
  localActions: LocalActions;
  onSite: OnSite;
  health: HealthReporter;
  newEventId(): EventId;
  passage: Passage;
  updates: Updates;
  troubleTimes: TroubleTimes;
}

/** Each step uses only what the steps before it built. The order matters where a comment says so. */
export async function composeRooms(deps: GatewayDeps): Promise<Rooms> {
  const passage = createPassage(deps.clock);
  const ground = await composeGround(deps);
  const field = composeField(deps, ground, passage);
  const { localActions, onSite, orders, updates, health } = composeWork(deps, { ground, field, passage });
  const { memory, clockGuard, uplink, newEventId } = ground;
  const { products, cameras, sensors, displays, reads } = field;
  return {
    memory,
    clockGuard,
    uplink,
    products,
    cameras,
    sensors,
    displays,
    reads,
    orders,
    localActions,
    onSite,
    health,
    newEventId,
    passage,
    updates,
    troubleTimes: composeTroubleTimes(deps, { clockGuard, products: products.watch.reports }),
  };
}

type Ground = Awaited<ReturnType<typeof composeGround>>;

/** Composes the ground of all rooms: the facts, the time, stamps, the link to the cloud. */
async function composeGround(deps: GatewayDeps) {
  const memory = await composeMemory(deps);
  const { rules, sessions } = memory;
  const clockGuard = composeClockGuard(deps);
  const { isKnown: isClockKnown } = clockGuard;
  const { newUid, newEventId, stamp } = createStamps({
    clock: deps.clock,
    randomBytes: deps.randomBytes,
    isClockKnown,
  });
  // Rooms notify the uplink of records from the moment they are built; it sends nothing before its start, which comes last.
  const uplink = composeUplink(deps, {
    cloudKey: () => rules.gateway()?.cloud_key,
    isClockOk: isClockKnown,
    onOutboxEpoch: sessions.setOutboxEpoch,
  });
  return {
    memory,
    clockGuard,
    newUid,
    newEventId,
    stamp,
    uplink,
    isOnline: () => uplink.state().connected,
    cloudOffsetMs: () => uplink.state().cloud_offset_ms,
  };
}

/** Composes the rooms that hear and move the devices of the car park, and decide on vehicles. */
function composeField(deps: GatewayDeps, ground: Ground, passage: Passage) {
  const { clock, logger, store, images, tracer } = deps;
  const { memory, clockGuard, uplink, isOnline, newUid, newEventId, stamp } = ground;
  const { rules, sessions, recent, handled } = memory;
  const { publishReport: publish, notify: onCommitted } = uplink;
  const products = composeProducts(deps, {
    items: rules.products(),
    knownTime: clockGuard.knownTime,
    counted: passage.counted,
    intervalMs: deps.reportIntervalMs,
    publish,
  });
  const cameras = composeCameras(deps, {
    cameras: rules.cameras,
    clockOk: clockGuard.isKnown,
    intervalMs: deps.cameraProbeIntervalMs,
    publish: (reports) => publish({ products: [], cameras: reports }),
  });
  const sensors = createSensors({
    store,
    drivers: deps.sensorDrivers,
    clock,
    logger,
    stamp,
    newUid,
    onCommitted,
    publish: (parking_gateways, silent_sensors) => publish({ products: [], parking_gateways, silent_sensors }),
  });
  sensors.setSensors(rules.sensors());
  const displays = composeDisplays(deps, {
    rules,
    sessions,
    sensors,
    isOnline,
    publish: (shown) => publish({ products: [], displays: shown }),
  });
  const reads = composeReads(deps, {
    rules,
    sessions,
    recent,
    cameras,
    stamp,
    newUid,
    newEventId,
    commander: products.commander,
    sensors,
    isHeldClosed: products.watch.isHeldClosed,
    images,
    isClockKnown: clockGuard.isKnown,
    isHandled: (uid) => handled.of(uid) !== null,
    isOnline,
    onCommitted,
    tracer,
    onVehicle: passage.noteVehicle,
  });
  return { products, cameras, sensors, displays, reads };
}

/** Composes the rooms that serve the cloud, people at the gateway, and the device itself. */
function composeWork(
  deps: GatewayDeps,
  of: { ground: Ground; field: ReturnType<typeof composeField>; passage: Passage },
) {
  const { store, clock, logger, identity, reportIntervalMs: intervalMs } = deps;
  const { memory, clockGuard, uplink, isOnline, cloudOffsetMs, newUid, newEventId } = of.ground;
  const { products, reads, sensors, displays } = of.field;
  const { rules, handled, sessions } = memory;
  const { notify: onCommitted, publishReport: publish } = uplink;
  const { commander, watch } = products;
  const stamp = () => of.ground.stamp(newUid());
  const localActions = createLocalActions({
    store,
    sessions,
    clock,
    logger,
    stamp,
    isClaimed: identity.cloud !== null,
    isConnected: isOnline,
    onCommitted,
  });
  const { knownTime, isKnown: isClockOk } = clockGuard;
  const updates = composeUpdates(deps, { rules, watch, passage: of.passage, knownTime, isOnline });
  return {
    localActions,
    updates,
    orders: composeCloudOrders(deps, { products, cloudOffsetMs, stamp, newEventId, onCommitted }),
    onSite: composeOnSite(deps, {
      product: rules.product,
      products: rules.products,
      vehicle: (uid) => reads.seen.sighting(uid) ?? reads.seen.refusedRead(uid),
      handled,
      sessions,
      store,
      commander,
      actions: localActions,
      newEventId,
    }),
    health: composeHealth(deps, {
      rules,
      cloudOffsetMs,
      isClockOk,
      intervalMs,
      faults: () => [...sensors.faults(), ...displays.faults()],
      update: updates.report,
      startUpdates: updates.start,
      publish,
    }),
  };
}
