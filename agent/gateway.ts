/** The gateway put together from its rooms: everything it needs of the outside comes in as a port. */
import { Hono } from 'hono';
import { uuidv7 } from 'uuidv7';
import { type Clock, sleep } from '../shared/clock.js';
import type { Lane } from '../shared/uplink.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import { eventIdSchema, type Uid, uidSchema } from '../shared/ids.js';
import type { Logger } from '../shared/logger.js';
import { bytesToHex } from '../shared/product-protocol/bytes.js';
import type { ProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { createAccessRules } from './access/access-rules.js';
import { createConfigIntake } from './access/config-intake.js';
import { createOpenSessions } from './access/open-sessions.js';
import { createRecentReads } from './access/recent-reads.js';
import { createRemoteCommands } from './command/remote-commands.js';
import { createRemotePairings } from './command/remote-pairings.js';
import type { Identity } from './commissioning/identity.js';
import { createStatusRoute } from './console/status-route.js';
import { buildStatus } from './health/build-status.js';
import { createClockGuard } from './health/clock-guard.js';
import type { GatewayStatus } from './health/status.js';
import type { CameraProbe, PushDriver } from './lpr/camera.js';
import { createCameraProber } from './lpr/camera-prober.js';
import { createCameraStates } from './lpr/camera-states.js';
import type { Images } from './lpr/images.js';
import { createPlateReads } from './lpr/plate-reads.js';
import { createPushListener } from './lpr/push-listener.js';
import type { Quarantine } from './lpr/quarantine.js';
import { createProductReporter } from './product/product-reporter.js';
import { createProductWatch } from './product/product-watch.js';
import type { Radio } from './product/radio.js';
import { createRadioCommander } from './product/radio-commander.js';
import type { SensorDriver } from './sensor/sensor-source.js';
import { createSensors } from './sensor/sensors.js';
import type { AgentStore, RecordStamp } from './store/agent-store.js';
import { createUplink, type Uplink } from './uplink/uplink.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';

const EVENT_ID_BYTES = 4;
const CLOSE_GRACE_MS = 5_000;

export interface GatewayDeps {
  identity: Identity;
  /** What the claim answered, for a gateway that was claimed just now. */
  initialConfig: ConfigMessage[];
  store: AgentStore;
  radio: Radio;
  transport: UplinkTransport;
  cameraDrivers: Record<string, PushDriver>;
  cameraProbes: Record<string, CameraProbe>;
  sensorDrivers: Record<string, SensorDriver>;
  images: Images;
  quarantine: Quarantine;
  crypto: ProtocolCrypto;
  clock: Clock;
  random(): number;
  randomBytes(length: number): Uint8Array;
  logger: Logger;
  version: string;
  reportIntervalMs: number;
  cameraProbeIntervalMs: number;
}

export interface Gateway {
  /** The local HTTP interface: camera pushes; `GET /status`. */
  readonly app: Hono;
  status(): Promise<GatewayStatus>;
  close(): Promise<void>;
}

/** A gateway that belongs to no cloud yet has nobody to tell. */
const UNCLAIMED: Uplink = {
  start() {},
  notify() {},
  publishReport() {},
  state: () => ({ connected: false, since_ms: null, cloud_offset_ms: null }),
  close: () => Promise.resolve(),
};

/** Builds the gateway and sets it going: what it needs to work alone is in memory when this returns. It owns its ports and closes them. */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { store, radio, clock, logger, identity } = deps;
  const { boot } = store;
  const startedMonoMs = clock.monotonic();
  const newUid = () => uidSchema.parse(uuidv7());

  const sessions = createOpenSessions();
  const rules = createAccessRules({ boot, sessions, logger });
  sessions.setEpoch((await store.outboxState()).epoch, 0);
  const recent = createRecentReads(boot.recent_reads, new Set(boot.intents.map((intent) => intent.reading_uid)));
  const states = createCameraStates(clock);
  const clockGuard = createClockGuard({
    clock,
    floorMs: boot.clock_floor_ms,
    saveFloor: (wallMs) => store.saveClockFloor(wallMs),
    onError: (error) => logger.error({ err: error }, 'the time could not be kept'),
  });
  const watch = createProductWatch({ radio, crypto: deps.crypto, clock });
  watch.setProducts(rules.products());
  const commander = createRadioCommander({
    radio,
    watch,
    crypto: deps.crypto,
    clock,
    randomBytes: deps.randomBytes,
    knownTime: clockGuard.knownTime,
    logger,
  });
  const config = createConfigIntake({
    rules,
    store,
    logger,
    onChange(section) {
      if (section === 'products') watch.setProducts(rules.products());
      if (section === 'cameras') prober.camerasChanged();
      if (section === 'sensors') sensors.setSensors(rules.sensors());
    },
  });
  const uplink =
    identity.cloud === null
      ? UNCLAIMED
      : createUplink({
          transport: deps.transport,
          store: {
            outboxBatch: (lane, afterSeq) => store.outboxBatch(lane, afterSeq),
            outboxState: () => store.outboxState(),
            acknowledge: (ack) => store.acknowledge(ack),
            async startEpoch() {
              const state = await store.startEpoch();
              // Before the next record is told as stored: it is numbered in the new epoch already.
              sessions.setEpoch(state.epoch, state.acknowledged_seq);
              return state;
            },
          },
          clock,
          random: deps.random,
          logger,
          gatewayUuid: identity.uuid,
          credentials: identity.cloud.mqtt,
          agentVersion: deps.version,
          bootId: boot.boot_id,
          isClockOk: clockGuard.isKnown,
          configRevisions: config.revisions,
          onConfig: async (message) => config.take(message),
          onCommand: (message) => remoteCommands.handle(message),
          onPairing: (message) => remotePairings.handle(message),
          onConnectedChange(isConnected) {
            if (!isConnected) return;
            clockGuard.takeCloudOffset(uplink.state().cloud_offset_ms);
            reporter.reportSoon();
            prober.report();
          },
        });
  const reporter = createProductReporter({
    watch,
    clock,
    logger,
    intervalMs: deps.reportIntervalMs,
    publish: uplink.publishReport,
  });
  const prober = createCameraProber({
    cameras: rules.cameras,
    probes: deps.cameraProbes,
    states,
    clock,
    logger,
    intervalMs: deps.cameraProbeIntervalMs,
    publish: (cameras) => uplink.publishReport({ products: [], cameras }),
  });
  const stamp = (uid: Uid): RecordStamp => ({
    uid,
    mono_ms: clock.monotonic(),
    wall_ms: clock.now(),
    clock_ok: clockGuard.isKnown(),
  });
  const sensors = createSensors({
    store,
    drivers: deps.sensorDrivers,
    clock,
    logger,
    stamp,
    newUid,
    onCommitted: uplink.notify,
  });
  sensors.setSensors(rules.sensors());
  const ofCloud = {
    store,
    clock,
    cloudOffsetMs: () => uplink.state().cloud_offset_ms,
    stamp: () => stamp(newUid()),
    logger,
    onCommitted(lane: Lane) {
      uplink.notify(lane);
      reporter.reportSoon();
    },
  };
  const remoteCommands = createRemoteCommands({ commander, ...ofCloud });
  const remotePairings = createRemotePairings({ pairer: commander, ...ofCloud });
  const plateReads = createPlateReads({
    store,
    commander,
    rules,
    sessions,
    recent,
    sensors,
    images: deps.images,
    states,
    clock,
    clockOk: clockGuard.isKnown,
    isOnline: () => uplink.state().connected,
    stamp,
    newUid,
    newEventId: () => eventIdSchema.parse(bytesToHex(deps.randomBytes(EVENT_ID_BYTES))),
    logger,
    onCommitted: uplink.notify,
  });

  const status = async (): Promise<GatewayStatus> => {
    const link = uplink.state();
    return buildStatus({
      version: deps.version,
      uuid: identity.uuid,
      cloud: {
        url: identity.cloud?.url ?? null,
        connected: link.connected,
        since: link.since_ms === null ? null : new Date(link.since_ms).toISOString(),
      },
      radioState: radio.state,
      knownTimeMs: clockGuard.knownTime(),
      clock,
      startedMonoMs,
      store: store.health,
      // A broken store is what the status is asked for.
      outbox: await store.outboxState().catch(() => null),
      rules,
      watch,
      cameras: states,
      prober,
      sensors,
    });
  };

  const app = new Hono();
  app.route(
    '/',
    createPushListener({
      drivers: deps.cameraDrivers,
      camera: rules.camera,
      plateReads,
      quarantine: deps.quarantine,
      states,
      logger,
    }),
  );
  app.route('/', createStatusRoute(status));
  app.onError((error, context) => {
    logger.error({ err: error, method: context.req.method }, 'a local request failed');
    return context.body(null, 500);
  });
  for (const message of deps.initialConfig) config.take(message);
  uplink.start();

  return {
    app,
    status,
    async close() {
      reporter.close();
      prober.close();
      const settled = Promise.all([
        plateReads.close(),
        sensors.close(),
        remoteCommands.close(),
        remotePairings.close(),
      ]);
      // A product may be moving for minutes: its outcome is worth a short wait, and `unknown` at the next start otherwise.
      await Promise.race([settled, sleep(clock, CLOSE_GRACE_MS)]);
      await radio.close();
      await settled;
      await deps.images.close();
      await uplink.close();
      watch.close();
      clockGuard.close();
      await store.close();
    },
  };
}
