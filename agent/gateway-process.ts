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
import type { GatewayDeps } from './gateway-rooms.js';
import type { LogRing } from './health/log-ring.js';
import { createCameraDrivers } from './lpr/camera-drivers.js';
import { discoverCameras } from './lpr/discovery/discover-cameras.js';
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

/** Replacements for parts of the machine. */
export interface GatewayOverrides {
  clock?: Clock;
  /** The drivers of cameras, sensors and displays; left out: `clock`. */
  groundClock?: Clock;
  /** Numbers in [0, 1). */
  random?: () => number;
  /** The source of randomness for ids and nonces. */
  randomBytes?: (length: number) => Uint8Array;
  radioOf?: (uuid: GatewayUuid) => Radio;
  transport?: UplinkTransport;
  /** In the place of a child process. */
  pictureMaker?: PictureMaker;
  /** In the place of RAUC. */
  updateInstaller?: UpdateInstaller;
  /** In the place of a search of the machine's networks. */
  findCameras?: GatewayDeps['findCameras'];
}

/** Opens the devices and the data of this gateway, and starts it with one identity, until the device is claimed or erased. */
export async function startWithIdentity(
  config: AgentConfig,
  deps: {
    identity: Identity;
    initialConfig: ConfigMessage[];
    life: GatewayLife;
    httpPort: () => number;
    logger: Logger;
    logs: LogRing;
    overrides: GatewayOverrides;
  },
): Promise<Gateway> {
  const { identity, initialConfig, life, httpPort, logs, overrides } = deps;
  const { clock = systemClock, random = Math.random } = overrides;
  const { groundClock = clock, radioOf, transport, pictureMaker, updateInstaller, findCameras } = overrides;
  // The lines of many gateways are read in one place. A claim may have given it another uuid.
  const logger = withFields(deps.logger, { uuid: identity.uuid });
  const { uuid: gatewayUuid } = identity;
  const { radio, health } =
    radioOf === undefined
      ? createRadio(config, { gatewayUuid, logger, clock, random })
      : aloneRadio(radioOf(gatewayUuid), clock);
  const pushes = createSensorPushes();
  const polls = createScreenPolls();
  const randomHex = (bytes: number) => nodeCrypto.randomBytes(bytes).toString('hex');
  const seenSha256 = new Set<string>();
  const maker = pictureMaker ?? createChildPictureMaker({ clock: systemClock, logger });
  return createGateway({
    identity,
    initialConfig,
    life,
    store: await openSqliteAgentStore({ path: config.databaseFile, logger, clock }),
    radio,
    radioHealth: health,
    // A link lives in the time of the machine, whatever clock the gateway has.
    transport: transport ?? createMqttTransport({ clock: systemClock }),
    ownAddresses,
    cameraDrivers: createCameraDrivers({ clock: groundClock, randomHex, random, gatewayUuid, httpPort, seenSha256 }),
    cameraClient: createCameraClient({ clock: groundClock, randomHex, seenSha256 }),
    cameraSetup: { directory: config.cameraSetupDir, httpPort },
    findCameras: findCameras ?? ((forMs) => discoverCameras({ forMs, newUuid: nodeCrypto.randomUUID })),
    sensorDrivers: createSensorDrivers({ clock: groundClock, random, gatewayUuid, pushes, radio }),
    displayDrivers: createDisplayDrivers({ polls }),
    localRoutes: [pushes.app, polls.app],
    updates: {
      installer:
        updateInstaller ??
        createRaucUpdateInstaller({ restartFile: join(config.updateDir, 'restart'), movingFile: config.movingFile }),
      directory: config.updateDir,
    },
    images: createImages({ maker, logger }),
    quarantine: createQuarantine({ directory: config.quarantineDir, clock, logger }),
    quarantineDir: config.quarantineDir,
    crypto: createProtocolCrypto(nodeCrypto),
    clock,
    random,
    randomBytes: overrides.randomBytes ?? createRandomPool(nodeCrypto.randomBytes),
    logger,
    logs,
    version: VERSION,
    reportIntervalMs: config.reportIntervalMs,
    cameraProbeIntervalMs: CAMERA_PROBE_INTERVAL_MS,
    tracer: await createTracer(config, { clock, logger }),
  });
}

async function createTracer(
  { otlpEndpoint: endpoint }: AgentConfig,
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  const service = { name: 'parking-agent', version: VERSION };
  return endpoint === null ? null : createOtelTracer({ endpoint, service, clock, logger });
}

function aloneRadio(radio: Radio, clock: Clock) {
  const recoveries = createRecoveryCounter(clock);
  return { radio, health: () => radioHealthOf(radio, [], recoveries) };
}

/** The adapters as one radio, and how they are. */
function createRadio(
  config: AgentConfig,
  of: { gatewayUuid: GatewayUuid; logger: Logger; clock: Clock; random: () => number },
) {
  const { gatewayUuid, logger, clock, random } = of;
  const recoveries = createRecoveryCounter(clock);
  const adapters = config.adapters.map((choice, index) => {
    const name = choice.kind === 'sim' ? `sim${index}` : `hci${choice.index ?? 0}`;
    const hci = choice.kind === 'sim' ? { ...choice, name: adapterName(gatewayUuid, index) } : choice;
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
      cyclePower: choice.kind === 'adapter' ? () => cyclePower(choice.index ?? 0) : null,
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
