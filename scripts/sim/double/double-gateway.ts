/** One real gateway in this process. Two things differ from its program: the radio has no Bluetooth, and a cable leads to the broker. */
import { loadAgentConfig } from '../../../agent/config.js';
import { createLogRing } from '../../../agent/health/log-ring.js';
import { startGateway } from '../../../agent/gateway-lives.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import type { FoundCamera } from '../../../agent/lpr/discovery/discovery-answers-parser.js';
import type { Radio } from '../../../agent/product/radio.js';
import { sleep } from '../../../shared/clock.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { Cable } from './cable.js';
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
  /** To its broker; the gateway closes it. */
  cable: Cable;
  /** Makes its radio, anew each time that the gateway starts anew. */
  radioOf: () => Radio;
  dataDir: string;
  clock: MovableClock;
  logger: Logger;
  /** The source of its ids; left out: the system's. */
  randomBytes?: (length: number) => Uint8Array;
  /** Where it listens; left out: on any free port. */
  port?: number;
  /** The cameras that a search of its network finds: those of this car park, and nobody else's. */
  cameras: () => readonly FoundCamera[];
  /** Settings beyond where it listens and what its cloud is. */
  settings?: Readonly<Record<string, string>>;
}

/** Claims the gateway, if it is not claimed yet, and starts it. Rejects with what is wrong; then nothing of it runs. */
export async function startDoubleGateway(options: DoubleGatewayOptions): Promise<DoubleGateway> {
  const { uuid, name, dataDir, logger, cable, randomBytes } = options;
  try {
    const environment = {
      ...options.settings,
      AGENT_DATA_DIR: dataDir,
      AGENT_HTTP_HOST: HOST,
      AGENT_HTTP_PORT: String(options.port ?? 0),
      CLOUD_URL: options.cloudUrl,
      CLAIM_CODE: options.claimCode,
    };
    const gateway = await startGateway(loadAgentConfig({ environment }), {
      logger,
      logs: createLogRing({ id: uuid }),
      overrides: {
        clock: options.clock.layer('gateway'),
        groundClock: options.clock.layer('ground'),
        // 0 lets the gateway reconnect at once; other numbers spread reconnects over minutes.
        random: () => 0,
        radioOf: options.radioOf,
        transport: cable.transport,
        ...(randomBytes === undefined ? {} : { randomBytes }),
        pictureMaker: createSharpPictureMaker(),
        findCameras: () => Promise.resolve([...options.cameras()]),
      },
    });
    try {
      // Without an answer to the claim the start fails: there is no point in a longer wait.
      await withinTime(gateway.joined, CLAIMED_WITHIN_MS);
    } catch (error) {
      await gateway.close();
      throw error;
    }
    return {
      uuid,
      name,
      url: `http://${HOST}:${gateway.port}`,
      cable,
      status: gateway.status,
      async close() {
        // Without the network the gateway would wait to say goodbye.
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

async function withinTime(joined: Promise<void>, limitMs: number): Promise<void> {
  const stop = new AbortController();
  const late = sleep(systemClock, limitMs, stop.signal).then(() => {
    throw new Error(`its cloud did not answer the claim within ${limitMs / 1_000} s`);
  });
  try {
    await Promise.race([joined, late]);
  } finally {
    stop.abort();
    await late.catch(() => undefined);
  }
}
