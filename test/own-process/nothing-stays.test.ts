/** A process in which clouds and gateways were opened and closed is as it was before: many test files run in one. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { startLocalServer } from '../../agent/console/local-server.js';
import { createGateway } from '../../agent/gateway.js';
import { createCloud } from '../../cloud/cloud.js';
import { loadCloudConfig } from '../../cloud/config.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { openMigratedStore } from '../world/migrated-store.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { gatewayDeps } from '../world/gateway-deps.js';
import { cloudDeps } from '../world/cloud-deps.js';

const HOST = '127.0.0.1';
const ROUNDS = 10;
const PAIRS_AT_ONCE = 5;
/** Of a cloud and a gateway together: code that is compiled later takes some of it. It was 10 MB. */
const HEAP_OF_PAIR_MAX_BYTES = 150_000;
const AWAITS = 50_000;
/** With a storage for each store it was 17. */
const AWAIT_RATIO_MAX = 5;

interface Opened {
  url: string;
  close(): Promise<void>;
}

async function openCloud(directory: string): Promise<Opened> {
  const [clock, logger] = [systemClock, silentLogger];
  const config = loadCloudConfig({
    environment: { HOST, PORT: '0', MQTT_HOST: HOST, MQTT_PORT: '0', DATA_DIR: directory },
    workingDirectory: directory,
  });
  const store = await openMigratedStore({ url: config.databaseUrl, clock, logger });
  // Whatever travels with a change is in use from the first one.
  await store.change(() => Promise.resolve());
  const cloud = await createCloud(config, await cloudDeps(config, { store }));
  return { url: `http://${HOST}:${cloud.port}/openapi.json`, close: cloud.close };
}

async function openGateway(directory: string): Promise<Opened> {
  const gateway = await createGateway(await gatewayDeps(directory));
  const server = await startLocalServer({ app: gateway.app, host: HOST, port: 0 });
  return {
    url: `http://${HOST}:${server.port}/status`,
    async close() {
      await server.close();
      await gateway.close();
    },
  };
}

/** `fetch` would remember each address. */
async function statusOf(url: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  return answer.statusCode;
}

/** Opens one of each, asks each something, and closes both. */
async function openAndClose(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'nothing-stays-'));
  try {
    for (const { url, close } of await Promise.all([openCloud(directory), openGateway(directory)])) {
      expect(await statusOf(url)).toBe(200);
      await close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const openAndCloseSome = () => Promise.all(Array.from({ length: PAIRS_AT_ONCE }, openAndClose));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What keeps the process alive, by kind. */
function handles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Processor microseconds of many awaits. Of several runs the quickest says what they cost; others collected garbage. */
async function costOfAwaits(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 7; run++) {
    const begun = process.cpuUsage();
    for (let count = 0; count < AWAITS; count++) await undefined;
    const { user, system } = process.cpuUsage(begun);
    least = Math.min(least, user + system);
  }
  return least;
}

async function look() {
  const awaitCost = await costOfAwaits();
  collectGarbage();
  return { heapBytes: process.memoryUsage().heapUsed, awaitCost };
}

describe('clouds and gateways that are closed', () => {
  it('leave neither memory nor a handle behind, and make no promise slower', async () => {
    // What is loaded and made once is there after the first of them.
    await openAndCloseSome();
    const before = await look();
    const handlesBefore = handles();
    for (let round = 0; round < ROUNDS; round++) await openAndCloseSome();
    const after = await look();
    expect.soft((after.heapBytes - before.heapBytes) / (ROUNDS * PAIRS_AT_ONCE)).toBeLessThan(HEAP_OF_PAIR_MAX_BYTES);
    expect.soft(after.awaitCost / before.awaitCost).toBeLessThan(AWAIT_RATIO_MAX);
    await waitUntil('the handles of before', () => isDeepStrictEqual(handles(), handlesBefore));
  });
});
