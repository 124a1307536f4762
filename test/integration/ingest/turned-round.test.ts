/** A car that turns round at a two-way camera: gateway and cloud keep the same stays. */
import { expect, it } from 'vitest';
import { camera, plateWorld } from '../../unit/lpr/plate-world.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { recordOf } from './gateway-records.js';

const world = storeWorld('for each test');
const sendLane = senderOf(world);

it('is inside with a session in both books', async () => {
  const { site } = world;
  const twoWay = {
    id: site.standaloneCamera,
    zone_id: site.zone,
    lpr_position: 'in/out' as const,
    product_device_id: null,
  };
  const gateway = plateWorld({ cameras: [camera('cam', twoWay)], zone: { id: site.zone } });
  gateway.clock.jumpWall(world.clock.now() - 60_000 - gateway.clock.now());
  for (const movement of ['towards', 'away', 'towards'] as const) {
    await gateway.clock.advance(4_000);
    await gateway.reads.handle('cam', gateway.read('ZG7', { movement }));
  }
  const { reads } = gateway.store;
  expect(reads.map(({ record }) => record.access_decision_reason)).toEqual(['tariff', 'session_exit', 'tariff']);
  await sendLane(0, ...reads.map(({ uid, record }) => recordOf(1, record, { uid })));
  const rows = await world.store.reader
    .selectFrom('sessions')
    .select(['uid', 'created_at', 'ended_at'])
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    { uid: expect.any(String), created_at: expect.any(Number), ended_at: expect.any(Number) },
    { uid: gateway.sessions.own('ZG7')?.uid, created_at: gateway.clock.now(), ended_at: null },
  ]);
});
