import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchChecked } from '../contract/checked-fetch.js';
import { freePorts } from './free-ports.js';
import { createProcessDriver } from './process-driver.js';
import { createProgramDriver } from './program-driver.js';
import { listenRealtime, type RealtimeListener } from './realtime-listener.js';
import { TEST_SITE, testSiteYaml } from './site.js';
import { shortened, waitUntil } from '../../scripts/sim/wait-until.js';
import type { WorldDriver, WorldNetwork, WorldPart } from './world-driver.js';
import { gatewayUuidSchema } from '../../shared/ids.js';
import { SEED } from '../seed.js';

/** The driver of a world: the built programs, each a process, or this process. */
export type DriverName = 'programs' | 'process';

export interface WorldOptions {
  /** Left out: what `WORLD` names, or else the programs. */
  driver?: DriverName;
  /** Another gateway of the lot, with the same products in sight. */
  secondGateway?: boolean;
  /** False: the gate has no master key yet. */
  isGatePaired?: boolean;
  /** Seconds; without it the entry barrier stays open. */
  barrierAutocloseS?: number;
  /** Adds to the site file. */
  alterSite?(yaml: string): string;
  /** How long every packet between gateways and products takes; 0 when left out. */
  radioLatencyMs?: number;
  /** Settings of the cloud beyond where it listens. */
  cloudEnv?: Record<string, string>;
  /** The same of the gateways. */
  agentEnv?: Record<string, string>;
  /** The story moves the clock further than a few seconds: only a world in this process can, whatever `WORLD` names. */
  movesClock?: boolean;
  /** The story cuts or slows the network between gateways and broker: between programs it then leads through the test's process. */
  cutsNetwork?: boolean;
  /** The story brings a gateway of its own: it needs the broker's socket in a world in this process, too. */
  hasBrokerSocket?: boolean;
  /** Left out: the seed of the run, which is printed at its beginning. */
  seed?: number;
}

/** The faults of a world. */
export interface Faults {
  /** Between all gateways and the broker. */
  readonly network: WorldNetwork;
  /** Ends a part without a goodbye; it is started again as usual. */
  kill(part: 'cloud' | 'agent' | 'second agent'): Promise<void>;
}

export interface CallOptions {
  body?: unknown;
  /** The API token of the site file when left out. */
  token?: string;
  /** The statuses that may come; 200 to 299 when left out. */
  statuses?: readonly number[];
}

/** How far any story may move the clock: the programs wait it out. */
const WAITED_MS_MAX = 5_000;

/** A gateway of the world. */
export interface WorldGateway extends WorldPart {
  readonly url: string;
  status(): Promise<AgentStatus>;
}

/** A car park with its cloud and its gateways, on ports and in folders of its own. Stories run on it whatever drives it. */
export interface World {
  readonly driver: DriverName;
  readonly cloudUrl: string;
  readonly agentUrl: string;
  readonly dataDir: string;
  /** Where gateways and terminals connect. */
  readonly brokerPort: number;
  /** Process id of the running cloud. */
  cloudPid(): number;
  startCloud(): Promise<void>;
  stopCloud(): Promise<void>;
  startAgent(): Promise<void>;
  stopAgent(): Promise<void>;
  readonly faults: Faults;
  /** Wall time of the world, milliseconds since 1970: in a world whose clock moves it is not the machine's. */
  now(): number;
  /**
   * Lets time pass for the cloud, the gateways and the car park. Resolves when gateways have told the cloud again what they hear. The
   * programs wait in real time. @throws when it is further than that allows, and `movesClock` was not set
   */
  moveClock(byMs: number): Promise<void>;
  /** The second gateway; null unless `secondGateway` was set. */
  readonly secondGateway: WorldGateway | null;
  /** Waits until each gateway is connected to the cloud, sees its paired products and has nothing left to send. */
  settled(): Promise<void>;
  agentStatus(): Promise<AgentStatus>;
  /** Process id of the running agent. */
  agentPid(): number;
  /** A vehicle is read by the camera at the entry. @returns what the agent answered the camera */
  arrive(plate: string): Promise<{ status: number }>;
  /** The same at the exit. */
  leave(plate: string): Promise<{ status: number }>;
  /** The simulator's control interface. */
  sim<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<T>;
  /** The cloud's REST interface with the API token. @throws at an answer that was not asked for, see `CallOptions` */
  api<T>(path: string): Promise<{ status: number; body: T }>;
  /** The same with a method, and a body as JSON. */
  call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; body: T }>;
  /** A further Bluetooth central in sight of the products, such as a phone. Whoever asked for it closes it. */
  radioOf: WorldDriver['radioOf'];
  /** The logs that the cloud and the gateways have printed. */
  output(): string;
  listen(lastEventId?: string): Promise<RealtimeListener>;
  close(): Promise<void>;
}

/** The part of `GET /status` that the stories need. */
export interface AgentStatus {
  cloud: { connected: boolean };
  outbox: { pending: number };
  products: { device_id: string; status: string; state: string | null }[];
  cameras: { device_id: string; status: string | null }[];
  parking_gateways: { name: string; status: string; occupied_count: number; stale_places: string[] }[];
}

/** Starts a world with everything running and settled. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { secondGateway: hasSecond = false, barrierAutocloseS = null, isGatePaired = true } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-world-'));
  const [
    cloudPort = 0,
    mqttPort = 0,
    agentPort = 0,
    controlPort = 0,
    entry = 0,
    exit = 0,
    sensors = 0,
    secondPort = 0,
  ] = await freePorts(8);

  const siteFile = join(dataDir, 'site.yaml');
  const parts = { secondGateway: hasSecond, barrierAutocloseS, isGatePaired };
  const { alterSite = (yaml: string) => yaml } = options;
  writeFileSync(siteFile, alterSite(testSiteYaml({ entry, exit, sensors }, parts)));

  const cloudUrl = `http://127.0.0.1:${cloudPort}`;
  const agentUrl = `http://127.0.0.1:${agentPort}`;
  const controlUrl = `http://127.0.0.1:${controlPort}`;
  const { movesClock = false, cutsNetwork = false } = options;
  const driverName = options.driver ?? (movesClock ? 'process' : worldDriverOf(process.env['WORLD']));
  const places = {
    dataDir,
    siteFile,
    radioPath: join(dataDir, 'radio.sock'),
    cloudUrl,
    controlUrl,
    gatewayUrls: new Map([
      [gatewayUuidSchema.parse(TEST_SITE.gatewayUuid), agentUrl],
      ...(hasSecond
        ? [[gatewayUuidSchema.parse(TEST_SITE.secondGatewayUuid), `http://127.0.0.1:${secondPort}`] as const]
        : []),
    ]),
    cloudEnv: {
      PORT: String(cloudPort),
      MQTT_PORT: String(mqttPort),
      DATA_DIR: join(dataDir, 'cloud'),
      // A story asks again and again until something has come about.
      RATE_REQUESTS_PER_MIN: '0',
      ...options.cloudEnv,
    },
    agentEnv: options.agentEnv ?? {},
    radioLatencyMs: options.radioLatencyMs ?? 0,
    hasBrokerSocket: options.hasBrokerSocket ?? false,
    cutsNetwork,
    seed: options.seed ?? SEED,
  };
  const driver = driverName === 'programs' ? await createProgramDriver(places) : createProcessDriver(places);
  const { cloud, carPark } = driver;

  const fetchJson = async <T>(url: string, init?: RequestInit, send: typeof fetchChecked = fetch) => {
    const response = await send(url, { ...init, signal: AbortSignal.timeout(30_000) });
    return { status: response.status, body: (await response.json()) as T };
  };
  const gatewayOf = (name: string, uuid: string, port: number, claimCode: string): WorldGateway => {
    const url = `http://127.0.0.1:${port}`;
    const part = driver.gateway({ name, uuid: gatewayUuidSchema.parse(uuid), port, claimCode });
    return {
      url,
      get pid() {
        return part.pid;
      },
      start: part.start,
      stop: part.stop,
      output: part.output,
      status: async () => (await fetchJson<AgentStatus>(`${url}/status`)).body,
    };
  };
  const first = gatewayOf('agent', TEST_SITE.gatewayUuid, agentPort, TEST_SITE.claimCode);
  const second = hasSecond
    ? gatewayOf('agent-2', TEST_SITE.secondGatewayUuid, secondPort, TEST_SITE.secondClaimCode)
    : null;
  const gateways = second === null ? [first] : [first, second];

  const world: World = {
    cloudUrl,
    agentUrl,
    dataDir,
    brokerPort: mqttPort,
    driver: driverName,
    cloudPid: () => cloud.pid,
    startCloud: cloud.start,
    stopCloud: () => cloud.stop(),
    startAgent: first.start,
    stopAgent: () => first.stop(),
    secondGateway: second,
    faults: {
      get network() {
        if (!cutsNetwork) throw new Error('a story that cuts or slows the network sets cutsNetwork');
        return driver.network;
      },
      async kill(part) {
        await { cloud, agent: first, 'second agent': second }[part]?.stop('SIGKILL');
      },
    },
    now: driver.now,
    async moveClock(byMs) {
      if (byMs > WAITED_MS_MAX && !movesClock)
        throw new Error(`the clock moves by ${byMs} ms: a story that moves it this far sets movesClock`);
      await driver.moveClock(byMs);
    },
    async settled() {
      await waitUntil('gateways to be connected, with products in sight and nothing left to send', async () => {
        const statuses = await Promise.all(gateways.map((gateway) => gateway.status()));
        return statuses.every(
          ({ cloud: link, outbox, products }) =>
            link.connected &&
            outbox.pending === 0 &&
            products.length > 0 &&
            products.every(
              ({ device_id, status }) => status === 'online' || (device_id === TEST_SITE.gate && !isGatePaired),
            ),
        );
      });
    },
    agentStatus: first.status,
    agentPid: () => first.pid,
    arrive: (plate) => world.sim('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate }),
    leave: (plate) => world.sim('POST', `/cameras/${TEST_SITE.exitCamera}/read`, { plate }),
    async sim<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) {
      const answer = await fetchJson<T>(`${controlUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (answer.status >= 400)
        throw new Error(`simulator: ${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    radioOf: driver.radioOf,
    output: () => [cloud, ...gateways].map((part) => part.output()).join('\n---\n'),
    api: (path) => world.call('GET', path),
    async call<T>(method: string, path: string, { body, token = TEST_SITE.apiToken, statuses }: CallOptions = {}) {
      const answer = await fetchJson<T>(
        `${cloudUrl}${path}`,
        {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        fetchChecked,
      );
      const { status } = answer;
      if (statuses === undefined ? status < 200 || status > 299 : !statuses.includes(status))
        throw new Error(`the cloud: ${method} ${path} answered ${status} ${shortened(answer.body)}`);
      return answer;
    },
    listen: (lastEventId) => listenRealtime(cloudUrl, TEST_SITE.apiToken, lastEventId),
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await cloud.stop();
      await carPark.stop();
      await driver.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };

  try {
    await driver.apply();
    await carPark.start();
    await world.startCloud();
    await Promise.all(gateways.map((gateway) => gateway.start()));
    await world.settled();
  } catch (error) {
    const printed = `${world.output()}\n---\n${carPark.output()}`;
    await world.close();
    throw new Error(`the world did not come up:\n${printed}`, { cause: error });
  }
  return world;
}

function worldDriverOf(name: string | undefined): DriverName {
  if (name === undefined || name === '' || name === 'programs') return 'programs';
  if (name === 'process') return name;
  throw new Error(`WORLD is "${name}": it must be programs or process`);
}
