/** A Mosquitto of the tests' own with its dynamic-security plugin, in a directory that goes with it. */
import type { ChildProcess } from 'node:child_process';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.js';
import { endServer, startServer } from './server-program.js';

const LIBRARIES = '/usr/lib';
const PLUGIN = 'mosquitto_dynamic_security.so';
const PROGRAMS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin'];
const ADMINISTRATOR = { username: 'admin', password: 'p@ss of tests' };

export interface MosquittoServer {
  readonly port: number;
  /** The address with the administrator's name and password, as MQTT_URL has it. */
  readonly url: string;
  /** Ends it as an operator would, or at once as a fault does; it can be started again. */
  stop(how?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /** Leaves it no account but its administrator's, from its next start on. */
  forgetAccounts(): void;
  /** Stops it, and removes what it has. */
  remove(): Promise<void>;
}

const findProgram = (): string | undefined =>
  PROGRAMS.map((folder) => join(folder, 'mosquitto')).find((path) => existsSync(path));

function findPlugin(): string | undefined {
  const folders = [LIBRARIES, ...readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name))];
  return folders.map((folder) => join(folder, PLUGIN)).find((path) => existsSync(path));
}

/** Whether tests can use it. @throws under CI when it is not installed */
export function hasMosquitto(): boolean {
  if (findProgram() !== undefined && findPlugin() !== undefined) return true;
  if (process.env['CI'] !== undefined) throw new Error('Mosquitto is not installed: scripts/setup --test installs it');
  return false;
}

/** Makes a broker and starts it. @param options.tls files of its certificate and key @param options.hasPlugin whether it has accounts at all */
export async function startMosquitto(
  options: { tls?: { cert: string; key: string }; hasPlugin?: boolean } = {},
): Promise<MosquittoServer> {
  const { tls, hasPlugin = true } = options;
  const [program, plugin] = [findProgram(), findPlugin()];
  if (program === undefined || plugin === undefined) throw new Error('Mosquitto is not installed');
  const directory = mkdtempSync(join(tmpdir(), 'mosquitto-'));
  const [port = 0] = await freePorts(1);
  const accounts = join(directory, 'dynamic-security.json');
  writeFileSync(accounts, firstAccounts());
  const settings = [
    `listener ${port} 127.0.0.1`,
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...(tls === undefined ? [] : [`certfile ${tls.cert}`, `keyfile ${tls.key}`]),
    ...(hasPlugin
      ? ['allow_anonymous false', `plugin ${plugin}`, `plugin_opt_config_file ${accounts}`]
      : ['allow_anonymous true']),
    'persistence true',
    `persistence_location ${directory}/`,
    'max_queued_messages 100000',
    'set_tcp_nodelay true',
    'log_dest stdout',
  ];
  const file = join(directory, 'mosquitto.conf');
  writeFileSync(file, `${settings.join('\n')}\n`);
  let child: ChildProcess | undefined;
  const scheme = tls === undefined ? 'mqtt' : 'mqtts';
  const { username, password } = ADMINISTRATOR;

  const server: MosquittoServer = {
    port,
    url: `${scheme}://${username}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    async start() {
      child = await startServer({ name: 'Mosquitto', program, args: ['-c', file], answers: () => listens(port) });
    },
    stop: (how = 'SIGTERM') => endServer(child, how),
    forgetAccounts: () => writeFileSync(accounts, firstAccounts()),
    async remove() {
      await server.stop('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** What `mosquitto_ctrl dynsec init` writes: an administrator of accounts, who hears and says nothing of gateways. */
function firstAccounts(): string {
  const salt = randomBytes(12);
  const iterations = 101;
  const { username, password } = ADMINISTRATOR;
  const hash = pbkdf2Sync(password, salt, iterations, 64, 'sha512');
  const topic = '$CONTROL/dynamic-security/#';
  const acls = ['publishClientSend', 'publishClientReceive', 'subscribePattern'];
  const client = { username, password: hash.toString('base64'), salt: salt.toString('base64'), iterations };
  return JSON.stringify({
    clients: [{ ...client, roles: [{ rolename: 'admin' }] }],
    roles: [{ rolename: 'admin', acls: acls.map((acltype) => ({ acltype, topic, allow: true })) }],
    defaultACLAccess: { publishClientSend: false, publishClientReceive: true, subscribe: false, unsubscribe: true },
  });
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
