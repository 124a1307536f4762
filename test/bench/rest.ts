/** What the REST interface adds to a select, and whether logins hold up the rest. */
import { Agent } from 'node:http';
import { OWNER_TOKEN } from '../integration/http/http-site.js';
import {
  amount,
  askFor,
  atOnce,
  type Child,
  median,
  printFigure,
  quantile,
  startChild,
  alternate,
  timed,
} from './harness.js';
import type { RestServer } from './rest-server.js';

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
  const server = await startChild<RestServer>('rest-server.js');
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const { ports, productId } = server.started;
  const cloud = `http://127.0.0.1:${ports.cloud}/v2/products/${productId}`;
  const get = (url: string) => askFor(url, { agent, bearer: OWNER_TOKEN });
  try {
    await benchSelect(server, { cloud, bare: `http://127.0.0.1:${ports.bare}/${productId}`, get });
    await benchLogins(ports.cloud, () => get(cloud));
  } finally {
    agent.destroy();
    await server.end();
  }
}

/** Measures processor time per request. */
async function benchSelect(
  server: Child<RestServer>,
  { cloud, bare, get }: { cloud: string; bare: string; get: (url: string) => Promise<unknown> },
): Promise<void> {
  const getMany = (url: string, count: number) => atOnce(CONNECTIONS, count, () => get(url));
  const cpuPerRequest = async (url: string): Promise<number> => {
    await server.ask('cpu');
    await getMany(url, REQUESTS);
    return (await server.ask<number>('cpu')) / 1_000 / REQUESTS;
  };
  await getMany(cloud, WARM_UP_REQUESTS);
  await getMany(bare, WARM_UP_REQUESTS);
  const samples = await alternate(ROUNDS, { bare: () => cpuPerRequest(bare), cloud: () => cpuPerRequest(cloud) });
  printFigure(
    'processor time of an authenticated, validated select',
    amount(median(samples.cloud), `{} ms (median of ${ROUNDS} x ${REQUESTS})`, 3),
    amount(median(samples.bare), '{} ms of node:http with the same select', 3),
    OVERHEAD_MAX,
  );
}

/** Idle and busy rounds take turns, so that changes of the machine affect both. */
async function benchLogins(port: number, get: () => Promise<unknown>): Promise<void> {
  const crowd = await startChild('login-crowd.js');
  const logIn = () => crowd.ask({ port, people: LOGINS });
  const probe = async () => {
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    return timed(get);
  };
  const [idle, busy]: [number[], number[]] = [[], []];
  await logIn();
  for (let round = 0; round < LOGIN_ROUNDS; round += 1) {
    for (let number = 0; number < IDLE_PROBES; number += 1) idle.push(await probe());
    busy.push(...(await probeWhile(logIn(), probe)));
  }
  await crowd.end();
  printFigure(
    `p99 of a request while ${LOGINS} people log in at once`,
    amount(quantile(busy, 0.99), `{} ms (${busy.length} requests)`, 1),
    amount(quantile(idle, 0.99), `{} ms idle (${idle.length} requests)`, 1),
    LOGIN_P99_MAX,
  );
}

/** Sends as many probes as fit into the work. */
async function probeWhile(work: Promise<unknown>, probe: () => Promise<number>): Promise<number[]> {
  const probes: number[] = [];
  const progress = { isOver: false };
  const settled = work.finally(() => {
    progress.isOver = true;
  });
  while (!progress.isOver) probes.push(await probe());
  await settled;
  return probes;
}
