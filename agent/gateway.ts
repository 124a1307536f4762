/** Puts the gateway together from its rooms. Everything that it needs from outside comes in as a port. */
import type { Hono } from 'hono';
import { sleep } from '../shared/clock.js';
import { type ConfigIntake, createConfigIntake } from './access/config-intake.js';
import { createLocalOperations } from './command/local-operations.js';
import { createLotRelease } from './command/lot-release.js';
import { createKnownAddresses, type KnownAddresses } from './console/known-addresses.js';
import type { GatewayDoctor } from './doctor/gateway-doctor.js';
import type { GatewayDeps } from './gateway-deps.js';
import { createDoctorRoom } from './gateway-doctor-room.js';
import {
  createActions,
  createCloudOrders,
  createCloudUplink,
  createGuard,
  createStamps,
  loadMemory,
  type Rooms,
  type Stamps,
  startCameras,
  startDisplays,
  startHealth,
  startProducts,
  startReads,
  startSensors,
  startUpdates,
} from './gateway-rooms.js';
import { createPassage } from './update/passage.js';
import { buildStatus } from './health/build-status.js';
import type { GatewayStatus } from './health/status.js';
import { cameraOfAddress } from './lpr/push/push-key.js';
import type { UplinkReceivers } from './uplink/uplink.js';
import { cloudOf, createLocalApp } from './gateway-local-app.js';

const CLOSE_GRACE_MS = 5_000;

export interface Gateway {
  /** The local HTTP interface: camera pushes; `GET /status`. */
  readonly app: Hono;
  /** Whether an address is a camera's, or this device's own. */
  isKnownAddress(address: string): boolean;
  /** Whether cameras, sensors or displays post to a path. */
  isDevicePath(path: string): boolean;
  /** Notes that a request was refused before any route saw it: if it was a camera's, that is its problem. @param reason for people */
  noteRefused(refused: { path: string | null; reason: string }): void;
  status(): Promise<GatewayStatus>;
  /** Shows the displays' own texts from now on. It comes before the end of the local listener, at which some displays fetch theirs. */
  retireDisplays(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Builds the gateway and starts it: what it needs to work alone is in memory when this returns. The gateway owns its ports and
 * closes them. Each step uses only what the steps before it built. The order matters where a comment says so.
 */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const startedMonoMs = deps.clock.monotonic();
  const memory = await loadMemory(deps);
  const clockGuard = createGuard(deps);
  const stamps = createStamps(deps, clockGuard);
  // Rooms notify the uplink of records from the moment they are built; it sends nothing before its start, which comes last.
  const uplink = createCloudUplink(deps, memory, clockGuard);

  const passage = createPassage(deps.clock);
  const products = startProducts(deps, { memory, clockGuard, uplink, passage });
  const cameras = startCameras(deps, { memory, clockGuard, uplink });
  const sensors = startSensors(deps, memory, stamps, uplink);
  const displays = startDisplays(deps, memory, { sensors, uplink });
  const reads = startReads(deps, { memory, stamps, uplink, products, cameras, sensors, passage });
  const localActions = createActions(deps, { stamps, uplink });
  const known = createKnownAddresses({ clock: deps.clock });
  known.setCameras(memory.rules.cameras());
  const health = startHealth(deps, { memory, clockGuard, uplink, updates: () => updates });
  const updates = startUpdates(deps, {
    memory,
    clockGuard,
    uplink,
    products,
    passage,
    onChange: () => void health.report(),
  });
  const rooms: Rooms = {
    memory,
    clockGuard,
    uplink,
    products,
    cameras,
    sensors,
    displays,
    reads,
    orders: createCloudOrders(deps, { stamps, uplink, products }),
    localActions,
    ...createOnSite(deps, { memory, stamps, products, reads, localActions }),
    newEventId: stamps.newEventId,
    health,
    passage,
    updates,
  };
  const config = createConfig(deps, rooms, known);
  const status = () => readStatus(deps, rooms, startedMonoMs);
  const doctor = createDoctorRoom(deps, rooms, status);

  // This comes before the uplink starts, whose first hello names the revisions that are held.
  for (const message of deps.initialConfig) config.apply(message);
  // This comes last, because what the cloud sends reaches every room at once.
  uplink.start(receiversOf(deps, rooms, { config, doctor }));

  const ownPaths = [...deps.cameraDrivers.values()].flatMap(({ fixedPath }) => fixedPath?.prefix ?? []);
  const prefixes = ['/lpr', '/sensors', '/displays', ...ownPaths];
  return {
    app: createLocalApp(deps, rooms, { known, status, doctor }),
    isKnownAddress: known.isKnown,
    isDevicePath: (path) => prefixes.some((prefix) => path.startsWith(`${prefix}/`)),
    noteRefused({ path, reason }) {
      const camera = path === null ? null : cameraOfAddress(path, memory.rules.camera);
      if (camera !== null) cameras.states.recordRefusal(camera.device_id, reason);
    },
    status,
    retireDisplays: () => rooms.displays.close(),
    close: () => closeGateway(deps, rooms),
  };
}

/** Builds what people do at the gateway itself. */
function createOnSite(
  { clock, logger }: GatewayDeps,
  rooms: Pick<Rooms, 'memory' | 'products' | 'reads' | 'localActions'> & { stamps: Stamps },
): Pick<Rooms, 'localOperations' | 'lotRelease'> {
  const { memory, products, reads, localActions: actions, stamps } = rooms;
  const common = { actions, commander: products.commander, clock, newEventId: stamps.newEventId };
  return {
    localOperations: createLocalOperations({
      ...common,
      product: memory.rules.product,
      sighting: reads.seen.sighting,
    }),
    lotRelease: createLotRelease({ ...common, products: memory.rules.products, logger }),
  };
}

/** Keeps the configuration, and notifies the rooms of the sections that concern them. */
function createConfig(
  { store, logger }: GatewayDeps,
  { memory, products, cameras, reads, sensors, displays, updates }: Rooms,
  known: KnownAddresses,
): ConfigIntake {
  const { rules } = memory;
  return createConfigIntake({
    rules,
    store,
    logger,
    onChange(section) {
      if (section === 'gateway') updates?.wishesChanged();
      if (section === 'products') products.watch.setProducts(rules.products());
      if (section === 'cameras') {
        cameras.prober.camerasChanged();
        reads.cameraSources.camerasChanged();
        known.setCameras(rules.cameras());
      }
      if (section === 'sensors') sensors.setSensors(rules.sensors());
      if (section === 'displays') displays.setDisplays(rules.displays());
    },
  });
}

/** What becomes of the messages of the cloud. */
function receiversOf(
  { logger }: GatewayDeps,
  rooms: Rooms,
  { config, doctor }: { config: ConfigIntake; doctor: GatewayDoctor },
): UplinkReceivers {
  const { uplink, clockGuard, products, cameras, sensors, displays, orders, health } = rooms;
  return {
    configRevisions: config.revisions,
    onConfig: async (message) => config.apply(message),
    onCommand: orders.commands.handle,
    onPairing: orders.pairings.handle,
    onAdmin: orders.adminRecords.handle,
    onDoctor: () =>
      void doctor
        .run()
        .catch((error: unknown) => logger.error({ err: error }, 'doctor, which the cloud asked for, failed')),
    onConnectedChange(isConnected) {
      if (!isConnected) return;
      clockGuard.setCloudOffset(uplink.state().cloud_offset_ms);
      products.reporter.reportSoon();
      cameras.prober.report();
      sensors.report();
      void health.report();
      displays.report();
      doctor.report();
    },
  };
}

async function readStatus(deps: GatewayDeps, rooms: Rooms, startedMonoMs: number): Promise<GatewayStatus> {
  const { store, identity, clock } = deps;
  return buildStatus({
    version: deps.version,
    uuid: identity.uuid,
    cloud: cloudOf(deps, rooms),
    claim: claimOf(deps),
    radio: deps.radioHealth(),
    knownTimeMs: rooms.clockGuard.knownTime(),
    clock,
    startedMonoMs,
    store: store.health,
    // A broken store may be the reason why somebody asks for the status.
    outbox: await store.outboxState().catch(() => null),
    readsSinceMs: rooms.reads.plateReads.sinceMs(),
    rules: rooms.memory.rules,
    watch: rooms.products.watch,
    cameras: rooms.cameras.states,
    prober: rooms.cameras.prober,
    sensors: rooms.sensors,
    displays: rooms.displays,
    update: rooms.updates?.view() ?? null,
  });
}

function claimOf({ identity: { cloud, former }, life }: GatewayDeps): GatewayStatus['claim'] {
  const view = life?.claimView() ?? { state: cloud === null ? 'unclaimed' : 'claimed', problem: null };
  return { ...view, former: former === null ? null : { why: former.why, at: new Date(former.at_ms).toISOString() } };
}

/** Ends what causes work, then what does the work, and then what the work needs: radio, pictures, cloud, store. */
async function closeGateway({ radio, images, store, clock }: GatewayDeps, rooms: Rooms): Promise<void> {
  const {
    products,
    cameras,
    sensors,
    displays,
    reads: { plateReads, cameraSources },
    orders,
    localOperations,
    localActions,
    lotRelease,
    health,
    updates,
    uplink,
    clockGuard,
  } = rooms;
  await updates?.close();
  products.reporter.close();
  health.close();
  cameras.prober.close();
  // No further read begins while those under way are finished.
  await cameraSources.close();
  const { commands, pairings, adminRecords } = orders;
  const settled = Promise.all(
    [plateReads, displays, sensors, commands, pairings, adminRecords, localOperations, lotRelease].map((room) =>
      room.close(),
    ),
  );
  // A product may move for minutes. Its outcome is worth a short wait; without it, the next start records `unknown`.
  await Promise.race([settled, sleep(clock, CLOSE_GRACE_MS)]);
  // The commands that still run end with their link.
  await radio.close();
  await settled;
  await localActions.close();
  await images.close();
  await uplink.close();
  products.watch.close();
  clockGuard.close();
  await store.close();
}
