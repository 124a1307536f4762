/** Servers of others, which tests start and end: they have their own programs, and say of themselves when they answer. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** How much of what it said last the failure of a start shows. */
const SAID_MAX = 50;

/** Starts a program, and waits until it answers. Rejects with what it said when it ends before. */
export async function startServer(options: {
  name: string;
  program: string;
  args: readonly string[];
  spawnOptions?: SpawnOptions;
  answers: () => Promise<boolean>;
}): Promise<ChildProcess> {
  const { name, program, args, answers } = options;
  const said: string[] = [];
  const child = spawn(program, args, { ...options.spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => void (said.push(String(text)) > SAID_MAX && said.shift()));
  }
  const isUp = await waitUntil(`${name} to answer`, async () => {
    if (child.exitCode !== null) return 'ended';
    return (await answers()) && 'answers';
  }).catch((error: unknown) => {
    throw new Error(`${name} does not answer: ${said.join('')}`, { cause: error });
  });
  if (isUp === 'ended') throw new Error(`${name} did not start: ${said.join('')}`);
  return child;
}

/** Ends it, and waits for its end. Harmless when it has ended. */
export async function endServer(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
