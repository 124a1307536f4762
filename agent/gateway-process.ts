/** The gateway as a process: its settings, every driver, its listener. The program runs it, and so do simulations of a car park. */
import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import { createBoundedLog } from '../shared/bounded-log.js';
import type { Clock } from '../shared/clock.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import type { GatewayUuid } from '../shared/ids.js';
import { type Logger, withFields } from '../shared/logger.js';
import { createOtelTracer } from '../shared/node/otel-tracer.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { createRandomPool } from '../shared/random-pool.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { type Identity, openIdentity } from './commissioning/identity.js';
import { joinCloud } from './commissioning/join.js';
import type { AgentConfig } from './config.js';
import { startLocalServer } from './console/local-server.js';
import { createDisplayDrivers } from './display/display-drivers.js';
import { createScreenPolls } from './display/screen-polls.js';
import { createGateway, type Gateway } from './gateway.js';
import type { GatewayDeps } from './gateway-deps.js';
import { createCameraDrivers } from './lpr/camera-drivers.js';
import { createCameraClient } from './lpr/network/camera-client.js';
import { createChildPictureMaker } from './lpr/pictures/child-picture-maker.js';
import { createImages } from './lpr/pictures/images.js';
import type { PictureMaker } from './lpr/pictures/picture-maker.js';
import { createQuarantine } from './lpr/push/quarantine.js';
import { adapterName } from './product/hci/hub-codec.js';
import { cyclePower } from './product/hci/cycle-power.js';
import { createJointRadio } from './product/joint-radio.js';
import { createOffRadio } from './product/off-radio.js';
import type { Radio } from './product/radio.js';
import { createChildRadio } from './product/radio-process/child-radio.js';
import { createRecoveryCounter, radioHealthOf } from './product/radio-health.js';
import { createSensorDrivers } from './sensor/sensor-drivers.js';
import { createSensorPushes } from './sensor/sensor-pushes.js';
import { openSqliteAgentStore } from './store/sqlite-agent-store.js';
import { createMqttTransport } from './uplink/mqtt-transport.js';
import { createRaucUpdateInstaller } from './update/rauc-update-installer.js';
import { ownAddresses } from './uplink/network-watch.js';
import type { UpdateInstaller } from './update/update-installer.js';
import type { UplinkTransport } from './uplink/uplink-transport.js';

/** Realtime contract, "Delivery". */
const CAMERA_PROBE_INTERVAL_MS = 60_000;

/** What stands in the place of the machine's own. */
export interface GatewayOverrides {
  clock?: Clock;
  /** Of cameras, sensors and displays; left out: `clock`. */
  groundClock?: Clock;
  /** Numbers in [0, 1). */
  random?: () => number;
  /** What ids and nonces are made of. */
  randomBytes?: (length: number) => Uint8Array;
  radioOf?: (uuid: GatewayUuid) => Radio;
  transport?: UplinkTransport;
  /** In the place of a child process. */
  pictureMaker?: PictureMaker;
  /** In the place of RAUC. */
  updateInstaller?: UpdateInstaller;
}

export interface RunningGateway extends Pick<Gateway, 'status'> {
  readonly uuid: GatewayUuid;
  /** Where it listens for cameras and people on site. */
  readonly port: number;
  /** Accepts no more pushes, and ends the work that is under way. */
  close(): Promise<void>;
}

/**
 * Joins the cloud, if it is to, and starts the gateway.
 * @param options.signal ends the wait for a cloud that does not answer
 * @throws ClaimError when the cloud refuses; when its port is in use; the signal's reason
 */
export async function startGateway(
  config: AgentConfig,
  options: { logger: Logger; signal: AbortSignal; overrides?: GatewayOverrides },
): Promise<RunningGateway> {
  const { overrides = {} } = options;
  const { clock = systemClock, random = Math.random } = overrides;
  const { identity, initialConfig } = await joinedIdentity(config, { ...options, clock, random });
  // The lines of many gateways are read in one place. A claim may have given it another uuid.
  const logger = withFields(options.logger, { uuid: identity.uuid });
  if (identity.cloud === null) logger.warn({}, 'not claimed: set CLOUD_URL and CLAIM_CODE, or run parking-agent claim');
  const tracer =
    config.otlpEndpoint === null
      ? undefined
      : await createOtelTracer({
          endpoint: config.otlpEndpoint,
          service: { name: 'parking-agent', version: VERSION },
          clock,
          logger,
        });
  // Any free port is known only once the listener has it.
  const listening = { port: config.httpPort };
  const gateway = await createGateway({
    ...(await createDrivers(config, { identity, logger, clock, random, overrides, httpPort: () => listening.port })),
    identity,
    initialConfig,
    ownAddresses,
    quarantine: createQuarantine({ directory: config.quarantineDir, clock, logger }),
    crypto: createProtocolCrypto(nodeCrypto),
    clock,
    random,
    randomBytes: overrides.randomBytes ?? createRandomPool(nodeCrypto.randomBytes),
    logger,
    version: VERSION,
    reportIntervalMs: config.reportIntervalMs,
    cameraProbeIntervalMs: CAMERA_PROBE_INTERVAL_MS,
    tracer,
  });
  const end = async () => {
    await gateway.close();
    await tracer?.close();
  };
  try {
    const server = await listen(gateway, { config, clock, logger });
    listening.port = server.port;
    return {
      uuid: identity.uuid,
      port: server.port,
      status: gateway.status,
      async close() {
        try {
          await gateway.retireDisplays();
          await server.close();
        } finally {
          await end();
        }
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function joinedIdentity(
  config: AgentConfig,
  options: { clock: Clock; random: () => number; logger: Logger; signal: AbortSignal },
): Promise<{ identity: Identity; initialConfig: ConfigMessage[] }> {
  const identity = openIdentity(config.identityFile);
  if (identity.cloud !== null || config.claim === null) return { identity, initialConfig: [] };
  const joined = await joinCloud({ ...options, identity, claim: config.claim });
  options.logger.info({ uuid: joined.identity.uuid, cloud: config.claim.cloudUrl }, 'joined the cloud');
  return { identity: joined.identity, initialConfig: joined.config };
}

/** Creates what reaches devices, disk and cloud. */
async function createDrivers(
  config: AgentConfig,
  deps: {
    identity: Identity;
    logger: Logger;
    clock: Clock;
    random: () => number;
    overrides: GatewayOverrides;
    httpPort: () => number;
  },
) {
  const { identity, logger, clock, random, overrides, httpPort } = deps;
  const { groundClock = clock, radioOf, transport, pictureMaker, updateInstaller } = overrides;
  const { radio, health } =
    radioOf === undefined ? createRadio(config, deps) : aloneRadio(radioOf(identity.uuid), clock);
  const sensorPushes = createSensorPushes();
  const screenPolls = createScreenPolls();
  const randomHex = (bytes: number) => nodeCrypto.randomBytes(bytes).toString('hex');
  const gatewayUuid = identity.uuid;
  const seenSha256 = new Set<string>();
  const maker = pictureMaker ?? createChildPictureMaker({ clock: systemClock, logger });
  return {
    store: await openSqliteAgentStore({ path: config.databaseFile, logger, clock }),
    radio,
    radioHealth: health,
    // A link lives in the time of the machine, whatever clock the gateway has.
    transport: transport ?? createMqttTransport({ clock: systemClock }),
    cameraDrivers: createCameraDrivers({ clock: groundClock, randomHex, random, gatewayUuid, httpPort, seenSha256 }),
    cameraClient: createCameraClient({ clock: groundClock, randomHex, seenSha256 }),
    cameraSetup: { directory: config.cameraSetupDir, httpPort },
    sensorDrivers: createSensorDrivers({ clock: groundClock, random, gatewayUuid, pushes: sensorPushes, radio }),
    displayDrivers: createDisplayDrivers({ polls: screenPolls }),
    localRoutes: [sensorPushes.app, screenPolls.app],
    images: createImages({ maker, logger }),
    updates: {
      installer: updateInstaller ?? createRaucUpdateInstaller({ restartFile: join(config.updateDir, 'restart') }),
      directory: config.updateDir,
    },
  } satisfies Partial<GatewayDeps>;
}

function aloneRadio(radio: Radio, clock: Clock) {
  const recoveries = createRecoveryCounter(clock);
  return { radio, health: () => radioHealthOf(radio, [], recoveries) };
}

/** The adapters as one radio, and how they are. */
function createRadio(
  config: AgentConfig,
  { identity, logger, clock, random }: { identity: Identity; logger: Logger; clock: Clock; random: () => number },
) {
  const recoveries = createRecoveryCounter(clock);
  const adapters = config.adapters.map((choice, index) => {
    const name = choice.kind === 'sim' ? `sim${index}` : `hci${choice.index ?? 0}`;
    const hci = choice.kind === 'sim' ? { ...choice, name: adapterName(identity.uuid, index) } : choice;
    let links = 0;
    const radio = createChildRadio({
      hci,
      logger: config.adapters.length > 1 ? withFields(logger, { adapter: name }) : logger,
      clock,
      random,
      onRecovery: (step, reason) => recoveries.note(name, step, reason),
      onLinks: (count) => {
        links = count;
      },
      ...(choice.kind === 'adapter' ? { cyclePower: () => cyclePower(choice.index ?? 0) } : {}),
    });
    return { name, radio, links: () => links };
  });
  const [first, ...others] = adapters.map(({ radio }) => radio);
  const radio =
    first === undefined
      ? createOffRadio()
      : others.length === 0
        ? first
        : createJointRadio([first, ...others], { clock });
  return { radio, health: () => radioHealthOf(radio, adapters, recoveries) };
}

function listen(gateway: Gateway, { config, clock, logger }: { config: AgentConfig; clock: Clock; logger: Logger }) {
  const outsiders = createBoundedLog({ logger, clock });
  return startLocalServer({
    app: gateway.app,
    host: config.httpHost,
    port: config.httpPort,
    isKnown: gateway.isKnownAddress,
    isDevicePath: gateway.isDevicePath,
    onCrowd: (address) =>
      outsiders.from(address).warn({ address }, 'a local connection was closed to make room for others'),
    onRefused({ address, reason, path }) {
      outsiders.from(address).warn({ address, reason }, 'a local request was refused');
      gateway.noteRefused({ path, reason });
    },
    onError: (error) => logger.error({ err: error }, 'the local listener failed'),
  });
}
