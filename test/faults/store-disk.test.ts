/** The agent's store on a disk that loses power, fails, fills up and stalls. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { seededRandom } from '../sim/world/lossy-transport.js';
import { buildDiskShim, createDiskImage, hasCompiler, readTrace } from './disk-shim.js';
import { expectKept, parseLines } from './store-promises.js';

const CHILD = fileURLToPath(new URL('./store-child.js', import.meta.url));
const POWER_CUTS = 60;

let directory: string;
let disk: string;
let shim: string;
const ifCompiler = describe.runIf(hasCompiler());

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-disk-'));
  disk = join(directory, 'disk');
  mkdirSync(disk);
  shim = buildDiskShim(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const environment = () => ({
  ...process.env,
  LD_PRELOAD: shim,
  SHIM_DIR: disk,
  SHIM_CONTROL: join(directory, 'control'),
  SHIM_TRACE: join(directory, 'trace'),
});

ifCompiler('power loss', () => {
  it('loses nothing that was promised, wherever it strikes: unsynced writes dropped, reordered and torn', async () => {
    const promises = join(disk, 'promises');
    execFileSync(process.execPath, [CHILD, join(disk, 'agent.db'), promises, '140'], { env: environment() });
    const operations = readTrace(join(directory, 'trace'));
    expect(operations.filter((operation) => operation.kind === 'sync').length).toBeGreaterThan(100);

    const seed = Date.now();
    const random = seededRandom(seed);
    const cuts = new Set(Array.from({ length: POWER_CUTS }, () => Math.floor(random() * operations.length)));
    const image = createDiskImage();
    for (const [index, operation] of operations.entries()) {
      image.follow(operation);
      if (!cuts.has(index)) continue;
      const after = join(directory, `after-${index}`);
      mkdirSync(after);
      for (const [path, content] of image.losePower(random)) writeFileSync(join(after, basename(path)), content);
      const store = await openSqliteAgentStore({ path: join(after, 'agent.db'), logger: silentLogger });
      try {
        expect(store.health.quarantined, `seed ${seed}, operation ${index}`).toBeNull();
        await expectKept(store, parseLines(image.contentOf(promises).toString('utf8')));
      } finally {
        await store.close();
      }
    }
  });
});
