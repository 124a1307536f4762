import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../agent/gateway.js';
import type { Heard, RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { gatewayDeps } from '../world/gateway-deps.js';

const PROBE_INTERVAL_MS = 200;

/** The gateway of the world's agent, from its own folder; it probes cameras so often that nobody has to wait. */
async function startImpatientGateway(dataDir: string): Promise<Gateway> {
  return createGateway(await gatewayDeps(join(dataDir, 'agent'), { cameraProbeIntervalMs: PROBE_INTERVAL_MS }));
}

describe('camera story: cameras are probed, and the world hears of each of them', () => {
  let world: World;
  let stream: RealtimeListener;
  let gateway: Gateway | null = null;

  beforeAll(async () => {
    world = await createWorld({ hasBrokerSocket: true });
    stream = await world.listen();
  });

  afterAll(async () => {
    await gateway?.close();
    await stream?.close();
    await world?.close();
  });

  const statuses = (deviceId: string): Heard[] =>
    stream.of('lpr_camera_status').filter(({ payload }) => payload.device_id === deviceId);
  const kept = (deviceId: string) =>
    statuses(deviceId).flatMap(({ id, payload }) => (id === null ? [] : [payload.status]));
  const setOnline = (online: boolean) => world.sim('PATCH', `/cameras/${TEST_SITE.exitCamera}`, { online });

  it('has found both soon after the agent started', async () => {
    await waitUntil('both cameras to be found', async () => {
      const { cameras } = await world.agentStatus();
      return cameras.length === 2 && cameras.every(({ status }) => status === 'online');
    });
  });

  it('names every camera in each report, and keeps only what changed', async () => {
    await world.stopAgent();
    gateway = await startImpatientGateway(world.dataDir);
    // The report at the agent's start names the cameras that it has found by then: sometimes only one.
    await waitUntil('reports of both', () => statuses(TEST_SITE.exitCamera).length >= 4);
    const notified = stream.of('lpr_camera_status');
    const endOfReport = notified.findLastIndex(({ payload }) => payload.device_id === TEST_SITE.exitCamera) + 1;
    expect(notified.slice(endOfReport - 4, endOfReport).map(({ payload }) => payload.device_id)).toEqual([
      TEST_SITE.entryCamera,
      TEST_SITE.exitCamera,
      TEST_SITE.entryCamera,
      TEST_SITE.exitCamera,
    ]);
    expect(notified.every(({ payload }) => payload.status === 'online')).toBe(true);
    expect(Object.keys(notified[0]?.payload ?? {})).toEqual(['id', 'device_id', 'status']);
  });

  it('reports a camera offline after three misses, and online when it answers again', async () => {
    await setOnline(false);
    await waitUntil('offline', () => statuses(TEST_SITE.exitCamera).at(-1)?.payload.status === 'offline');
    await setOnline(true);
    await waitUntil('online', () => statuses(TEST_SITE.exitCamera).at(-1)?.payload.status === 'online');
    expect(kept(TEST_SITE.exitCamera).slice(-2)).toEqual(['offline', 'online']);
    expect(kept(TEST_SITE.entryCamera)).not.toContain('offline');
  });
});
