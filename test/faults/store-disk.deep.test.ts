/** The agent's store on a disk that loses power, fails, fills up and stalls. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../seed.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { buildDiskShim, createDiskImage, hasCompiler, readTrace } from './disk-shim.js';
import { eventTimes } from '../conformance/agent-store-conformance.js';
import { expectKept, parseLines } from './store-promises.js';
import { longRuns } from '../depth.js';
import type { ServantAnswer, ServantRequest } from './store-servant.js';

const CHILD = fileURLToPath(new URL('./store-child.js', import.meta.url));
const SERVANT = fileURLToPath(new URL('./store-servant.js', import.meta.url));
const POWER_CUTS = longRuns(15, 5);

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

/** Sets how the disk behaves from now on. */
function control(lines: string): void {
  writeFileSync(join(directory, 'control'), lines);
}

/** Starts a store in its own program, on the disk that fails on command. */
async function startServant() {
  const child = fork(SERVANT, [join(disk, 'agent.db')], { env: environment(), execArgv: [] });
  const [first] = (await once(child, 'message')) as [ServantAnswer];
  return {
    opened: 'opened' in first ? first.opened : '',
    async ask(request: ServantRequest): Promise<Extract<ServantAnswer, { done: string }>> {
      child.send(request);
      const [message] = await once(child, 'message');
      return message as Extract<ServantAnswer, { done: string }>;
    },
    ended: () => once(child, 'exit'),
  };
}

/** The event times in lane 0 of the file. */
async function lane0(): Promise<number[]> {
  const store = await openSqliteAgentStore({ path: join(disk, 'agent.db'), logger: silentLogger });
  try {
    expect(store.health.quarantined).toBeNull();
    return await eventTimes(store, 0);
  } finally {
    await store.close();
  }
}

const EIO = 5;
const ENOSPC = 28;
const EROFS = 30;

ifCompiler('power loss', () => {
  it('loses nothing that was promised, wherever it strikes: unsynced writes dropped, reordered and torn', async () => {
    const promises = join(disk, 'promises');
    execFileSync(process.execPath, [CHILD, join(disk, 'agent.db'), promises, '140'], { env: environment() });
    const operations = readTrace(join(directory, 'trace'));
    expect(operations.filter((operation) => operation.kind === 'sync').length).toBeGreaterThan(100);

    const random = seededRandom(SEED);
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
        expect(store.health.quarantined, `seed ${SEED}, operation ${index}`).toBeNull();
        await expectKept(store, parseLines(image.contentOf(promises).toString('utf8')));
      } finally {
        await store.close();
      }
    }
  });
});

ifCompiler('a disk that fails', () => {
  it.each([
    ['fsync fails', `sync_errno ${EIO}`],
    ['writes fail', `write_errno ${EIO}`],
    ['it is full', `write_errno ${ENOSPC}`],
    ['it became read-only', `write_errno ${EROFS}`],
  ])(
    'works on in memory while %s, and has everything on the disk afterwards but the pictures',
    async (_name, fault) => {
      const servant = await startServant();
      expect(servant.opened).toBe('kept');
      expect((await servant.ask({ do: 'append', at: 1 })).done).toBe('kept');
      control(fault);
      expect((await servant.ask({ do: 'append', at: 2 })).done).toBe('kept');
      expect((await servant.ask({ do: 'image', bytes: 50_000 })).done).toBe('full');
      expect((await servant.ask({ do: 'append', at: 3 })).done).toBe('kept');
      control('');
      expect((await servant.ask({ do: 'append', at: 4 })).done).toBe('kept');
      expect((await servant.ask({ do: 'close' })).done).toBe('kept');
      await servant.ended();
      expect(await lane0()).toEqual([1, 2, 3, 4]);
    },
  );

  it('refuses to start on it where there is nothing yet', async () => {
    control(`write_errno ${EROFS}`);
    expect((await startServant()).opened).toBe('io');
  });

  it('keeps the main program going while a sync takes its time, and shares a sync among many calls', async () => {
    const servant = await startServant();
    const count = (kind: 'held' | 'sync') =>
      readTrace(join(directory, 'trace')).filter((operation) => operation.kind === kind).length;
    control('sync_hold 1');
    expect((await servant.ask({ do: 'begin', count: 1 })).done).toBe('begun');
    await waitUntil('a sync that is held', () => count('held') > 0);
    // The program answers while the sync is held.
    expect((await servant.ask({ do: 'begin', count: 500 })).done).toBe('begun');
    const before = count('sync');
    control('');
    expect((await servant.ask({ do: 'settle' })).done).toBe('kept');
    expect(count('sync') - before).toBeLessThan(50);
    await servant.ask({ do: 'close' });
  });
});
