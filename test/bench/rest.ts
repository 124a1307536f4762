/** What the REST interface adds to a select, and whether logins hold up the rest. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { OWNER_TOKEN } from '../integration/http/http-site.js';
import { ask, type Target } from './ask-http.js';
import { printFigure, quantile } from './figure.js';

const SERVER = fileURLToPath(new URL('rest-server.js', import.meta.url));
const CROWD = fileURLToPath(new URL('login-crowd.js', import.meta.url));
const CONNECTIONS = 8;
const WARM_UP_REQUESTS = 2_000;
const REQUESTS = 6_000;
const ROUNDS = 3;
const LOGINS = 50;
const LOGIN_ROUNDS = 10;
/** The pause between two requests of somebody who works while others log in. */
const PROBE_EVERY_MS = 10;
const IDLE_PROBES = 150;
const OVERHEAD_MAX = 1.33;
const LOGIN_P99_MAX = 2;

/** Runs the benchmark. */
export async function benchRest(): Promise<void> {
  const server = fork(SERVER);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const [started] = (await once(server, 'message')) as [
      { ports: { cloud: number; bare: number }; productId: number },
    ];
    const { ports, productId } = started;
    const cloud = { port: ports.cloud, path: `/v2/products/${productId}` };
    await benchSelect({ server, agent, cloud, bare: { port: ports.bare, path: `/${productId}` } });
    await benchLogins({ agent, cloud });
  } finally {
    agent.destroy();
    server.disconnect();
    await once(server, 'exit');
  }
}

/** Measures processor time per request; the two servers take turns, so that changes of the machine affect both. */
async function benchSelect(options: {
  server: ChildProcess;
  agent: Agent;
  cloud: Target;
  bare: Target;
}): Promise<void> {
  const { server, agent, cloud, bare } = options;
  const cpuPerRequest = async (target: Target): Promise<number> => {
    const before = await cpuMsOf(server);
    await askMany({ agent, target, requests: REQUESTS });
    return ((await cpuMsOf(server)) - before) / REQUESTS;
  };
  const samples = { cloud: [] as number[], bare: [] as number[] };
  await askMany({ agent, target: cloud, requests: WARM_UP_REQUESTS });
  await askMany({ agent, target: bare, requests: WARM_UP_REQUESTS });
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.bare.push(await cpuPerRequest(bare));
    samples.cloud.push(await cpuPerRequest(cloud));
  }
  const [ours, reference] = [quantile(samples.cloud, 0.5), quantile(samples.bare, 0.5)];
  printFigure({
    what: 'processor time of an authenticated, validated select',
    measured: `${ours.toFixed(3)} ms (median of ${ROUNDS} x ${REQUESTS})`,
    reference: `${reference.toFixed(3)} ms of node:http with the same select`,
    ratio: ours / reference,
    reach: OVERHEAD_MAX,
  });
}

/** Idle and busy rounds take turns, so that changes of the machine affect both. */
async function benchLogins({ agent, cloud }: { agent: Agent; cloud: Target }): Promise<void> {
  const crowd = fork(CROWD);
  const logIn = async () => {
    crowd.send({ port: cloud.port, people: LOGINS });
    await once(crowd, 'message');
  };
  const [idle, busy]: [number[], number[]] = [[], []];
  await logIn();
  for (let round = 0; round < LOGIN_ROUNDS; round += 1) {
    for (let probe = 0; probe < IDLE_PROBES; probe += 1) idle.push(await probeOnce(agent, cloud));
    busy.push(...(await probeWhile(logIn(), { agent, cloud })));
  }
  crowd.disconnect();
  printFigure({
    what: `p99 of a request while ${LOGINS} people log in at once`,
    measured: `${quantile(busy, 0.99).toFixed(1)} ms (${busy.length} requests)`,
    reference: `${quantile(idle, 0.99).toFixed(1)} ms idle (${idle.length} requests)`,
    ratio: quantile(busy, 0.99) / quantile(idle, 0.99),
    reach: LOGIN_P99_MAX,
  });
}

/** Sends as many probes as fit into the work. */
async function probeWhile(
  work: Promise<unknown>,
  { agent, cloud }: { agent: Agent; cloud: Target },
): Promise<number[]> {
  const probes: number[] = [];
  const progress = { isOver: false };
  const settled = work.finally(() => {
    progress.isOver = true;
  });
  while (!progress.isOver) probes.push(await probeOnce(agent, cloud));
  await settled;
  return probes;
}

async function probeOnce(agent: Agent, target: Target): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
  const startedMs = performance.now();
  await ask({ agent, target, bearer: OWNER_TOKEN });
  return performance.now() - startedMs;
}

async function askMany(options: { agent: Agent; target: Target; requests: number }): Promise<void> {
  let left = options.requests;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await ask({ ...options, bearer: OWNER_TOKEN });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

async function cpuMsOf(server: ChildProcess): Promise<number> {
  server.send('cpu');
  const [{ cpuMs }] = (await once(server, 'message')) as [{ cpuMs: number }];
  return cpuMs;
}
