/**
 * Runs a world in this process: the real cloud with its database and broker, the real gateways with their
 * queue, and the car park around them. Only the radio has no Bluetooth. It comes up in a fraction of the time of the programs.
 */
import { inspect } from 'node:util';
import { runApply } from '../../cloud/doors/cli/apply.js';
import { startCloud, type RunningCloud } from '../../cloud/cloud-process.js';
import { loadCloudConfig } from '../../cloud/config.js';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';
import { openCloudStore } from '../../cloud/kernel/store/open-cloud-store.js';
import { readFileSync } from 'node:fs';
import type { Logger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { carParkOf } from '../../scripts/sim/car-park.js';
import { createSim, type Sim } from '../../scripts/sim/create-sim.js';
import { createDoublePasswords } from '../../scripts/sim/double/double-cloud.js';
import { startDoubleGateway } from '../../scripts/sim/double/double-gateway.js';
import { createMovableClock } from '../../scripts/sim/double/movable-clock.js';
import { createDirectRadio } from '../../scripts/sim/radio/direct-radio.js';
import type { WorldDriver, WorldGatewayPlace, WorldPart, WorldPlaces } from './world-driver.js';

/** One for all worlds: a password that was hashed once need not be hashed again. */
const passwords = createDoublePasswords();

export function createProcessDriver(places: WorldPlaces): WorldDriver {
  const { siteFile, cloudEnv, gatewayUrls } = places;
  const clock = createMovableClock();
  const ground = clock.layer('ground');
  const air = createDirectRadio({ clock: ground, random: Math.random, latencyMs: places.radioLatencyMs });
  const config = loadCloudConfig({ environment: cloudEnv });
  let brokerPort = 0;

  const cloud = partOf(cloudEnv, async (logger): Promise<RunningCloud> => {
    const running = await startCloud(config, {
      logger,
      overrides: {
        clock: clock.layer('cloud'),
        passwords,
      },
    });
    ({ brokerPort } = running);
    return running;
  });
  const carPark = partOf({}, (logger): Promise<Sim> => {
    const { hostname: host, port } = new URL(places.controlUrl);
    const site = readSiteFile(siteFile, readFileSync(siteFile, 'utf8')).site;
    return createSim({
      carPark: carParkOf(site, logger),
      agents: { byGateway: gatewayUrls, others: [...gatewayUrls.values()][0] ?? '' },
      air,
      control: { host, port: Number(port) },
      clock: ground,
      logger,
    });
  });
  const gateway = ({ name, uuid, port, claimCode }: WorldGatewayPlace) =>
    partOf(places.agentEnv, async (logger): Promise<Running> => {
      const started = await startDoubleGateway({
        uuid,
        name,
        claimCode,
        cloudUrl: places.cloudUrl,
        brokerPort,
        radio: air.radioOf(uuid),
        dataDir: `${places.dataDir}/${name}`,
        clock,
        logger,
        port,
        settings: places.agentEnv,
      });
      return {
        close: started.close,
        async kill() {
          // What it still had to say gets lost.
          await started.cable.close();
          await started.close();
        },
      };
    });
  return {
    async apply() {
      const store = () =>
        openCloudStore({ url: config.databaseUrl, clock: systemClock, logger: createLines('warn').logger });
      const lines: string[] = [];
      const io = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) };
      const options = { file: siteFile, prune: false, dryRun: false, config: { ...config, baseUrl: places.cloudUrl } };
      const code = await runApply(options, { openStore: store, clock: clock.layer('cloud'), passwords }, io);
      if (code !== 0) throw new Error(`apply failed (${code}):\n${lines.join('\n')}`);
    },
    carPark,
    cloud,
    gateway,
    radioOf: air.radioOf,
  };
}

interface Running {
  close(): Promise<void>;
  kill?(): Promise<void>;
}

/** @param env its settings: the least important lines that it writes */
function partOf(env: Record<string, string>, run: (logger: Logger) => Promise<Running>): WorldPart {
  let running: Running | null = null;
  let lines: string[] = [];
  return {
    pid: process.pid,
    async start() {
      const log = createLines(env['LOG_LEVEL'] ?? 'info');
      ({ lines } = log);
      running = await run(log.logger);
    },
    async stop(signal) {
      const ending = running;
      running = null;
      if (signal === 'SIGKILL' && ending?.kill !== undefined) await ending.kill();
      else await ending?.close();
    },
    output: () => lines.join('\n'),
  };
}

/** As pino numbers them. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 };

/** Lines as the programs write them. */
function createLines(least: string): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const from = LEVELS[least as keyof Logger] ?? Number.POSITIVE_INFINITY;
  const at = (name: keyof Logger) => (fields: Record<string, unknown>, msg: string) => {
    const level = LEVELS[name];
    if (level < from) return;
    const shown = 'err' in fields ? { ...fields, err: inspect(fields['err']) } : fields;
    lines.push(JSON.stringify({ level, time: Date.now(), ...shown, msg }));
  };
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
