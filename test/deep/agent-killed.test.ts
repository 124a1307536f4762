import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { longRuns } from '../depth.js';

const READS = longRuns(200, 5);
const KILLS = longRuns(2);
const KILLS_AFTER = Array.from({ length: KILLS }, (_, kill) => Math.floor((READS * (kill + 1)) / (KILLS + 1)));
const IN_FLIGHT = 8;

describe('fault: the agent is killed in the middle of many reads', () => {
  let world: World;
  let stream: RealtimeListener;

  beforeAll(async () => {
    world = await createWorld();
    stream = await world.listen();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  it('finds each acknowledged read in the cloud exactly once', { timeout: 300_000 }, async () => {
    const acknowledged = new Set<string>();
    const killsLeft = [...KILLS_AFTER];
    let sent = 0;
    let killing: Promise<void> | null = null;

    const killAgent = async () => {
      await world.faults.kill('agent');
      await world.startAgent();
    };
    const camera = async () => {
      while (sent < READS) {
        const plate = `KL${String(sent++).padStart(4, '0')}`;
        if (sent >= (killsLeft[0] ?? Number.POSITIVE_INFINITY)) {
          killsLeft.shift();
          killing = killAgent();
        }
        const { status } = await world
          .sim<{ status: number }>('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate })
          .catch(() => ({ status: 0 }));
        if (status === 200) acknowledged.add(plate);
        await killing;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, camera));
    await killing;

    expect(acknowledged.size).toBeGreaterThan(READS / 2);
    await waitUntil(
      'the outbox to be empty',
      async () => {
        const status = await world.agentStatus();
        return status.cloud.connected && status.outbox.pending === 0;
      },
      120_000,
    );
    const platesHeard = () => stream.of('plate_reading_create').map((entry) => String(entry.payload.plate));
    await waitUntil('every acknowledged read on the stream', () => {
      const heard = new Set(platesHeard());
      return [...acknowledged].every((plate) => heard.has(plate));
    });

    const counts = new Map<string, number>();
    for (const plate of platesHeard()) counts.set(plate, (counts.get(plate) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    expect(killsLeft).toEqual([]);
  });
});
