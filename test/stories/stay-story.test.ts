import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../shared/durations.js';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const STRANGER = 'ZG333CC';
const AUTOCLOSE_S = 60;

interface Session {
  id: number;
  duration: number;
  amount_due: number;
  possibly_exited: boolean;
}

describe('stay story: a stranger parks for three hours, and pays for them', () => {
  let world: World;
  let stream: RealtimeListener;
  let sessionId: number;

  beforeAll(async () => {
    world = await createWorld({ movesClock: true, barrierAutocloseS: AUTOCLOSE_S });
    stream = await world.listen();
  });
  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  const product = (deviceId: string) => world.sim<{ state: string; moves: number }>('GET', `/products/${deviceId}`);
  const untilState = (deviceId: string, state: string) =>
    waitUntil(`product ${deviceId} to be ${state}`, async () => (await product(deviceId)).state === state);
  const session = async () => (await world.api<{ data: Session }>(`/v2/sessions/${sessionId}`)).body.data;

  it('drives in, and the barrier closes behind by itself when its time is over, not sooner', async () => {
    await world.arrive(STRANGER);
    const [created] = await stream.waitFor('session_create');
    sessionId = Number(created?.payload.id);
    await untilState(TEST_SITE.barrier, 'opened');
    await world.moveClock((AUTOCLOSE_S - 15) * 1_000);
    expect(await product(TEST_SITE.barrier)).toMatchObject({ state: 'opened', moves: 1 });
    await world.moveClock(15_000);
    await untilState(TEST_SITE.barrier, 'closed');
    expect((await product(TEST_SITE.barrier)).moves).toBe(2);
  });

  it('owes nothing in the free minutes, and a price for each hour after them', async () => {
    expect(await session()).toMatchObject({ amount_due: 0 });
    await world.moveClock(10 * MINUTE_MS);
    expect((await session()).amount_due).toBe(1.5);
    await world.moveClock(3 * HOUR_MS - 15 * MINUTE_MS);
    const stay = await session();
    expect(stay.amount_due).toBe(4.5);
    expect(stay.duration).toBeGreaterThan(175 * 60);
  });

  it('leaves after the time of its entry as the world has it, with everything still in sight', async () => {
    await world.leave(STRANGER);
    const [left] = await stream.waitFor('session_update');
    expect(left?.payload).toMatchObject({ id: sessionId, possibly_exited: true });
    await untilState(TEST_SITE.gate, 'opened');
    const reading = stream.of('plate_reading_create').at(-1);
    expect(Math.abs(Date.parse(String(reading?.payload.created_at)) - world.now())).toBeLessThan(MINUTE_MS);
    await world.settled();
    expect(stream.of('gateway_status')).toEqual([]);
  });
});
