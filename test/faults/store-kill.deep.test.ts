import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../seed.js';
import type { ChildLine } from './store-child.js';
import { expectKept, parseLines } from './store-promises.js';
import { longRuns } from '../depth.js';

const CHILD = fileURLToPath(new URL('./store-child.js', import.meta.url));
const KILLS = longRuns(12);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-kill-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs the child until it wrote so many lines, then kills it wherever it is. */
async function liveAndDie(path: string, lineCount: number): Promise<ChildLine[]> {
  const child = spawn(process.execPath, [CHILD, path, '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (parseLines(text).length >= lineCount) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return parseLines(text);
}

it('keeps every promise over kill -9 at any point, again and again', async () => {
  const path = join(directory, 'agent.db');
  const random = seededRandom(SEED);
  const lines: ChildLine[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    lines.push(...(await liveAndDie(path, Math.floor(random() * 150))));
    const store = await openSqliteAgentStore({ path, logger: silentLogger });
    try {
      expect(store.health.quarantined, `seed ${SEED}`).toBeNull();
      await expectKept(store, lines);
    } finally {
      await store.close();
    }
  }
  expect(lines.length).toBeGreaterThan(KILLS);
});
