/**
 * `npm start`: the whole system on one machine. Cloud with embedded database and broker, two gateway agents, and a simulated
 * car park: products that speak Bluetooth over an emulated radio, cameras, and sensors behind Modbus. State is kept in ./.data;
 * `-- --reset` starts anew.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Children } from './demo/children.js';
import { busyPorts, type WantedPort } from './demo/ports.js';
import { CLOUD_PORT, type DemoPorts, HOST } from './demo/demo-ports.js';
import { z } from 'zod';
import { loadCloudConfig } from '../cloud/config.js';
import { createClient } from '../shared/client/index.js';
import { SPEED_MAX } from './sim/control/control-schemas.js';
import { API_TOKEN, renderNextSteps } from './demo/next-steps.js';
import { findIdentity } from '../agent/commissioning/identity.js';
import { answersOk, parseArguments, portFromEnvironment, runPrograms, UsageError } from './demo/run-programs.js';

const SITE_FILE = 'scripts/demo-site.yaml';
/** `scripts/setup` makes it. */
const HISTORY_FOLDER = 'node_modules/.cache/demo-history';
/** The gateways of the demo site, each with its agent. */
const GATEWAYS = [
  {
    agent: 'agent',
    uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
    claimCode: 'HARBOUR-NORTH-0001',
    nearTo: ['a4c138000001', 'a4c138000003', 'a4c138000005'],
  },
  {
    agent: 'agent2',
    uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02',
    claimCode: 'HARBOUR-NORTH-0002',
    nearTo: ['a4c138000002', 'a4c138000004', 'a4c138000006'],
  },
] as const;
const NEAR_DBM = -57;
const FAR_DBM = -79;
const READY_WITHIN_MS = 60_000;
const LOOKED_MS = 2_000;
const UNIX_SOCKET_PATH_MAX = 100;
const PAGE_SIZE = 300;
/** Something comes or goes every half minute by day. */
const SPEED_DEFAULT = 20;
/** The traffic's day begins when people come to work, whatever the time is here. */
const TRAFFIC_FROM = '07:50';
/** So many are taken for being there, even if no sensor sees them. */
const VEHICLES_INSIDE_MIN = 10;
const BROKER_PORT_FILE = 'mqtt-port';

/** Addresses of cameras and sensors in the demo site: the simulator listens there. */
function sitePorts(): WantedPort[] {
  return [...readFileSync(SITE_FILE, 'utf8').matchAll(/address:\s*"?(http:\/\/)?([\d.]+):(\d+)/g)].map(
    ([, isCamera, host = HOST, port]) => ({
      host,
      port: Number(port),
      who: isCamera === undefined ? 'simulated sensors' : 'simulated camera',
      change: `stop what uses it, or change its address in ${SITE_FILE}`,
    }),
  );
}

function wantedPorts(ports: DemoPorts): WantedPort[] {
  const row = (port: number, who: string, variable: string): WantedPort => ({
    host: HOST,
    port,
    who,
    change: `stop what uses it, or choose another: ${variable}=${port + 1000} npm start`,
  });
  return [
    row(ports.cloud, 'cloud', 'PORT'),
    row(ports.mqtt, 'broker', 'MQTT_PORT'),
    row(ports.agent, 'agent', 'AGENT_HTTP_PORT'),
    row(ports.agent2, 'second agent', 'AGENT2_HTTP_PORT'),
    row(ports.control, 'simulator', 'SIM_CONTROL_PORT'),
    ...sitePorts(),
  ];
}

/** A unix socket's path must be short, so deep checkouts have it in the temporary folder. */
function radioPath(dataDir: string): string {
  const path = join(dataDir, 'radio.sock');
  if (path.length <= UNIX_SOCKET_PATH_MAX) return path;
  const folder = join(tmpdir(), `parking-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, 'radio.sock');
}

/** A gateway keeps the broker's address that it got when it was claimed, so kept state works on that port only. */
function checkBrokerPort(dataDir: string, port: number): void {
  const file = join(dataDir, BROKER_PORT_FILE);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : String(port);
  if (kept === String(port)) return;
  throw new UsageError(
    `the state in ${dataDir} belongs to MQTT_PORT=${kept}: start with it, or anew with npm start -- --reset`,
  );
}

async function agentIsWorking(url: string): Promise<boolean> {
  try {
    const status = (await (await fetch(url, { signal: AbortSignal.timeout(2_000) })).json()) as {
      cloud: { connected: boolean };
      products: { status: string; paired: boolean }[];
    };
    return (
      status.cloud.connected &&
      status.products.length > 0 &&
      status.products.every(({ status: is, paired }) => is === 'online' || !paired)
    );
  } catch {
    return false;
  }
}

/** Reads the option that only this demo has. */
function readSpeed(args: readonly string[]): { speed: number; others: string[] } {
  const at = args.indexOf('--speed');
  if (at === -1) return { speed: SPEED_DEFAULT, others: [...args] };
  const text = args[at + 1] ?? '';
  const speed = Number(text);
  if (text.trim() === '' || !(speed >= 0 && speed <= SPEED_MAX))
    throw new UsageError(`--speed ${text}: how fast the traffic is, is a number from 0 (stands still) to ${SPEED_MAX}`);
  return { speed, others: args.toSpliced(at, 2) };
}

async function changeTraffic(controlUrl: string, change: object): Promise<void> {
  const answer = await fetch(`${controlUrl}/traffic`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  if (!answer.ok) throw new Error(`the simulator refused the traffic: ${await answer.text()}`);
}

/** The parts of places and sessions that count here. */
const placeSchema = z.object({ name: z.string(), occupancy_status: z.string() });
const gatewaySchema = z.object({ id: z.number(), uuid: z.string().nullable() });
const passwordSchema = z.object({ password: z.string().nullable() });
const sessionSchema = z.object({ entry_license_plate: z.object({ plate: z.string() }).nullable() });

/** Lists the vehicles inside by the cloud's sessions, with their places: the simulated car park begins empty. */
async function vehiclesInside(cloudUrl: string): Promise<{ plate: string; place?: string | undefined }[]> {
  const client = createClient({ baseUrl: cloudUrl, token: API_TOKEN });
  const places: string[] = [];
  for await (const item of client.list('/v2/parking-places', { query: { sort: 'id:asc', size: PAGE_SIZE } })) {
    const { name, occupancy_status } = placeSchema.parse(item);
    if (occupancy_status === 'occupied') places.push(name);
  }
  const plates: string[] = [];
  const query = { filter: ['status:eq:open'], sort: 'id:desc', size: PAGE_SIZE };
  for await (const item of client.list('/v2/sessions', { query })) {
    const { entry_license_plate: entry } = sessionSchema.parse(item);
    if (entry !== null) plates.push(entry.plate);
  }
  const count = Math.max(places.length, VEHICLES_INSIDE_MIN);
  return plates.slice(0, count).map((plate, at) => ({ plate, place: places[at] }));
}

/** Sets signal strengths so that each product is nearer to one gateway than to the other. */
async function placeGateways(controlUrl: string): Promise<void> {
  const { products } = (await (await fetch(controlUrl)).json()) as { products: { device_id: string }[] };
  for (const { uuid, nearTo } of GATEWAYS) {
    for (const { device_id } of products) {
      const rssi = nearTo.some((near) => near === device_id) ? NEAR_DBM : FAR_DBM;
      const answer = await fetch(`${controlUrl}/products/${device_id}?gateway=${uuid}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rssi }),
      });
      if (!answer.ok) throw new Error(`the simulator refused the signal of ${device_id}: ${await answer.text()}`);
    }
  }
}

const simulatorArguments = (ports: DemoPorts, radio: string): string[] => [
  'dist/scripts/sim/main.js',
  '--site',
  SITE_FILE,
  ...GATEWAYS.flatMap(({ agent, uuid }) => ['--agent', `${uuid}=http://${HOST}:${ports[agent]}`]),
  '--radio',
  radio,
  '--control',
  `${HOST}:${ports.control}`,
  '--traffic',
  // It is set going when there is somebody to open.
  '0',
  '--from',
  TRAFFIC_FROM,
];

/** Returns the passwords with which people sign in at the page of each gateway, by its agent. */
async function devicePasswords(cloudUrl: string): Promise<Record<string, string>> {
  const client = createClient({ baseUrl: cloudUrl, token: API_TOKEN });
  const passwords: Record<string, string> = {};
  for await (const item of client.list('/v2/gateways', { query: { size: PAGE_SIZE } })) {
    const { id, uuid } = gatewaySchema.parse(item);
    const gateway = GATEWAYS.find((each) => each.uuid === uuid);
    if (gateway === undefined) continue;
    const { password } = passwordSchema.parse(await client.get('/v2/gateways/{id}/console-password', { path: { id } }));
    if (password !== null) passwords[gateway.agent] = password;
  }
  return passwords;
}

/** Gives a new cloud the past that the set-up has made. @returns whether the past needs no more work */
function copyHistory(cloudEnv: Record<string, string> & { DATA_DIR: string }): boolean {
  const { DATA_DIR } = cloudEnv;
  if (existsSync(DATA_DIR) || !existsSync(HISTORY_FOLDER)) return false;
  const { databaseUrl, serverKey } = loadCloudConfig({
    environment: { ...process.env, ...cloudEnv },
    workingDirectory: process.cwd(),
  });
  if (databaseUrl !== `sqlite:${join(DATA_DIR, 'cloud.db')}` || serverKey !== null) return false;
  cpSync(HISTORY_FOLDER, DATA_DIR, { recursive: true });
  return true;
}

async function startPrograms(children: Children, dataDir: string, ports: DemoPorts, speed: number): Promise<void> {
  const radio = radioPath(dataDir);
  const logFile = (name: string) => join(dataDir, `${name}.log`);
  const cloudEnv = {
    HOST,
    PORT: String(ports.cloud),
    MQTT_PORT: String(ports.mqtt),
    DATA_DIR: join(dataDir, 'cloud'),
  };
  const cloudUrl = `http://${HOST}:${ports.cloud}`;
  const controlUrl = `http://${HOST}:${ports.control}`;

  children.start({
    name: 'simulator',
    args: simulatorArguments(ports, radio),
    env: {},
    logFile: logFile('simulator'),
  });
  const run = (args: string[]) => promisify(execFile)(process.execPath, args, { env: { ...process.env, ...cloudEnv } });
  if (!copyHistory(cloudEnv)) await run(['dist/scripts/make-history.js', SITE_FILE]);
  await run(['dist/cloud/main.js', 'apply', SITE_FILE]);
  children.start({ name: 'cloud', args: ['dist/cloud/main.js', 'serve'], env: cloudEnv, logFile: logFile('cloud') });
  await children.waitUntil(
    'simulator',
    'its products were on the air',
    () => answersOk(`${controlUrl}/`),
    READY_WITHIN_MS,
  );
  await children.waitUntil('cloud', 'it was ready', () => answersOk(`${cloudUrl}/readyz`), READY_WITHIN_MS);
  await placeGateways(controlUrl);
  await changeTraffic(controlUrl, { inside: await vehiclesInside(cloudUrl) });
  for (const { agent, claimCode } of GATEWAYS) {
    children.start({
      name: agent,
      args: ['dist/agent/main.js', 'run'],
      env: {
        AGENT_DATA_DIR: join(dataDir, agent),
        AGENT_HTTP_PORT: String(ports[agent]),
        BLE_HCI: `sim:${radio}`,
        CLOUD_URL: cloudUrl,
        CLAIM_CODE: claimCode,
      },
      logFile: logFile(agent),
    });
  }
  await Promise.all(
    GATEWAYS.map(({ agent }) =>
      children.waitUntil(
        agent,
        'it saw its cloud and its products',
        () => agentIsWorking(`http://${HOST}:${ports[agent]}/status`),
        READY_WITHIN_MS,
      ),
    ),
  );
  await changeTraffic(controlUrl, { speed });
}

/** A gateway that somebody resets at its page belongs to no cloud any more: it says so here as it would on its screen. */
function showDeviceCodes(dataDir: string, ports: DemoPorts): void {
  const shown = new Set<string>();
  const look = () => {
    for (const { agent } of GATEWAYS) {
      const code = findIdentity(join(dataDir, agent, 'identity.json'))?.deviceCode ?? null;
      if (code === null || shown.has(code)) continue;
      shown.add(code);
      console.log(`The gateway at http://${HOST}:${ports[agent]} belongs to no cloud. Its device code: ${code}`);
    }
  };
  setInterval(look, LOOKED_MS).unref();
}

async function start(children: Children): Promise<string> {
  const { speed, others } = readSpeed(process.argv.slice(2));
  const { reset } = parseArguments(others);
  const ports: DemoPorts = {
    cloud: portFromEnvironment('PORT', CLOUD_PORT),
    mqtt: portFromEnvironment('MQTT_PORT', 1883),
    agent: portFromEnvironment('AGENT_HTTP_PORT', 8090),
    agent2: portFromEnvironment('AGENT2_HTTP_PORT', 8091),
    control: portFromEnvironment('SIM_CONTROL_PORT', 8095),
  };
  const busy = await busyPorts(wantedPorts(ports));
  if (busy.length > 0) throw new UsageError(busy.join('\n'));

  const dataDir = resolve('.data');
  if (reset) rmSync(dataDir, { recursive: true, force: true });
  checkBrokerPort(dataDir, ports.mqtt);
  if (existsSync(dataDir)) console.log(`Going on with the state in ${dataDir} (npm start -- --reset starts anew).`);
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, BROKER_PORT_FILE), String(ports.mqtt));

  await startPrograms(children, dataDir, ports, speed);
  showDeviceCodes(dataDir, ports);
  const passwords = await devicePasswords(`http://${HOST}:${ports.cloud}`);
  return renderNextSteps(ports, { passwords, dataDir, cloudPid: children.pid('cloud'), speed });
}

await runPrograms('npm start', start);
