import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_MEMORY_ENVIRONMENT, AGENT_NODE_FLAGS } from '../../../scripts/demo/agent-node-flags.js';
import { freePorts, type RunningProgram, startProgram } from './programs.js';
import { listenRealtime, type RealtimeListener } from './realtime-listener.js';
import { TEST_SITE, testSiteYaml } from './site.js';
import { waitUntil } from './wait-until.js';

/** A car park with all its real programs, each a process of its own, on ports and folders of its own. */
export interface World {
  readonly cloudUrl: string;
  readonly agentUrl: string;
  readonly dataDir: string;
  startCloud(): Promise<void>;
  stopCloud(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  startAgent(): Promise<void>;
  stopAgent(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Waits until the agent is connected to the cloud, sees its products and has nothing left to send. */
  settled(): Promise<void>;
  agentStatus(): Promise<AgentStatus>;
  /** Process id of the running agent. */
  agentPid(): number;
  /** The simulator's control interface. */
  sim<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<T>;
  /** The cloud's REST interface with the API token. */
  api<T>(path: string): Promise<{ status: number; body: T }>;
  listen(lastEventId?: string): Promise<RealtimeListener>;
  close(): Promise<void>;
}

/** What the stories need of `GET /status`. */
export interface AgentStatus {
  cloud: { connected: boolean };
  outbox: { pending: number };
  products: { device_id: string; status: string; state: string | null }[];
}

/** Starts a world with everything running and settled. `barrierAutocloseS`: without it the entry barrier stays open. */
export async function createWorld({
  barrierAutocloseS = null,
}: {
  barrierAutocloseS?: number | null;
} = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parking-world-'));
  const [cloudPort, mqttPort, agentPort, controlPort, entry, exit] = await freePorts(6);
  if (entry === undefined || exit === undefined) throw new Error('too few ports');
  const siteFile = join(dataDir, 'site.yaml');
  writeFileSync(siteFile, testSiteYaml({ cameraPorts: { entry, exit }, barrierAutocloseS }));

  const cloudUrl = `http://127.0.0.1:${cloudPort}`;
  const agentUrl = `http://127.0.0.1:${agentPort}`;
  const controlUrl = `http://127.0.0.1:${controlPort}`;
  const radioPath = join(dataDir, 'radio.sock');
  const cloudEnv = { PORT: String(cloudPort), MQTT_PORT: String(mqttPort), DATA_DIR: join(dataDir, 'cloud') };
  const agentEnv = {
    AGENT_DATA_DIR: join(dataDir, 'agent'),
    AGENT_HTTP_PORT: String(agentPort),
    BLE_HCI: `sim:${radioPath}`,
    CLOUD_URL: cloudUrl,
    CLAIM_CODE: TEST_SITE.claimCode,
    ...AGENT_MEMORY_ENVIRONMENT,
  };
  const simulatorArgs = [
    '--site',
    siteFile,
    '--agent',
    agentUrl,
    '--radio',
    radioPath,
    '--control',
    `127.0.0.1:${controlPort}`,
  ];
  let cloud: RunningProgram | null = null;
  let agent: RunningProgram | null = null;

  const fetchJson = async <T>(url: string, init?: RequestInit) => {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
    return { status: response.status, body: (await response.json()) as T };
  };
  const untilAnswers = (url: string, program: RunningProgram) => {
    let end: string | null = null;
    void program.ended.then(({ code, signal }) => {
      end = `${code ?? signal}`;
    });
    return waitUntil(`${url} to answer`, async () => {
      if (end !== null) throw new Error(`the program ended (${end}):\n${program.output()}`);
      return (await fetch(url)).ok;
    });
  };

  const world: World = {
    cloudUrl,
    agentUrl,
    dataDir,
    async startCloud() {
      cloud = startProgram('cloud/main.js', ['serve'], cloudEnv);
      await untilAnswers(`${cloudUrl}/readyz`, cloud);
    },
    async stopCloud(signal) {
      await cloud?.end(signal);
      cloud = null;
    },
    async startAgent() {
      agent = startProgram('agent/main.js', ['run'], agentEnv, AGENT_NODE_FLAGS);
      await untilAnswers(`${agentUrl}/status`, agent);
    },
    async stopAgent(signal) {
      await agent?.end(signal);
      agent = null;
    },
    async settled() {
      await waitUntil('the agent to be connected, with its products in sight and nothing left to send', async () => {
        const { cloud: link, outbox, products } = await world.agentStatus();
        return (
          link.connected &&
          outbox.pending === 0 &&
          products.length > 0 &&
          products.every((product) => product.status === 'online')
        );
      });
    },
    agentStatus: async () => (await fetchJson<AgentStatus>(`${agentUrl}/status`)).body,
    agentPid: () => agent?.pid ?? 0,
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
    api: (path) => fetchJson(`${cloudUrl}${path}`, { headers: { authorization: `Bearer ${TEST_SITE.apiToken}` } }),
    listen: (lastEventId) => listenRealtime(cloudUrl, TEST_SITE.apiToken, lastEventId),
    async close() {
      await agent?.end();
      await cloud?.end();
      await simulator.end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };

  const applied = startProgram('cloud/main.js', ['apply', siteFile], cloudEnv);
  const { code } = await applied.ended;
  if (code !== 0) throw new Error(`apply failed (${code}):\n${applied.output()}`);
  const simulator = startProgram('test/sim/main.js', simulatorArgs, {});
  try {
    await untilAnswers(`${controlUrl}/`, simulator);
    await world.startCloud();
    await world.startAgent();
    await world.settled();
  } catch (error) {
    const told = [cloud, agent, simulator]
      .map((program) => (program as RunningProgram | null)?.output() ?? '')
      .join('\n---\n');
    await world.close();
    throw new Error(`the world did not come up:\n${told}`, { cause: error });
  }
  return world;
}
