/** A cloud and a simulated car park on this machine, for a card in QEMU: they listen here, and the card is told QEMU's name for here. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { freePorts } from '../world/free-ports.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { TEST_SITE, testSiteYaml } from '../world/site.js';
import { HOST_IN_GUEST } from './card-machine.js';

export interface CardWorld {
  readonly folder: string;
  /** Address of the cloud as the card sees it. */
  readonly cloudUrlOfCard: string;
  readonly httpPort: number;
  readonly sshPort: number;
  /** What the cloud answers to its account. */
  api<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T>;
  /** What the simulated car park answers. */
  sim<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T>;
  /** Runs a subcommand of `parking-cloud` beside the cloud. @returns what it printed @throws when it fails */
  cloud(...words: string[]): Promise<string>;
  /** The folder in which the cloud keeps its data. */
  readonly cloudData: string;
  close(): Promise<void>;
}

export async function createCardWorld(): Promise<CardWorld> {
  const folder = mkdtempSync(join(process.env.CARD_FOLDER ?? tmpdir(), 'card-world-'));
  const [cloudPort, mqttPort, httpPort, sshPort, controlPort, entry, exit, sensors] = (await freePorts(8)) as [
    ...[number, number, number, number, number, number, number, number],
  ];
  const siteFile = join(folder, 'site.yaml');
  const radioPath = join(folder, 'radio.sock');
  writeFileSync(
    siteFile,
    testSiteYaml({ entry, exit, sensors }, { secondGateway: false, barrierAutocloseS: null, isGatePaired: true }),
  );
  const env = {
    DATA_DIR: join(folder, 'cloud'),
    PORT: String(cloudPort),
    MQTT_PORT: String(mqttPort),
    BASE_URL: `http://${HOST_IN_GUEST}:${cloudPort}`,
    MQTT_PUBLIC_URL: `mqtt://${HOST_IN_GUEST}:${mqttPort}`,
  };
  mkdirSync(env.DATA_DIR);
  const command = async (...words: string[]): Promise<string> => {
    const program = startProgram('cloud/main.js', words, env);
    const { code } = await program.ended;
    if (code !== 0) throw new Error(`${words.join(' ')} failed (${code}):\n${program.output()}`);
    return program.output();
  };
  await command('apply', siteFile);
  const cloud = startProgram('cloud/main.js', ['serve'], env);
  const agentUrl = `http://127.0.0.1:${httpPort}`;
  const carPark = startProgram(
    'scripts/sim/main.js',
    ['--site', siteFile, '--radio', radioPath, '--control', `127.0.0.1:${controlPort}`, '--agent', agentUrl],
    {},
  );
  const started: RunningProgram[] = [carPark, cloud];
  const ask = async <T>(url: string, method: string, body: unknown, token?: string): Promise<T> => {
    const answer = await fetch(url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  await waitUntil('the cloud to be ready', async () => (await fetch(`http://127.0.0.1:${cloudPort}/readyz`)).ok);
  await waitUntil('the car park', async () => (await fetch(`http://127.0.0.1:${controlPort}/`)).ok);
  return {
    folder,
    cloudUrlOfCard: env.BASE_URL,
    httpPort,
    sshPort,
    cloud: command,
    cloudData: env.DATA_DIR,
    api: (method, path, body) => ask(`http://127.0.0.1:${cloudPort}${path}`, method, body, TEST_SITE.apiToken),
    sim: (method, path, body) => ask(`http://127.0.0.1:${controlPort}${path}`, method, body),
    async close() {
      await Promise.all(started.map((program) => program.end()));
      if (process.env.CARD_FOLDER === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
