/** Puts the gateway together from its rooms. Everything that it needs from outside comes in as a port. */
import { dirname } from 'node:path';
import type { Hono } from 'hono';
import { sleep } from '../shared/clock.js';
import { type ConfigIntake, createConfigIntake } from './access/config-intake.js';
import type { CloudAsks } from './command/cloud-asks.js';
import { createKnownAddresses, type KnownAddresses } from './console/known-addresses.js';
import { createGatewayDoctor, type GatewayDoctor } from './doctor/gateway-doctor.js';
import { createAsksRoom, createCameraTools } from './gateway-answers.js';
import { createDryRun } from './lpr/reads/dry-run.js';
import { composeRooms, type GatewayDeps, type Rooms } from './gateway-rooms.js';
import { buildStatus } from './health/build-status.js';
import type { GatewayStatus } from './health/status.js';
import { cameraOfAddress } from './lpr/push/push-key.js';
import type { UplinkReceivers } from './uplink/uplink.js';
import { cloudOf, createLocalApp, queueOf } from './gateway-local-app.js';

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
 * closes them.
 */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const startedMonoMs = deps.clock.monotonic();
  const rooms = await composeRooms(deps);
  const { rules } = rooms.memory;
  const known = createKnownAddresses({ clock: deps.clock });
  known.setCameras(rules.cameras());
  const config = createConfig(deps, rooms, known);
  const status = () => readStatus(deps, rooms, startedMonoMs);
  const doctor = createDoctorRoom(deps, rooms, status);
  const tools = createCameraTools(deps, rooms);
  const asks = createAsksRoom(deps, rooms, tools);

  // This comes before the uplink starts, whose first hello names the revisions that are held.
  for (const message of deps.initialConfig) config.apply(message);
  // This comes last, because what the cloud sends reaches every room at once.
  rooms.uplink.start(receiversOf(deps, rooms, { config, doctor, asks }));

  const ownPaths = [...deps.cameraDrivers.values()].flatMap(({ fixedPath }) => fixedPath?.prefix ?? []);
  const prefixes = ['/lpr', '/sensors', '/displays', ...ownPaths];
  return {
    app: createLocalApp(deps, rooms, { known, status, doctor, tools }),
    isKnownAddress: known.isKnown,
    isDevicePath: (path) => prefixes.some((prefix) => path.startsWith(`${prefix}/`)),
    noteRefused({ path, reason }) {
      const camera = path === null ? null : cameraOfAddress(path, rules.camera);
      if (camera !== null) rooms.cameras.states.recordRefusal(camera.device_id, reason);
    },
    status,
    retireDisplays: () => rooms.displays.close(),
    close: () => closeGateway(deps, rooms, asks),
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
      if (section === 'gateway') updates.wishesChanged();
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

/** Builds `doctor` of the running gateway from the rooms that it looks at. */
function createDoctorRoom(deps: GatewayDeps, rooms: Rooms, status: () => Promise<GatewayStatus>): GatewayDoctor {
  const { clock, store, identity } = deps;
  const { memory, uplink, products, sensors, clockGuard, newEventId, localActions } = rooms;
  const { rules, sessions, recent } = memory;
  return createGatewayDoctor({
    rules,
    sessions,
    clock,
    logger: deps.logger,
    version: deps.version,
    status,
    drivers: deps.cameraDrivers,
    cameraStates: rooms.cameras.states,
    misdirected: rooms.cameras.misdirected,
    runDry: createDryRun({
      rules,
      sessions,
      recent,
      sensors,
      isHeldClosed: products.watch.isHeldClosed,
      clock,
      isOnline: () => uplink.state().connected,
    }),
    commander: products.commander,
    newEventId,
    actions: localActions,
    queue: () => queueOf(deps, rooms, { listed: 0, plates: false }),
    dataDir: dirname(store.health.path),
    cloud: identity.cloud,
    isTimePossible: clockGuard.isKnown,
    cloudOffMs() {
      const offset_ms = uplink.state().cloud_offset_ms;
      return offset_ms === null ? null : clock.now() - clock.monotonic() - offset_ms;
    },
    isConnected: () => uplink.state().connected,
    brokerRefusal: () => uplink.state().refusal,
    publish: (report) => uplink.publishReport({ products: [], doctor: report }),
  });
}

/** Passes the messages of the cloud to the parts that act on them. */
function receiversOf(
  { logger }: GatewayDeps,
  rooms: Rooms,
  { config, doctor, asks }: { config: ConfigIntake; doctor: GatewayDoctor; asks: CloudAsks },
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
    onAsk: asks.handle,
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
    troubleTimes: rooms.troubleTimes,
    rules: rooms.memory.rules,
    watch: rooms.products.watch,
    cameras: rooms.cameras.states,
    prober: rooms.cameras.prober,
    sensors: rooms.sensors,
    displays: rooms.displays,
    update: rooms.updates.view(),
  });
}

function claimOf({ identity: { former }, life }: GatewayDeps): GatewayStatus['claim'] {
  return {
    ...life.claimView(),
    former: former === null ? null : { why: former.why, at: new Date(former.at_ms).toISOString() },
  };
}

/**
 * Ends the sources of work, then the parts that do the work, and then those the work needs: radio, pictures, cloud,
 * store.
 */
async function closeGateway(
  { radio, images, store, clock, tracer }: GatewayDeps,
  rooms: Rooms,
  asks: CloudAsks,
): Promise<void> {
  const {
    products,
    cameras,
    sensors,
    displays,
    reads: { plateReads, cameraSources },
    orders,
    onSite: { localOperations, lotRelease },
    localActions,
    health,
    updates,
    uplink,
    clockGuard,
    troubleTimes,
  } = rooms;
  troubleTimes.close();
  await updates.close();
  products.reporter.close();
  health.close();
  cameras.prober.close();
  // No further read begins while those under way are finished.
  await cameraSources.close();
  const { commands, pairings, adminRecords } = orders;
  const settled = Promise.all(
    [plateReads, displays, sensors, commands, pairings, adminRecords, localOperations, lotRelease, asks].map((room) =>
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
  await tracer?.close();
}
