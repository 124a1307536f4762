/**
 * `scripts/cluster`: the cloud as several machines would run it, on this one. PostgreSQL, a NATS cluster of three, two cloud processes and
 * a load balancer. State is kept in ./.data/cluster; `--reset` starts anew.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadServerKey } from '../cloud/kernel/secrets/server-key.js';
import type { Children } from './demo/children.js';
import { CLOUD_PORT, HOST } from './demo/demo-ports.js';
import { busyPorts } from './demo/ports.js';
import { answersOk, parseArguments, portFromEnvironment, runPrograms, UsageError } from './demo/run-programs.js';
import { renderClusterTable } from './machines/cluster-table.js';
import { findPostgres, findProgram } from './machines/find-programs.js';
import { freePorts } from './machines/inner-ports.js';
import { natsMachines } from './machines/cluster-nats.js';
import {
  createDatabase,
  postgresAnswers,
  postgresProgram,
  postgresUrl,
  removePostgres,
} from './machines/cluster-postgres.js';

const SITE_FILE = 'scripts/demo-site.yaml';
const BALANCER_FILE = 'scripts/machines/haproxy.cfg';
const CLOUDS = ['cloud-1', 'cloud-2'] as const;
const BROKERS = 3;
const READY_WITHIN_MS = 60_000;
/** The load balancer notices within two seconds that a cloud stops. */
const STOP_DELAY_MS = 5_000;
const STOP_WITHIN_MS = 20_000;

/** @throws UsageError that names what has to be installed */
function requirePrograms() {
  const postgres = findPostgres();
  const nats = findProgram('nats-server');
  const balancer = findProgram('haproxy');
  if (postgres === null || nats === null || balancer === null) {
    throw new UsageError(
      'PostgreSQL, NATS and HAProxy are needed. Install them (as root: apt-get install -y --no-install-recommends postgresql nats-server haproxy), then run this again.',
    );
  }
  return { postgres, nats, balancer };
}

async function choosePorts() {
  const http = portFromEnvironment('PORT', CLOUD_PORT);
  const mqtt = portFromEnvironment('MQTT_PORT', 1883);
  const terminals = portFromEnvironment('TERMINAL_PORT', 1884);
  const wanted = (port: number, who: string, variable: string) => ({
    host: HOST,
    port,
    who,
    change: `stop what uses it, or choose another: ${variable}=${port + 1000} scripts/cluster`,
  });
  const busy = await busyPorts([
    wanted(http, 'clients', 'PORT'),
    wanted(mqtt, 'gateways', 'MQTT_PORT'),
    wanted(terminals, 'terminals', 'TERMINAL_PORT'),
  ]);
  if (busy.length > 0) throw new UsageError(busy.join('\n'));
  const inner = await freePorts(1 + 2 * CLOUDS.length + 3 * BROKERS);
  const next = () => inner.pop() ?? 0;
  return {
    http,
    mqtt,
    terminals,
    postgres: next(),
    clouds: CLOUDS.map(() => ({ http: next(), terminals: next() })),
    brokers: Array.from({ length: BROKERS }, () => ({ client: next(), mqtt: next(), route: next() })),
  };
}

type Programs = ReturnType<typeof requirePrograms>;
type Ports = Awaited<ReturnType<typeof choosePorts>>;
type Brokers = ReturnType<typeof natsMachines>;

function openDataDir(reset: boolean): string {
  const dataDir = resolve('.data', 'cluster');
  if (reset) {
    removePostgres(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
  if (existsSync(dataDir)) console.log(`Going on with the state in ${dataDir} (scripts/cluster --reset starts anew).`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return dataDir;
}

/** Starts PostgreSQL, with an empty database if there is none, and the brokers. */
async function startServers(
  children: Children,
  { programs, ports, dataDir, cloudDir }: { programs: Programs; ports: Ports; dataDir: string; cloudDir: string },
) {
  const database = postgresProgram({ folder: programs.postgres, dataDir, port: ports.postgres });
  children.start(database);
  const serverKey = loadServerKey({ dataDir: cloudDir, serverKey: null });
  const brokers = natsMachines({ command: programs.nats, dataDir, serverKey, ports: ports.brokers });
  for (const { program } of brokers) children.start(program);
  const answers = () => postgresAnswers(ports.postgres);
  await children.waitUntil(database.name, 'it answered', answers, READY_WITHIN_MS);
  await createDatabase(ports.postgres);
  for (const { program, serves } of brokers) {
    await children.waitUntil(program.name, 'it had found the others', serves, READY_WITHIN_MS);
  }
  return { database, brokers };
}

/** @param env what all cloud processes have in common. @returns where each one listens */
async function startClouds(
  children: Children,
  { ports, brokers, dataDir, env }: { ports: Ports; brokers: Brokers; dataDir: string; env: Record<string, string> },
) {
  const clouds = CLOUDS.map((name, index) => {
    const own = ports.clouds[index] ?? { http: 0, terminals: 0 };
    // Each process is at another broker of the cluster.
    const mqtt = `mqtt://${HOST}:${brokers[index % brokers.length]?.ports.mqtt}`;
    const listeners = { HOST, PORT: String(own.http), MQTT_HOST: HOST, MQTT_PORT: String(own.terminals) };
    children.start({
      name,
      args: ['dist/cloud/main.js', 'serve'],
      env: { ...env, ...listeners, MQTT_URL: mqtt },
      logFile: join(dataDir, `${name}.log`),
      stopWithinMs: STOP_WITHIN_MS,
      stopsWith: 'clouds',
    });
    return { name, url: `http://${HOST}:${own.http}` };
  });
  for (const { name, url } of clouds) {
    await children.waitUntil(name, 'it was ready', () => answersOk(`${url}/readyz`), READY_WITHIN_MS);
  }
  return clouds;
}

async function startBalancer(
  children: Children,
  { command, ports, dataDir, url }: { command: string; ports: Ports; dataDir: string; url: string },
): Promise<void> {
  const addresses = (names: string, places: readonly number[]) =>
    Object.fromEntries(places.map((port, index) => [`${names}_${index + 1}`, `${HOST}:${port}`]));
  children.start({
    name: 'load balancer',
    command,
    args: ['-db', '-f', BALANCER_FILE],
    env: {
      HTTP_LISTEN: `${HOST}:${ports.http}`,
      MQTT_LISTEN: `${HOST}:${ports.mqtt}`,
      TERMINAL_LISTEN: `${HOST}:${ports.terminals}`,
      ...addresses(
        'CLOUD',
        ports.clouds.map(({ http }) => http),
      ),
      ...addresses(
        'CLOUD_TERMINALS',
        ports.clouds.map(({ terminals }) => terminals),
      ),
      ...addresses(
        'NATS',
        ports.brokers.map(({ mqtt }) => mqtt),
      ),
    },
    logFile: join(dataDir, 'balancer.log'),
  });
  await children.waitUntil('load balancer', 'it led to a cloud', () => answersOk(`${url}/readyz`), READY_WITHIN_MS);
}

async function start(children: Children): Promise<string> {
  const { reset } = parseArguments(process.argv.slice(2));
  const programs = requirePrograms();
  const ports = await choosePorts();
  const dataDir = openDataDir(reset);
  // All processes share one DATA_DIR: pictures and the server key.
  const cloudDir = join(dataDir, 'cloud');
  const { database, brokers } = await startServers(children, { programs, ports, dataDir, cloudDir });

  const url = `http://${HOST}:${ports.http}`;
  const mqttUrl = `mqtt://${HOST}:${ports.mqtt}`;
  const shared = { DATA_DIR: cloudDir, DATABASE_URL: postgresUrl(ports.postgres) };
  await promisify(execFile)(process.execPath, ['dist/cloud/main.js', 'apply', SITE_FILE], {
    env: { ...process.env, ...shared, BASE_URL: url },
  });
  const env = {
    ...shared,
    MQTT_KIND: 'nats',
    MQTT_ADMIN_URL: brokers.map(({ ports: own }) => `nats://${HOST}:${own.client}`).join(','),
    MQTT_PUBLIC_URL: mqttUrl,
    BASE_URL: url,
    TRUSTED_PROXIES: HOST,
    STOP_DELAY_MS: String(STOP_DELAY_MS),
  };
  const clouds = await startClouds(children, { ports, brokers, dataDir, env });
  await startBalancer(children, { command: programs.balancer, ports, dataDir, url });

  return renderClusterTable({
    url,
    mqttUrl,
    terminalsUrl: `mqtt://${HOST}:${ports.terminals}`,
    clouds: clouds.map((each) => ({ ...each, pid: children.pid(each.name) })),
    brokers: brokers.map(({ program, ports: { mqtt: port } }) => {
      return { name: program.name, port, pid: children.pid(program.name) };
    }),
    postgres: { url: shared.DATABASE_URL, pid: children.pid(database.name) },
    dataDir,
    env: shared,
  });
}

await runPrograms('scripts/cluster', start);
