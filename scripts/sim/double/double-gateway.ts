/** One real gateway in this process, as its program runs it; only the radio has no Bluetooth, and its broker is behind a cable. */
import { loadAgentConfig } from '../../../agent/config.js';
import { startGateway } from '../../../agent/gateway-process.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import type { Radio } from '../../../agent/product/radio.js';
import { createMqttTransport } from '../../../agent/uplink/mqtt-transport.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { type Cable, layCable } from './cable.js';
import type { MovableClock } from './movable-clock.js';

const HOST = '127.0.0.1';
/** How long its cloud may take to answer the claim. */
const CLAIMED_WITHIN_MS = 20_000;
export const REPORT_INTERVAL_MS = 30_000;

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
  /** Where it listens; left out: on any free port. */
  port?: number;
  /** Settings beyond where it listens and what its cloud is. */
  settings?: Readonly<Record<string, string>>;
}

/** Claims the gateway, if it is not claimed yet, and starts it. Rejects with what is wrong; then nothing of it runs. */
export async function startDoubleGateway(options: DoubleGatewayOptions): Promise<DoubleGateway> {
  const { uuid, name, dataDir, logger } = options;
  const cable = await layCable(options.brokerPort);
  try {
    const environment = {
      ...options.settings,
      AGENT_DATA_DIR: dataDir,
      AGENT_HTTP_HOST: HOST,
      AGENT_HTTP_PORT: String(options.port ?? 0),
      CLOUD_URL: options.cloudUrl,
      CLAIM_CODE: options.claimCode,
    };
    const mqtt = createMqttTransport({ clock: systemClock });
    const gateway = await startGateway(loadAgentConfig({ environment }), {
      logger,
      // A cloud that does not answer its claim is no cloud to wait for.
      signal: AbortSignal.timeout(CLAIMED_WITHIN_MS),
      overrides: {
        clock: options.clock.layer('gateway'),
        groundClock: options.clock.layer('ground'),
        // It spreads gateways that come back over minutes; these come back at once.
        random: () => 0,
        radioOf: () => options.radio,
        // The link is real: how long it has been silent is not a matter of moved time.
        transport: {
          connect: (link, listener) => mqtt.connect({ ...link, url: `mqtt://${HOST}:${cable.port}` }, listener),
        },
        pictureMaker: createSharpPictureMaker(),
      },
    });
    return {
      uuid,
      name,
      url: `http://${HOST}:${gateway.port}`,
      cable,
      status: gateway.status,
      async close() {
        // With its network it ends at once; without it, it would wait to say goodbye.
        cable.plugIn();
        await gateway.close();
        await cable.close();
      },
    };
  } catch (error) {
    await cable.close();
    throw error;
  }
}
