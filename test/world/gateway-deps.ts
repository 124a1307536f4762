import * as nodeCrypto from 'node:crypto';
import { join } from 'node:path';
import { openIdentity } from '../../agent/commissioning/identity.js';
import type { GatewayDeps } from '../../agent/gateway-rooms.js';
import { createLogRing } from '../../agent/health/log-ring.js';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import { createCameraClient } from '../../agent/lpr/network/camera-client.js';
import { createImages } from '../../agent/lpr/pictures/images.js';
import { createSharpPictureMaker } from '../../agent/lpr/pictures/sharp-picture-maker.js';
import { createQuarantine } from '../../agent/lpr/push/quarantine.js';
import { createOffRadio } from '../../agent/product/off-radio.js';
import { createRecoveryCounter, radioHealthOf } from '../../agent/product/radio-health.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { createRaucUpdateInstaller } from '../../agent/update/rauc-update-installer.js';
import { createMqttTransport } from '../../agent/uplink/mqtt-transport.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { systemClock as clock } from '../../shared/system-clock.js';
import { cameraDriverDeps } from './camera-driver-deps.js';

/** What a gateway with its data in a folder needs: it has no adapter, no sensors and no displays, and stays what it is. */
export async function gatewayDeps(
  directory: string,
  { logger = silentLogger, ...over }: Partial<GatewayDeps> & { logger?: Logger } = {},
): Promise<GatewayDeps> {
  const identity = over.identity ?? openIdentity(join(directory, 'identity.json'));
  const radio = over.radio ?? createOffRadio();
  const drivers = cameraDriverDeps(clock, { randomHex: (bytes) => nodeCrypto.randomBytes(bytes).toString('hex') });
  const quarantineDir = join(directory, 'quarantine');
  return {
    identity,
    initialConfig: [],
    life: {
      claimView: () => ({ state: identity.cloud === null ? 'unclaimed' : 'claimed', problem: null }),
      claim: () => Promise.reject(new Error('it stays what it is')),
      checkDeviceCode() {},
      checkOnDevice() {},
      end() {},
    },
    store: over.store ?? (await openSqliteAgentStore({ path: join(directory, 'agent.db'), logger })),
    radio,
    radioHealth: () => radioHealthOf(radio, [], createRecoveryCounter(clock)),
    transport: createMqttTransport({ clock }),
    ownAddresses: () => [],
    cameraDrivers: createCameraDrivers(drivers),
    cameraClient: createCameraClient(drivers),
    cameraSetup: { directory: join(directory, 'camera-setup'), httpPort: drivers.httpPort },
    findCameras: () => Promise.resolve([]),
    sensorDrivers: new Map(),
    displayDrivers: new Map(),
    localRoutes: [],
    updates: {
      installer: createRaucUpdateInstaller({ restartFile: '', movingFile: null }),
      directory: join(directory, 'update'),
    },
    images: createImages({ maker: createSharpPictureMaker(), logger }),
    quarantine: createQuarantine({ directory: quarantineDir, clock, logger }),
    quarantineDir,
    crypto: createProtocolCrypto(nodeCrypto),
    clock,
    random: Math.random,
    randomBytes: (length) => new Uint8Array(nodeCrypto.randomBytes(length)),
    logger,
    logs: createLogRing({ id: 'test' }),
    version: 'test',
    reportIntervalMs: 30_000,
    cameraProbeIntervalMs: 60_000,
    tracer: null,
    ...over,
  };
}
