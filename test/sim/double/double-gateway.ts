/** One real gateway in this process: its own store, its claim, its listener for cameras; only the radio has no Bluetooth. */
import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import { claimGateway } from '../../../agent/commissioning/claim.js';
import { openIdentity } from '../../../agent/commissioning/identity.js';
import { startLocalServer } from '../../../agent/console/local-server.js';
import { createGateway } from '../../../agent/gateway.js';
import { createRecoveryCounter, radioHealthOf } from '../../../agent/product/radio-health.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { createImages } from '../../../agent/lpr/pictures/images.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import { createQuarantine } from '../../../agent/lpr/push/quarantine.js';
import type { Radio } from '../../../agent/product/radio.js';
import { createDisplayDrivers } from '../../../agent/display/display-drivers.js';
import { createScreenPolls } from '../../../agent/display/screen-polls.js';
import { createSensorDrivers } from '../../../agent/sensor/sensor-drivers.js';
import { createSensorPushes } from '../../../agent/sensor/sensor-pushes.js';
import { openSqliteAgentStore } from '../../../agent/store/sqlite-agent-store.js';
import { createMqttTransport } from '../../../agent/uplink/mqtt-transport.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { systemClock } from '../../../shared/system-clock.js';
import { VERSION } from '../../../shared/version.js';
import { type Cable, layCable } from './cable.js';
import type { MovableClock } from './movable-clock.js';

const HOST = '127.0.0.1';
export const REPORT_INTERVAL_MS = 30_000;
/** Realtime contract, "Delivery". */
const CAMERA_PROBE_INTERVAL_MS = 60_000;

export interface DoubleGateway {
  readonly uuid: GatewayUuid;
  readonly name: string;
  /** Where its cameras push to. */
  readonly url: string;
  /** To its cloud. */
  readonly cable: Cable;
  status(): Promise<GatewayStatus>;
  close(): Promise<void>;
}

export interface DoubleGatewayOptions {
  uuid: GatewayUuid;
  name: string;
  claimCode: string;
  cloudUrl: string;
  brokerPort: number;
  radio: Radio;
  dataDir: string;
  clock: MovableClock;
  logger: Logger;
}

/** Claims the gateway and starts it. Rejects with what is wrong; then nothing of it runs. */
export async function startDoubleGateway(options: DoubleGatewayOptions): Promise<DoubleGateway> {
  const { uuid, name, dataDir, logger } = options;
  const cable = await layCable(options.brokerPort);
  const running: (() => Promise<void>)[] = [() => cable.close()];
  const close = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  try {
    const unclaimed = openIdentity(join(dataDir, 'identity.json'));
    const { identity, config } = await claimGateway({
      identity: unclaimed,
      cloudUrl: options.cloudUrl,
      code: options.claimCode,
    });
    if (identity.cloud === null) throw new Error(`gateway ${name} was claimed and has no cloud`);
    const mqtt = { ...identity.cloud.mqtt, url: `mqtt://${HOST}:${cable.port}` };
    const ground = options.clock.layer('ground');
    const clock = options.clock.layer('gateway');
    const sensorPushes = createSensorPushes();
    const screenPolls = createScreenPolls();
    const gateway = await createGateway({
      identity: { ...identity, cloud: { ...identity.cloud, mqtt } },
      initialConfig: config,
      store: await openSqliteAgentStore({ path: join(dataDir, 'agent.db'), logger, clock }),
      radio: options.radio,
      radioHealth: () => radioHealthOf(options.radio, [], createRecoveryCounter(clock)),
      // The link is real: how long it has been silent is not a matter of moved time.
      transport: createMqttTransport({ clock: systemClock }),
      cameraDrivers: createCameraDrivers({
        clock: ground,
        randomHex: (bytes) => nodeCrypto.randomBytes(bytes).toString('hex'),
      }),
      sensorDrivers: createSensorDrivers({
        clock: ground,
        random: Math.random,
        gatewayUuid: identity.uuid,
        pushes: sensorPushes,
        radio: options.radio,
      }),
      displayDrivers: createDisplayDrivers({ polls: screenPolls }),
      localRoutes: [sensorPushes.app, screenPolls.app],
      images: createImages({ maker: createSharpPictureMaker(), logger }),
      quarantine: createQuarantine({ directory: join(dataDir, 'quarantine'), clock, logger }),
      crypto: createProtocolCrypto(nodeCrypto),
      clock,
      // It spreads gateways that come back over minutes; these come back at once.
      random: () => 0,
      randomBytes: (length) => new Uint8Array(nodeCrypto.randomBytes(length)),
      logger,
      version: VERSION,
      reportIntervalMs: REPORT_INTERVAL_MS,
      cameraProbeIntervalMs: CAMERA_PROBE_INTERVAL_MS,
    });
    running.push(async () => {
      // With its network it ends at once; without it, it would wait to say goodbye.
      cable.plugIn();
      await gateway.close();
    });
    const server = await startLocalServer({
      app: gateway.app,
      host: HOST,
      port: 0,
      isKnown: gateway.isKnownAddress,
      onError: (error) => logger.error({ err: error }, 'the listener of a gateway failed'),
    });
    running.push(() => server.close());
    return { uuid, name, url: `http://${HOST}:${server.port}`, cable, status: gateway.status, close };
  } catch (error) {
    await close();
    throw error;
  }
}
