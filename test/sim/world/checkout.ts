import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { waitUntil } from './wait-until.js';

/** The project's root, from dist/test/sim/world/. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TABLE_END = 'Ctrl-C stops all of it';

/** A fresh clone of the project in which `npm start` runs. */
export interface RunningDemo {
  readonly cloudUrl: string;
  readonly controlUrl: string;
  readonly agentUrls: readonly string[];
  output(): string;
  /**
   * Sends Ctrl-C, or closes the terminal (SIGHUP); resolves when everything has ended. npm reports its own interruption, not the exit
   * code of what it ran.
   */
  interrupt(signal?: 'SIGINT' | 'SIGHUP'): Promise<void>;
}

export interface Checkout {
  readonly directory: string;
  /** Runs `npm start` until it prints its table. */
  start(limitMs: number): Promise<RunningDemo>;
  /** Runs `npm start` until it ends by itself. */
  startToEnd(env: Record<string, string>): Promise<{ code: number | null; output: string }>;
  remove(): void;
}

/**
 * Clones the committed project, as a newcomer gets it.
 * @param packages `linked`: uses this checkout's installed packages, so that only the set-up's other steps run
 */
export async function cloneProject(packages: 'linked' | 'installed'): Promise<Checkout> {
  // Every start has the same ports, because the gateway keeps its broker's address.
  const ports = await freePorts(5);
  const directory = mkdtempSync(join(tmpdir(), 'parking-clone-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, directory]);
  if (packages === 'linked') {
    const installed = join(ROOT, 'node_modules');
    // The set-up installs nothing into a linked folder.
    if (!existsSync(join(installed, '.setup-stamp'))) throw new Error('run scripts/setup first: its stamp is missing');
    symlinkSync(installed, join(directory, 'node_modules'));
  }
  return {
    directory,
    start: (limitMs) => startDemo({ directory, ports, limitMs }),
    async startToEnd(env) {
      const demo = spawnStart(directory, env);
      return { code: await demo.ended, output: demo.output() };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The environment of a newcomer's terminal, without what the test runner added to its own (such as BASE_URL). */
function terminalEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
  return { PATH, HOME, USER, LANG, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE };
}

function spawnStart(directory: string, env: Record<string, string>) {
  const child = spawn('npm', ['start'], {
    cwd: directory,
    env: { ...terminalEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
  child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    ended,
    output: () => chunks.join(''),
    /** Signals the whole group, as a terminal does. */
    interrupt: (signal: 'SIGINT' | 'SIGHUP') => process.kill(-(child.pid ?? 0), signal),
  };
}

async function startDemo(options: { directory: string; ports: number[]; limitMs: number }): Promise<RunningDemo> {
  const { directory, ports, limitMs } = options;
  const [cloud, mqtt, agent, agent2, control] = ports;
  const demo = spawnStart(directory, {
    PORT: String(cloud),
    MQTT_PORT: String(mqtt),
    AGENT_HTTP_PORT: String(agent),
    AGENT2_HTTP_PORT: String(agent2),
    SIM_CONTROL_PORT: String(control),
  });
  let end: number | null | undefined;
  void demo.ended.then((code) => {
    end = code;
  });
  await waitUntil(
    'the table of npm start',
    () => {
      if (end !== undefined) throw new Error(`npm start ended with ${end}:\n${demo.output()}`);
      return demo.output().includes(TABLE_END);
    },
    limitMs,
  );
  return {
    cloudUrl: `http://127.0.0.1:${cloud}`,
    controlUrl: `http://127.0.0.1:${control}`,
    agentUrls: [agent, agent2].map((port) => `http://127.0.0.1:${port}`),
    output: demo.output,
    async interrupt(signal = 'SIGINT') {
      demo.interrupt(signal);
      await demo.ended;
    },
  };
}
