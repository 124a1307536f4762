import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

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

const read = (camera: string, plate: string) =>
  world.sim<{ status: number }>('POST', `/cameras/${camera}/read`, { plate });
const decisions = () =>
  stream.of('plate_reading_update').map(({ payload }) => [payload.plate, payload.access_decision_reason]);

it('a plate that was read wrongly and is corrected leaves by its right one', async () => {
  // Every read of the exit is judged for itself, so that it can be read until the gateway knows.
  const list = `/v2/lpr-cameras?filter=device_id:eq:${TEST_SITE.exitCamera}`;
  const cameras = await world.api<{ data: { id: number }[] }>(list);
  const camera = `/v2/lpr-cameras/${cameras.body.data[0]?.id}`;
  expect(await world.call('PATCH', camera, { body: { debounce_time: 0 } })).toMatchObject({ status: 200 });

  await read(TEST_SITE.entryCamera, 'KA900XX');
  const [begun] = await stream.waitFor('session_create');
  await world.settled();
  // Nothing like what was read: the exit cannot take the one for the other.
  await read(TEST_SITE.exitCamera, 'DU555TT');
  await stream.waitFor('plate_reading_update', 2);
  expect(decisions()).toEqual([
    ['KA900XX', 'tariff'],
    ['DU555TT', 'no_active_session'],
  ]);

  const [reading] = stream.of('plate_reading_create');
  const path = `/v2/plate-readings/${reading?.payload.id}`;
  expect(await world.call('PATCH', path, { body: { plate: 'ZG 777-LL' } })).toMatchObject({ status: 200 });
  expect(stream.of('session_update')).toEqual([]);
  const exit = await waitUntil('the gateway to know the right plate', async () => {
    await read(TEST_SITE.exitCamera, 'ZG777LL');
    return decisions().find(([, reason]) => reason === 'session_exit');
  });
  expect(exit).toEqual(['ZG777LL', 'session_exit']);
  const [ended] = await stream.waitFor('session_update');
  expect(ended?.payload).toMatchObject({ id: begun?.payload.id, exit_allowed: false, exit: { type: 'lpr_camera' } });
});
