/** Builds the rooms of the gateway, each from its ports and from the rooms that it uses. */
import { uuidv7 } from 'uuidv7';
import type { ZoneItem } from '../shared/gateway-config.js';
import type { EventId, Uid } from '../shared/ids.js';
import { bytesToHex } from '../shared/product-protocol/bytes.js';
import { createReconnectLadder } from '../shared/reconnect-ladder.js';
import type { Lane } from '../shared/uplink.js';
import { type AccessRules, createAccessRules } from './access/access-rules.js';
import { occupiedInZone } from './access/zone-occupancy.js';
import { createOpenSessions, type OpenSessions } from './access/open-sessions.js';
import { createRecentReads, type RecentReads } from './access/recent-reads.js';
import { createStandingWatch } from './commissioning/standing.js';
import { type AdminRecords, createAdminRecords } from './command/admin-records.js';
import { createHealthReporter, type HealthReporter } from './health/health-reporter.js';
import { createLocalActions, type LocalActions } from './command/local-actions.js';
import type { LocalOperations } from './command/local-operations.js';
import type { LotRelease } from './command/lot-release.js';
import { createRemoteCommands, type RemoteCommands } from './command/remote-commands.js';
import { createRemotePairings, type RemotePairings } from './command/remote-pairings.js';
import { decideSeen } from './display/decide-seen.js';
import { decideShown } from './display/decide-shown.js';
import { createDisplays, type Displays } from './display/displays.js';
import type { GatewayDeps } from './gateway-deps.js';
import { type ClockGuard, createClockGuard } from './health/clock-guard.js';
import { type CameraProber, createCameraProber } from './lpr/presence/camera-prober.js';
import { type CameraClocks, createCameraClocks } from './lpr/presence/camera-clocks.js';
import { type CameraStates, createCameraStates } from './lpr/presence/camera-states.js';
import { createPictureFetcher } from './lpr/network/picture-fetcher.js';
import { createPlateReads, type PlateReads } from './lpr/reads/plate-reads.js';
import { createReadWatch, type ReadWatch } from './lpr/reads/read-watch.js';
import { createSeenReads, type SeenReads } from './lpr/reads/seen-reads.js';
import { type CameraSources, createCameraSources } from './lpr/sources/camera-sources.js';
import type { ProductCommander, ProductPairer } from './product/product-commander.js';
import { createProductReporter } from './product/product-reporter.js';
import { createProductWatch, type ProductWatch } from './product/product-watch.js';
import { createRadioCommander } from './product/radio-commander.js';
import { createSensors, type Sensors } from './sensor/sensors.js';
import { type AgentStore, type RecordStamp, recordsIn } from './store/agent-store.js';
import { createUpdates, type Updates } from './update/updates.js';
import { createUplink, type Uplink } from './uplink/uplink.js';
import type { Passage } from './update/passage.js';

const EVENT_ID_BYTES = 4;

/** The uplink of a gateway that belongs to no cloud yet. */
const UNCLAIMED: Uplink = {
  start() {},
  notify() {},
  publishReport() {},
  state: () => ({
    connected: false,
    since_ms: null,
    cloud_offset_ms: null,
    refusal: null,
    acknowledged_mono_ms: null,
  }),
  close: () => Promise.resolve(),
};

/** What the gateway decides by. */
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

interface Products {
  watch: ProductWatch;
  commander: ProductCommander & ProductPairer;
  reporter: ReturnType<typeof createProductReporter>;
}

interface Cameras {
  states: CameraStates;
  clocks: CameraClocks;
  prober: CameraProber;
}

interface Reads {
  plateReads: PlateReads;
  cameraSources: CameraSources;
  watch: ReadWatch;
  seen: SeenReads;
}

interface CloudOrders {
  commands: RemoteCommands;
  pairings: RemotePairings;
  adminRecords: AdminRecords;
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
  localOperations: LocalOperations;
  lotRelease: LotRelease;
  health: HealthReporter;
  newEventId(): EventId;
  passage: Passage;
  /** null: it installs nothing. */
  updates: Updates | null;
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
    floorMs: store.boot.clock_floor_ms,
    saveFloor: (wallMs) => store.saveClockFloor(wallMs),
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

/** How many records wait for the cloud; a broken store may be why somebody asks. */
export async function countWaiting(store: Pick<AgentStore, 'outboxState'>): Promise<number> {
  const state = await store.outboxState().catch(() => null);
  return state === null ? 0 : recordsIn(state);
}

export function createCloudUplink(deps: GatewayDeps, { sessions, rules }: Memory, clockGuard: ClockGuard): Uplink {
  const { identity, store, life } = deps;
  if (identity.cloud === null) return UNCLAIMED;
  const standing = createStandingWatch({
    ...deps,
    cloudKey: () => rules.gateway()?.cloud_key,
    waiting: () => countWaiting(store),
    onEnded: (why) => life?.end(why),
  });
  return createUplink({
    transport: deps.transport,
    store: {
      outboxBatch: (lane, afterSeq) => store.outboxBatch(lane, afterSeq),
      outboxState: () => store.outboxState(),
      acknowledge: (ack) => store.acknowledge(ack),
      async startOutboxEpoch() {
        const state = await store.startOutboxEpoch();
        // This comes before any other record is stored: the next one is numbered in the new outbox epoch.
        sessions.setOutboxEpoch(state.epoch, state.acknowledged_seq);
        return state;
      },
    },
    clock: deps.clock,
    ladder: createReconnectLadder(deps),
    ownAddresses: deps.ownAddresses,
    logger: deps.logger,
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
): Products {
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
): Cameras {
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
    drivers: deps.displayDrivers ?? new Map(),
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
): Reads {
  const { clock, logger, cameraClient, cameraDrivers } = deps;
  const { memory, stamps, uplink, products, cameras, sensors } = rooms;
  const { rules } = memory;
  const watch = createReadWatch(clock);
  const seen = createSeenReads({ clock });
  const plateReads = createPlateReads({
    ...memory,
    ...stamps,
    store: deps.store,
    commander: products.commander,
    sensors,
    isHeldClosed: products.watch.isHeldClosed,
    images: deps.images,
    fetchPicture:
      cameraClient === undefined
        ? undefined
        : createPictureFetcher({ client: cameraClient, camera: rules.camera, clock }),
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
  {
    memory,
    clockGuard,
    uplink,
    updates,
  }: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink'> & {
    updates(): Updates | null;
  },
): HealthReporter {
  return createHealthReporter({
    clock,
    logger,
    store,
    rules: memory.rules,
    radioHealth,
    cloudOffsetMs: () => uplink.state().cloud_offset_ms,
    isClockOk: clockGuard.isKnown,
    intervalMs: reportIntervalMs,
    update: () => updates()?.report(),
    publish: uplink.publishReport,
  });
}

/** Builds what tells the cloud of what people do at the gateway itself. */
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
    onCommitted: uplink.notify,
  });
}

/** @param rooms.onChange called when the cloud shall soon hear how the update is */
export function startUpdates(
  deps: GatewayDeps,
  rooms: Pick<Rooms, 'memory' | 'clockGuard' | 'uplink' | 'products' | 'passage'> & { onChange(): void },
): Updates | null {
  const { memory, clockGuard, uplink, products, passage, onChange } = rooms;
  if (deps.updates === undefined) return null;
  const { rules } = memory;
  return createUpdates({
    ...deps.updates,
    clock: deps.clock,
    logger: deps.logger,
    wanted: () => rules.gateway()?.updates,
    timezone: () => rules.gateway()?.timezone ?? 'UTC',
    knownTime: clockGuard.knownTime,
    busy: () => passage.busy({ products: rules.products(), watch: products.watch }),
    decisions: passage.decisions,
    cloud: () => uplink.state().connected,
    radio: () => deps.radioHealth().state === 'on',
    store: () => deps.store.health.failed === null,
    onChange,
  });
}

export function createCloudOrders(
  { store, clock, logger }: GatewayDeps,
  { stamps, uplink, products }: { stamps: Stamps; uplink: Uplink; products: Products },
): CloudOrders {
  const common = {
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
    commands: createRemoteCommands({ commander: products.commander, ...common }),
    pairings: createRemotePairings({ pairer: products.commander, ...common }),
    adminRecords: createAdminRecords({
      commander: products.commander,
      newEventId: stamps.newEventId,
      onDone(device_id, answer) {
        if (answer !== undefined) products.watch.noteAdminAnswer(device_id, answer);
        products.reporter.reportSoon();
      },
      ...common,
    }),
  };
}
