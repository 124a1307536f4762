/** Memory of the agent's main process and of its radio child, against a bare node process in the same run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { entryCamera } from '../world/entry-camera.js';
import { hikvisionCamera } from '../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { readCommit } from '../world/agent-records.js';
import { TEST_SITE } from '../world/site.js';
import { createWorld, type World } from '../world/world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { childrenOf } from '../unit/radio/processes.js';
import { amount, failingLogger, printFigure, restingMedians } from './harness.js';

const QUEUED = 50_000;
const QUEUED_AT_ONCE = 500;
const PICTURED = 200;
/** A read has rows for the record, the picture and the plate. */
const ROWS_OF_READ = 3;
const BIG_PICTURE = { width: 2560, height: 1600 } as const;

/** Of the PSS, pages shared with other processes count by their share. */
function memoryOf(pid: number): Record<'rssMb' | 'pssMb', number> {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024;
  return { rssMb: megabytes('Rss'), pssMb: megabytes('Pss') };
}

async function bareNode() {
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return { memory: memoryOf(child.pid ?? 0), end: () => child.kill('SIGKILL') };
}

const restingMemory = (pid: number) => restingMedians(() => memoryOf(pid));

/** Queues what a day without a network leaves: reads of both cameras, which the store writes while the agent is stopped. */
async function queueReads(world: World): Promise<void> {
  const store = await openSqliteAgentStore({ path: join(world.dataDir, 'agent', 'agent.db'), logger: failingLogger });
  const cameras = [TEST_SITE.entryCamera, TEST_SITE.exitCamera];
  for (let first = 0; first < QUEUED; first += QUEUED_AT_ONCE) {
    await Promise.all(
      Array.from({ length: QUEUED_AT_ONCE }, (_, index) => {
        const number = first + index;
        const plate = `ZG${number}`;
        const stamp = { wall_ms: Date.now() - QUEUED + number };
        return store.recordRead(
          readCommit({ stamp, camera_device_id: cameras[number % 2] as string, reading: { plate, raw_plate: plate } }),
        );
      }),
    );
  }
  await store.close();
}

/** Pushes reads with pictures of a four-megapixel camera, which are too big to be sent as they are. */
async function pushPictures(world: World): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 10 } as const;
  const scene = await sharp({ create: { ...BIG_PICTURE, channels: 3, background: 'grey', noise } })
    .jpeg()
    .toBuffer();
  const pictures = { ...(await createVehiclePictures()('RI100AA', undefined)), scene };
  const camera = entryCamera({ device_id: TEST_SITE.entryCamera });
  const url = `${world.agentUrl}/lpr/hikvision/${TEST_SITE.entryCamera}/entry-push-key`;
  for (let read = 0; read < PICTURED; read++) {
    const event = { uuid: randomUUID(), wallMs: Date.now(), read: { plate: `RI${read}AA` }, pictures };
    const { contentType, body } = hikvisionCamera.encode(camera, event, false);
    const { pending } = (await world.agentStatus()).outbox;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: new Uint8Array(body),
    });
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}`);
    await waitUntil(
      'the read and its pictures to be queued',
      async () => (await world.agentStatus()).outbox.pending >= pending + ROWS_OF_READ,
    );
  }
}

/** Runs the benchmark. */
export async function benchAgentMemory(): Promise<void> {
  const bare = await bareNode();
  const world = await createWorld();
  try {
    // The agent is restarted as it runs on its site: it was claimed in an earlier start, which needed more memory.
    await world.stopAgent();
    await world.startAgent();
    await world.settled();
    const idle = await restingMemory(world.agentPid());
    const children = childrenOf(world.agentPid()).map(memoryOf);
    const childrenPss = children.reduce((sum, child) => sum + child.pssMb, 0);
    const reference = amount(bare.memory.rssMb, 'bare node {} MB');
    const figure = (what: string, megabytes: number, reach: number) =>
      printFigure(`agent memory ${what}`, amount(megabytes, '{} MB'), reference, reach);
    figure('idle, main process, RSS', idle.rssMb, 1.9);
    figure('idle with the child of the radio, PSS', idle.pssMb + childrenPss, 2.6);

    await world.stopAgent();
    await world.stopCloud();
    await queueReads(world);
    await world.startAgent();
    await pushPictures(world);
    const loaded = await restingMemory(world.agentPid());
    figure(`with ${QUEUED} reads queued and pictures made small, main process, RSS`, loaded.rssMb, 2.5);
  } finally {
    bare.end();
    await world.close();
  }
}
