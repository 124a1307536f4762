/** The gateways of a lot are told who dealt with a vehicle that waited. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CONFIG_SECTION_NAMES, CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { connectGateway, type TestGateway } from '../gateway/link-gateway.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { createLinkWorld, type LinkWorld } from '../gateway/link-world.js';
import { newOutboxEpoch } from '../ingest/gateway-records.js';

let world: LinkWorld;
let gateway: TestGateway;
beforeEach(async () => {
  world = await createLinkWorld();
  gateway = await connectGateway({ port: world.broker.port, uuid: NORTH_GATEWAY, epoch: newOutboxEpoch() });
  gateway.sayHello();
  await waitUntil('all sections', () => gateway.held.size === CONFIG_SECTION_NAMES.length);
});
afterEach(async () => {
  await gateway.end();
  await world.close();
});

it('who dealt with a vehicle is a change for each gateway of its lot, by its uid', async () => {
  const { site } = world;
  const known = () => Object.fromEntries(gateway.held.get('handled')?.items ?? []);
  const uid = '0199a7c0-0000-7000-8000-000000000077';
  const at = world.clock.now();
  await world.store.change(async (tx) => {
    const place = { account_id: site.account, lot_id: site.lot, zone_id: site.zone, lpr_camera_id: site.entryCamera };
    const handled = { handled_at: at, handled_by: 'Ana', handled_how: 'ignored' as const };
    await tx
      .insertInto('sightings')
      .values([
        { ...place, uid, direction: 'in', created_at: at, ...handled },
        { ...place, uid: uid.replace('77', '78'), direction: 'in', created_at: at },
      ])
      .execute();
  });
  world.publisher.markStale({ lot_id: site.lot }, ['handled']);
  await world.clock.advance(200);
  await waitUntil('the delta', async () => gateway.configs.filter(({ section }) => section === 'handled').length === 2);
  expect(known()).toEqual({ [uid]: { how: 'ignored', by: 'Ana', at_ms: at } });
  expect(CONFIG_SECTIONS.handled.safeParse(known()[uid]).error).toBeUndefined();
});
