/** Builds the rooms of the gateway, each from its ports and from the rooms that it uses. */
import type { Hono } from 'hono';
import type { Clock } from '../shared/clock.js';
import type { Logger } from '../shared/logger.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import type { Tracer } from '../shared/tracer.js';
import type { DisplayDrivers } from './display/display.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
import type { Identity } from './commissioning/identity.js';
import type { LogRing } from './health/log-ring.js';
import type { CameraDrivers } from './lpr/camera.js';
import type { CameraClient } from './lpr/network/camera-client.js';
import type { Images } from './lpr/pictures/images.js';
import type { Quarantine } from './lpr/push/quarantine.js';
import type { RadioHealth } from './product/radio-health.js';
import type { Radio } from './product/radio.js';
import type { SensorDrivers } from './sensor/sensor-source.js';
import type { UpdateInstaller } from './update/update-installer.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';
import { uuidv7 } from 'uuidv7';
import type { ZoneItem, ConfigMessage } from '../shared/gateway-config.js';
import type { EventId, Uid } from '../shared/ids.js';
import { bytesToHex } from '../shared/product-protocol/bytes.js';
import { createReconnectLadder } from '../shared/reconnect-ladder.js';
import type { Lane } from '../shared/uplink.js';
import { type AccessRules, createAccessRules } from './access/access-rules.js';
import { occupiedInZone } from './access/zone-occupancy.js';
import { createOpenSessions, type OpenSessions } from './access/open-sessions.js';
import { createRecentReads, type RecentReads } from './access/recent-reads.js';
import { createStandingWatch } from './commissioning/standing.js';
import { createAdminRecords } from './command/admin-records.js';
import { createHealthReporter, type HealthReporter } from './health/health-reporter.js';
import { createLocalActions, type LocalActions } from './command/local-actions.js';
import type { CloudOrderDeps } from './command/cloud-orders.js';
import { createLocalOperations } from './command/local-operations.js';
import { createLotRelease } from './command/lot-release.js';
import { createRemoteCommands } from './command/remote-commands.js';
import { createRemotePairings } from './command/remote-pairings.js';
import { decideSeen } from './display/decide-seen.js';
import { decideShown } from './display/decide-shown.js';
import { createDisplays, type Displays } from './display/displays.js';
import { type ClockGuard, createClockGuard } from './health/clock-guard.js';
import { followsTimeServer } from './health/time-server.js';
import { createCameraProber } from './lpr/presence/camera-prober.js';
import { createCameraClocks } from './lpr/presence/camera-clocks.js';
import { createCameraStates } from './lpr/presence/camera-states.js';
import { createPictureFetcher } from './lpr/network/picture-fetcher.js';
import { createPlateReads } from './lpr/reads/plate-reads.js';
import { createReadWatch } from './lpr/reads/read-watch.js';
import { createSeenReads } from './lpr/reads/seen-reads.js';
import { createCameraSources } from './lpr/sources/camera-sources.js';
import { createProductReporter } from './product/product-reporter.js';
import { createProductWatch } from './product/product-watch.js';
import { createRadioCommander } from './product/radio-commander.js';
import { createSensors, type Sensors } from './sensor/sensors.js';
import { type AgentStore, type RecordStamp, countWaiting } from './store/agent-store.js';
import { createOfferFinder } from './update/find-offers.js';
import { createUpdates, type Updates } from './update/updates.js';
import { createUplink, NO_UPLINK, type Uplink } from './uplink/uplink.js';
import type { Passage } from './update/passage.js';

const EVENT_ID_BYTES = 4;

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

/** The facts by which the gateway decides. */
export interface Memory {
  sessions: OpenSessions;
  rules: AccessRules;
  recent: RecentReads;
}

export interface Stamps {
  newUid(): Uid;
  newEventId(): EventId;
  stamp(uid: Uid): RecordStamp;
}

export interface Rooms {
  memory: Memory;
  clockGuard: ClockGuard;
  uplink: Uplink;
  products: ReturnType<typeof startProducts>;
  cameras: ReturnType<typeof startCameras>;
  sensors: Sensors;
  displays: Displays;
  reads: ReturnType<typeof startReads>;
  orders: ReturnType<typeof createCloudOrders>;
  localActions: LocalActions;
  onSite: ReturnType<typeof createOnSite>;
  health: HealthReporter;
  newEventId(): EventId;
  passage: Passage;
  updates: Updates;
}

/** Loads everything that the store kept when the program ended. */
export async function loadMemory({ store, logger }: GatewayDeps): Promise<Memory> {
  const { boot } = store;
  const sessions = createOpenSessions();
  // The configuration fills the sessions first, and then what this gateway decided itself.
  const rules = createAccessRules({ boot, sessions, logger });
  sessions.setOutboxEpoch((await store.outboxState()).epoch, 0);
  const recent = createRecentReads(boot.recent_reads, new Set(boot.intents.map((intent) => intent.reading_uid)));
  return { sessions, rules, recent };
}

export function createGuard({ store, clock, logger }: GatewayDeps): ClockGuard {
  return createClockGuard({
    clock,
    confirmedMs: store.boot.confirmed_ms,
    saveConfirmed: (wallMs) => store.saveConfirmedTime(wallMs),
    saveRunning: (wallMs) => store.saveClockFloor(wallMs),
    followsTimeServer,
    onError: (error) => logger.error({ err: error }, 'the time could not be kept'),
  });
}

export function createStamps({ clock, randomBytes }: GatewayDeps, clockGuard: ClockGuard): Stamps {
  return {
    // The ids are not checked by a schema, because that would keep vehicles waiting.
    newUid: () => uuidv7() as Uid,
    newEventId: () => bytesToHex(randomBytes(EVENT_ID_BYTES)) as EventId,
    stamp: (uid) => ({
      uid,
      mono_ms: Math.round(clock.monotonic()),
      wall_ms: clock.now(),
      clock_ok: clockGuard.isKnown(),
    }),
  };
}

export function createCloudUplink(deps: GatewayDeps, { sessions, rules }: Memory, clockGuard: ClockGuard): Uplink {
  const { identity, store, life, clock, logger } = deps;
  if (identity.cloud === null) return NO_UPLINK;
  const standing = createStandingWatch({
    identity,
    clock,
    logger,
    cloudKey: () => rules.gateway()?.cloud_key,
    waiting: () => countWaiting(store),
    onEnded: life.end,
  });
  return createUplink({
    transport: deps.transport,
    store: {
      outboxBatch: (lane, afterSeq) => store.outboxBatch(lane, afterSeq),
      outboxState: () => store.outboxState(),
      acknowledge: (ack) => store.acknowledge(ack),
      async startOutboxEpoch(goBackTo) {
        const state = await store.startOutboxEpoch(goBackTo);
        // This comes before any other record is stored: the next one is numbered in the new outbox epoch.
        sessions.setOutboxEpoch(state.epoch, state.acknowledged_seq);
        return state;
      },
    },
    clock,
    ladder: createReconnectLadder(deps),
    ownAddresses: deps.ownAddresses,
    logger,
    gatewayUuid: identity.uuid,
    credentials: identity.cloud.mqtt,
    agentVersion: deps.version,
    bootId: store.boot.boot_id,
    isClockOk: clockGuard.isKnown,
    onRefused: standing.brokerRefused,
    tracer: deps.tracer,
  });
}

export function startProducts(
  deps: GatewayDeps,
  { memory: { rules }, clockGuard, uplink, passage }: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink' | 'passage'>,
) {
  const { radio, crypto, clock, logger } = deps;
  const watch = createProductWatch({ radio, crypto, clock });
  watch.setProducts(rules.products());
  const commander = passage.counted(
    createRadioCommander({
      radio,
      watch,
      crypto,
      clock,
      randomBytes: deps.randomBytes,
      knownTime: clockGuard.knownTime,
      logger,
    }),
  );
  const { publishReport: publish } = uplink;
  const reporter = createProductReporter({ watch, clock, logger, intervalMs: deps.reportIntervalMs, publish });
  return { watch, commander, reporter };
}

/** Builds the rooms of the cameras and begins the first round of probes. */
export function startCameras(
  deps: GatewayDeps,
  { memory, clockGuard, uplink }: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink'>,
) {
  const { clock, logger, store } = deps;
  const { rules } = memory;
  const states = createCameraStates(clock, store.boot.clock_floor_ms);
  const drivers = deps.cameraDrivers;
  const clocks = createCameraClocks({ store, drivers, clock, clockOk: clockGuard.isKnown, logger });
  const prober = createCameraProber({
    cameras: rules.cameras,
    drivers,
    states,
    clock,
    logger,
    intervalMs: deps.cameraProbeIntervalMs,
    publish: (cameras) => uplink.publishReport({ products: [], cameras }),
  });
  return { states, clocks, prober };
}

export function startSensors(deps: GatewayDeps, { rules }: Memory, { stamp, newUid }: Stamps, uplink: Uplink): Sensors {
  const { store, clock, logger } = deps;
  const sensors = createSensors({
    store,
    drivers: deps.sensorDrivers,
    clock,
    logger,
    stamp,
    newUid,
    onCommitted: uplink.notify,
    publish: (parking_gateways, silent_sensors) =>
      uplink.publishReport({ products: [], parking_gateways, silent_sensors }),
  });
  sensors.setSensors(rules.sensors());
  return sensors;
}

export function startDisplays(
  deps: GatewayDeps,
  { rules, sessions }: Memory,
  { sensors, uplink }: { sensors: Sensors; uplink: Uplink },
): Displays {
  const { clock, logger, random } = deps;
  /** Others of the lot change sessions and read sensors: without the cloud this gateway does not hear of it. */
  const hearsOthers = () => uplink.state().connected || (rules.gateway()?.other_gateways_count ?? 0) === 0;
  const counted = (zone: ZoneItem) => ({
    name: zone.name,
    spot_count: zone.spot_count,
    ...(zone.sensor_counts.length === 0
      ? { occupied: occupiedInZone(zone, { sessions, sensors, now_ms: clock.now() }), is_known: hearsOthers() }
      : decideSeen(
          zone.sensor_counts.map(
            ({ parking_gateway_id, occupied_count }) =>
              sensors.seen(parking_gateway_id, zone.id) ?? { occupied_count, is_heard: uplink.state().connected },
          ),
        )),
  });
  const displays = createDisplays({
    drivers: deps.displayDrivers,
    wanted(item) {
      const zones = [...rules.zones()].filter(({ id }) => item.zone_id === null || id === item.zone_id);
      return decideShown(item, {
        zones: zones.map(counted),
        lot: rules.gateway()?.lot_name ?? '',
        at_ms: clock.now(),
      });
    },
    clock,
    random,
    logger,
    publish: (shown) => uplink.publishReport({ products: [], displays: shown }),
  });
  displays.setDisplays(rules.displays());
  return displays;
}

/** Builds the plate story, and listens to the cameras that do not push. */
export function startReads(
  deps: GatewayDeps,
  rooms: Pick<Rooms, 'memory' | 'uplink' | 'products' | 'cameras' | 'sensors' | 'passage'> & { stamps: Stamps },
) {
  const { clock, logger, cameraClient, cameraDrivers } = deps;
  const { memory, stamps, uplink, products, cameras, sensors } = rooms;
  const { rules } = memory;
  const watch = createReadWatch(clock);
  const seen = createSeenReads({ clock });
  const plateReads = createPlateReads({
    rules,
    sessions: memory.sessions,
    recent: memory.recent,
    stamp: stamps.stamp,
    newUid: stamps.newUid,
    newEventId: stamps.newEventId,
    store: deps.store,
    commander: products.commander,
    sensors,
    isHeldClosed: products.watch.isHeldClosed,
    images: deps.images,
    fetchPicture: createPictureFetcher({ client: cameraClient, camera: rules.camera, clock }),
    states: cameras.states,
    clocks: cameras.clocks,
    clock,
    isOnline: () => uplink.state().connected,
    logger,
    onCommitted: uplink.notify,
    tracer: deps.tracer,
    onSeen(read) {
      watch.note(read);
      seen.note(read);
      rooms.passage.noteVehicle(read.decided !== null);
    },
    onPicture: seen.notePicture,
  });
  const cameraSources = createCameraSources({
    cameras: rules.cameras,
    drivers: cameraDrivers,
    plateReads,
    quarantine: deps.quarantine,
    states: cameras.states,
    onFault: cameras.prober.setFault,
    clock,
    logger,
  });
  return { plateReads, cameraSources, watch, seen };
}

export function startHealth(
  { clock, logger, store, radioHealth, reportIntervalMs }: GatewayDeps,
  { memory, clockGuard, uplink, updates }: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink' | 'updates'>,
): HealthReporter {
  const health = createHealthReporter({
    clock,
    logger,
    store,
    rules: memory.rules,
    radioHealth,
    cloudOffsetMs: () => uplink.state().cloud_offset_ms,
    isClockOk: clockGuard.isKnown,
    intervalMs: reportIntervalMs,
    update: updates.report,
    publish: uplink.publishReport,
  });
  updates.start(() => void health.report());
  return health;
}

/** Builds the part that reports people's actions at the gateway itself to the cloud. */
export function createActions(
  { store, clock, logger, identity }: GatewayDeps,
  { stamps, uplink }: { stamps: Stamps; uplink: Uplink },
): LocalActions {
  return createLocalActions({
    store,
    clock,
    logger,
    stamp: () => stamps.stamp(stamps.newUid()),
    isClaimed: identity.cloud !== null,
    isConnected: () => uplink.state().connected,
    onCommitted: uplink.notify,
  });
}

/** It begins its work once health is there, which tells of it. */
export function createUpdateRoom(
  { updates: { installer, directory }, clock, logger, radioHealth, store }: GatewayDeps,
  rooms: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink' | 'products' | 'passage'>,
): Updates {
  const { memory, clockGuard, uplink, products, passage } = rooms;
  const { rules } = memory;
  return createUpdates({
    installer,
    directory,
    offers: createOfferFinder({ installer }),
    clock,
    logger,
    wanted: () => rules.gateway()?.updates,
    timezone: () => rules.gateway()?.timezone ?? 'UTC',
    knownTime: clockGuard.knownTime,
    busy: () => passage.busy({ products: rules.products(), watch: products.watch }),
    decisions: passage.decisions,
    cloud: () => uplink.state().connected,
    radio: () => radioHealth().state === 'on',
    // A disk that is full or cannot be written is not the software's fault: the software before it has the same.
    store: () => !store.health.is_broken,
  });
}

export function createCloudOrders(
  { store, clock, logger }: GatewayDeps,
  { stamps, uplink, products }: { stamps: Stamps; uplink: Uplink; products: Rooms['products'] },
) {
  const common: CloudOrderDeps = {
    store,
    clock,
    cloudOffsetMs: () => uplink.state().cloud_offset_ms,
    stamp: () => stamps.stamp(stamps.newUid()),
    logger,
    onCommitted(lane: Lane) {
      uplink.notify(lane);
      products.reporter.reportSoon();
    },
  };
  return {
    commands: createRemoteCommands(common, products.commander),
    pairings: createRemotePairings(common, products.commander),
    adminRecords: createAdminRecords(common, {
      commander: products.commander,
      newEventId: stamps.newEventId,
      onDone(device_id, answer) {
        if (answer !== undefined) products.watch.noteAdminAnswer(device_id, answer);
        products.reporter.reportSoon();
      },
    }),
  };
}

/** Builds what people do at the gateway itself, also without a network. */
export function createOnSite(
  { clock, logger }: GatewayDeps,
  {
    memory,
    products,
    reads,
    localActions: actions,
    newEventId,
  }: Pick<Rooms, 'memory' | 'products' | 'reads' | 'localActions' | 'newEventId'>,
) {
  const { product, products: all } = memory.rules;
  const { commander } = products;
  const { sighting } = reads.seen;
  return {
    localOperations: createLocalOperations({ product, sighting, commander, actions, clock, newEventId }),
    lotRelease: createLotRelease({ products: all, commander, actions, clock, newEventId, logger }),
  };
}
