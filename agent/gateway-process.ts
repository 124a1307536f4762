/** The gateway with every driver, as its settings say. `gateway-lives.ts` runs it, and starts it anew. */
import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../shared/clock.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import type { GatewayUuid } from '../shared/ids.js';
import { type Logger, withFields } from '../shared/logger.js';
import { createOtelTracer } from '../shared/node/otel-tracer.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { createRandomPool } from '../shared/random-pool.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import type { GatewayLife } from './commissioning/gateway-life.js';
import type { Identity } from './commissioning/identity.js';
import type { AgentConfig } from './config.js';
import { createDisplayDrivers } from './display/display-drivers.js';
import { createScreenPolls } from './display/screen-polls.js';
import { createGateway, type Gateway } from './gateway.js';
import type { GatewayDeps } from './gateway-deps.js';
import type { LogRing } from './health/log-ring.js';
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

/** A gateway with one identity, until the device is claimed or erased. */
export interface StartedGateway
  extends Pick<Gateway, 'app' | 'status' | 'isKnownAddress' | 'isDevicePath' | 'noteRefused'> {
  /** Ends the work that is under way, while the listener goes on. */
  close(): Promise<void>;
  /** Displays fetch their own texts from the listener: before that ends. */
  retireDisplays(): Promise<void>;
}

/** Opens the devices and the data of this gateway, and starts it. */
export async function startWithIdentity(
  config: AgentConfig,
  deps: {
    identity: Identity;
    initialConfig: ConfigMessage[];
    life: GatewayLife;
    httpPort: () => number;
    logger: Logger;
    /** The newest lines that the logger wrote; undefined: nobody on site can read them. */
    logs: LogRing | undefined;
    overrides: GatewayOverrides;
  },
): Promise<StartedGateway> {
  const { identity, initialConfig, life, httpPort, overrides } = deps;
  const { clock = systemClock, random = Math.random } = overrides;
  // The lines of many gateways are read in one place. A claim may have given it another uuid.
  const logger = withFields(deps.logger, { uuid: identity.uuid });
  const tracer =
    config.otlpEndpoint === null
      ? undefined
      : await createOtelTracer({
          endpoint: config.otlpEndpoint,
          service: { name: 'parking-agent', version: VERSION },
          clock,
          logger,
        });
  const gateway = await createGateway({
    ...(await createDrivers(config, { identity, logger, clock, random, overrides, httpPort })),
    identity,
    initialConfig,
    life,
    ownAddresses,
    quarantine: createQuarantine({ directory: config.quarantineDir, clock, logger }),
    quarantineDir: config.quarantineDir,
    crypto: createProtocolCrypto(nodeCrypto),
    clock,
    random,
    randomBytes: overrides.randomBytes ?? createRandomPool(nodeCrypto.randomBytes),
    logger,
    logs: deps.logs,
    version: VERSION,
    reportIntervalMs: config.reportIntervalMs,
    cameraProbeIntervalMs: CAMERA_PROBE_INTERVAL_MS,
    tracer,
  });
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await tracer?.close();
    },
  };
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
