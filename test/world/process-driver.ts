/**
 * Runs a world in this process on one clock that moves: the real cloud with its database, the real gateways with their queue, and the
 * car park around them. The radio, the broker and the network between them are in memory.
 */
import { inspect } from 'node:util';
import { createSplitBroker } from '../../cloud/equipment/broker/split-broker.js';
import { createGatewayAuthenticator } from '../../cloud/equipment/gateway/mqtt-password.js';
import { runApply } from '../../cloud/doors/cli/apply.js';
import { startCloud, type RunningCloud } from '../../cloud/cloud-process.js';
import { loadCloudConfig } from '../../cloud/config.js';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../cloud/kernel/secrets/server-key.js';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { isPostgresUrl } from '../../cloud/kernel/store/database-url.js';
import { openCloudStore } from '../../cloud/kernel/store/open-cloud-store.js';
import { databasePathOf } from '../../cloud/kernel/store/sqlite/sqlite-store.js';
import { readFileSync } from 'node:fs';
import type { Logger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { carParkOf } from '../../scripts/sim/car-park.js';
import { foundCameras } from '../../scripts/sim/cameras/found-cameras.js';
import { createSim, type Sim } from '../../scripts/sim/create-sim.js';
import { createDoublePasswords } from '../../scripts/sim/double/double-cloud.js';
import { type Cable, layCable } from '../../scripts/sim/double/cable.js';
import { type DoubleGateway, startDoubleGateway } from '../../scripts/sim/double/double-gateway.js';
import { type HeardReports, noteReports } from '../../scripts/sim/double/heard-reports.js';
import { createMovableClock } from '../../scripts/sim/double/movable-clock.js';
import { moveTime } from '../../scripts/sim/double/move-time.js';
import { createDirectRadio } from '../../scripts/sim/radio/direct-radio.js';
import { seededSources } from '../../scripts/sim/seeded-sources.js';
import { createMemoryNetwork } from './memory-network.js';
import { copyTemplate } from './migrated-store.js';
import type { WorldDriver, WorldGatewayPlace, WorldPart, WorldPlaces } from './world-driver.js';
import { recordIo } from './record-io.js';

/** One for all worlds: a password that was hashed once need not be hashed again. */
const passwords = createDoublePasswords();

export function createProcessDriver(places: WorldPlaces): WorldDriver {
  const { siteFile, cloudEnv, gatewayUrls } = places;
  const clock = createMovableClock();
  const ground = clock.layer('ground');
  const sources = seededSources(places.seed);
  const air = createDirectRadio({ clock: ground, random: sources.numbersOf('air'), latencyMs: places.radioLatencyMs });
  const config = loadCloudConfig({ environment: cloudEnv });
  const network = createMemoryNetwork({ clock: ground });
  const cables = createCables();
  const gateways = new Map<string, DoubleGateway>();
  let brokerPort = 0;
  let heard: HeardReports = () => null;

  const cloud = partOf(cloudEnv, async (logger): Promise<RunningCloud> => {
    const running = await startCloud(config, {
      logger,
      overrides: {
        clock: clock.layer('cloud'),
        random: sources.numbersOf('cloud'),
        passwords,
        aroundBroker(opened, store) {
          const deps = { authenticate: createGatewayAuthenticator(store), logger };
          const noted = noteReports(
            places.hasBrokerSocket
              ? opened
              : createSplitBroker({ gateways: network.openBroker(deps), terminals: opened }),
            clock.layer('cloud'),
          );
          ({ heard } = noted);
          return noted.broker;
        },
      },
    });
    ({ brokerPort } = running);
    return running;
  });
  let cameras: Sim['cameras'] = new Map();
  const carPark = partOf({}, async (logger): Promise<Sim> => {
    const { hostname: host, port } = new URL(places.controlUrl);
    const site = readSiteFile(siteFile, readFileSync(siteFile, 'utf8')).site;
    const sim = await createSim({
      carPark: carParkOf(site, logger),
      agents: { byGateway: gatewayUrls, others: [...gatewayUrls.values()][0] ?? '' },
      air,
      control: { host, port: Number(port) },
      clock: ground,
      sources,
      logger,
    });
    ({ cameras } = sim);
    return sim;
  });
  const gateway = ({ name, uuid, port, claimCode }: WorldGatewayPlace) => {
    // It goes on drawing after a restart: products remember the ids that they have seen.
    const randomBytes = sources.bytesOf(name);
    return partOf(places.agentEnv, async (logger): Promise<Running> => {
      const started = await startDoubleGateway({
        uuid,
        name,
        claimCode,
        cloudUrl: places.cloudUrl,
        cable: cables.added(places.hasBrokerSocket ? await layCable(brokerPort) : network.layCable()),
        radioOf: () => air.radioOf(uuid),
        cameras: () => foundCameras(cameras.values()),
        dataDir: `${places.dataDir}/${name}`,
        clock,
        randomBytes,
        logger,
        port,
        settings: places.agentEnv,
      });
      gateways.set(name, started);
      return {
        async close() {
          gateways.delete(name);
          await started.close();
        },
        async kill() {
          gateways.delete(name);
          // What it still had to say gets lost.
          await started.cable.close();
          await started.close();
        },
      };
    });
  };
  return {
    async apply() {
      const openStore = async () => {
        const { derive } = createSecrets(loadServerKey(config));
        const { logger } = createLines('warn');
        if (!isPostgresUrl(config.databaseUrl)) copyTemplate(databasePathOf(config.databaseUrl));
        const store = await openCloudStore({ url: config.databaseUrl, clock: systemClock, logger, derive });
        await store.migrate(MIGRATIONS);
        return store;
      };
      const { io, all: lines } = recordIo();
      const options = { file: siteFile, prune: false, dryRun: false, config: { ...config, baseUrl: places.cloudUrl } };
      const code = await runApply(options, { openStore, clock: clock.layer('cloud'), passwords }, io);
      if (code !== 0) throw new Error(`apply failed (${code}):\n${lines.join('\n')}`);
    },
    carPark,
    cloud,
    gateway,
    radioOf: air.radioOf,
    network: cables.network,
    now: () => clock.now(),
    moveClock: (byMs) => moveTime(byMs, { clock, gateways: [...gateways.values()], heard }),
    async close() {
      clock.stop();
    },
  };
}

/** The cables of all gateways as one network: a gateway that starts finds it as it is. */
function createCables() {
  const laid = new Set<Cable>();
  let isCut = false;
  let delayMs = 0;
  return {
    added(cable: Cable): Cable {
      laid.add(cable);
      cable.slow(delayMs);
      if (isCut) cable.unplug();
      return cable;
    },
    network: {
      cut() {
        isCut = true;
        for (const cable of laid) cable.unplug();
      },
      mend() {
        isCut = false;
        for (const cable of laid) cable.plugIn();
      },
      slow(ms: number) {
        delayMs = ms;
        for (const cable of laid) cable.slow(ms);
      },
    },
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
