import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** The project's root, from dist/test/world/. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
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
  /** Stops what still runs there, and removes it. */
  remove(): Promise<void>;
}

/** Clones the committed project, as a newcomer gets it; `isInstalled`: with the npm packages of this checkout. */
export async function cloneProject(options: { isInstalled: boolean }): Promise<Checkout> {
  // Every start has the same ports, because the gateway keeps its broker's address.
  const ports = await freePorts(5);
  const directory = mkdtempSync(join(tmpdir(), 'parking-clone-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, directory]);
  if (options.isInstalled) symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const running = new Set<ReturnType<typeof spawnStart>>();
  const spawned = (env: Record<string, string>) => {
    const demo = spawnStart(directory, env);
    running.add(demo);
    void demo.ended.then(() => running.delete(demo));
    return demo;
  };
  return {
    directory,
    start: (limitMs) => startDemo({ spawned, ports, limitMs }),
    async startToEnd(env) {
      const demo = spawned(env);
      return { code: await demo.ended, output: demo.output() };
    },
    async remove() {
      const ends = Array.from(running, (demo) => {
        demo.interrupt('SIGINT');
        return demo.ended;
      });
      await Promise.all(ends);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The environment of a newcomer's terminal, without what the test runner added to its own (such as BASE_URL). */
function terminalEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
  return { PATH, HOME, USER, LANG, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE };
}

function spawnStart(directory: string, env: Record<string, string>) {
  // Nobody comes by himself: a test says who comes when.
  const child = spawn('npm', ['start', '--', '--speed', '0'], {
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

async function startDemo(options: {
  spawned(env: Record<string, string>): ReturnType<typeof spawnStart>;
  ports: number[];
  limitMs: number;
}): Promise<RunningDemo> {
  const { spawned, ports, limitMs } = options;
  const [cloud, mqtt, agent, agent2, control] = ports;
  const demo = spawned({
    PORT: String(cloud),
    MQTT_PORT: String(mqtt),
    AGENT_HTTP_PORT: String(agent),
    AGENT2_HTTP_PORT: String(agent2),
    SIM_CONTROL_PORT: String(control),
  });
  const table = waitUntil('the table of npm start', () => demo.output().includes(TABLE_END), limitMs);
  const tooEarly = demo.ended.then((code) => {
    throw new Error(`npm start ended with ${code}:\n${demo.output()}`);
  });
  // Both have a reader, whichever is first.
  tooEarly.catch(() => {});
  table.catch(() => {});
  await Promise.race([table, tooEarly]);
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
