/** Memory of the agent's main process and of its radio child, against a bare node process in the same run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createWorld } from '../sim/world/world.js';
import { waitUntil } from '../sim/world/wait-until.js';
import { printFigure } from './figure.js';

interface Memory {
  rssMb: number;
  /** Pages shared with other processes count by their share. */
  pssMb: number;
}

function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024;
  return { rssMb: megabytes('Rss'), pssMb: megabytes('Pss') };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
}

async function bareNode(): Promise<{ memory: Memory; end(): void }> {
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return { memory: memoryOf(child.pid ?? 0), end: () => child.kill('SIGKILL') };
}

/** Lowest of several looks: what the process needs, not what the collector has not yet given back. */
async function idleMemory(pid: number): Promise<Memory> {
  let best = memoryOf(pid);
  let looks = 0;
  await waitUntil('the agent to come to rest', () => {
    const now = memoryOf(pid);
    if (now.rssMb < best.rssMb) best = now;
    return ++looks > 200;
  });
  return best;
}

/** Runs the benchmark. */
export async function benchAgentMemory(): Promise<void> {
  const bare = await bareNode();
  const world = await createWorld();
  try {
    // As it runs on its site: claimed in an earlier start, which needed more.
    await world.stopAgent();
    await world.startAgent();
    await world.settled();
    const main = await idleMemory(world.agentPid());
    const children = childrenOf(world.agentPid()).map(memoryOf);
    const childrenPss = children.reduce((sum, child) => sum + child.pssMb, 0);
    printFigure({
      what: 'agent memory idle, main process, RSS',
      measured: `${main.rssMb.toFixed(0)} MB`,
      reference: `bare node ${bare.memory.rssMb.toFixed(0)} MB`,
      ratio: main.rssMb / bare.memory.rssMb,
      reach: 1.9,
    });
    printFigure({
      what: 'agent memory idle with the child of the radio, PSS',
      measured: `${(main.pssMb + childrenPss).toFixed(0)} MB`,
      reference: `bare node ${bare.memory.rssMb.toFixed(0)} MB`,
      ratio: (main.pssMb + childrenPss) / bare.memory.rssMb,
      reach: 2.6,
    });
  } finally {
    bare.end();
    await world.close();
  }
}
