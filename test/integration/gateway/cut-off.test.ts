/** A deleted gateway is cut off, whoever deleted it, and let in no more. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { cutOffGateway } from '../../../cloud/equipment/gateway/gateway-deletion.js';
import { deleteRow } from '../../../cloud/kernel/store/deletion-queries.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { newOutboxEpoch } from '../ingest/gateway-records.js';
import { connectGateway, type TestGateway } from './link-gateway.js';
import { NORTH_GATEWAY, SECOND_GATEWAY } from './link-site.js';
import { createLinkWorld, type LinkWorld } from './link-world.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let world: LinkWorld;
const gateways: TestGateway[] = [];
beforeEach(async () => {
  world = await createLinkWorld();
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.end()));
  await world.close();
});

async function join(uuid = NORTH_GATEWAY): Promise<TestGateway> {
  const gateway = await connectGateway({ port: world.broker.port, uuid, epoch: newOutboxEpoch() });
  gateways.push(gateway);
  return gateway;
}

const isOnline = async (uuid: string) => {
  const query = world.store.reader.selectFrom('gateways').select('status').where('uuid', '=', uuid);
  return (await query.executeTakeFirst())?.status === 'online';
};

/** Deletes as `apply --prune` does it in a process of its own, where there are no connections. */
async function deleteElsewhere(): Promise<void> {
  const { clock, directory, site } = world;
  const other = await openMigratedStore({ url: `sqlite:${directory}/cloud.db`, clock, logger: silentLogger });
  const gone = { id: site.gateway, now: clock.now() };
  await ownChange(other)(async (tx) => {
    await cutOffGateway(tx, gone);
    await deleteRow(tx, 'gateways', gone.id);
  });
  await other.close();
}

it('ends the connection of an idle gateway that another process deleted, and refuses its credentials', async () => {
  const gateway = await join();
  gateway.sayHello();
  await waitUntil('its configuration', () => gateway.held.size > 0);
  await expect.poll(() => isOnline(NORTH_GATEWAY)).toBe(true);
  const beside = await join(SECOND_GATEWAY);
  beside.sayHello();
  await waitUntil('its configuration', () => beside.held.size > 0);
  await deleteElsewhere();
  // Each database says in its own time that another process has changed it.
  await waitUntil('the deleted gateway to be cut off', async () => {
    await world.clock.advance(200);
    return !gateway.client.connected;
  });
  expect(beside.client.connected).toBe(true);
  const events = await world.store.reader.selectFrom('events').select(['event', 'lot_id', 'payload']).execute();
  const notified = events.filter(({ event }) => event === 'gateway_status').map(({ payload }) => JSON.parse(payload));
  expect(notified.filter(({ uuid }) => uuid === NORTH_GATEWAY)).toEqual([
    { uuid: NORTH_GATEWAY, status: 'online' },
    { uuid: NORTH_GATEWAY, status: 'offline' },
  ]);
  await expect(join()).rejects.toThrow();
});

it('ends the connection of one that says hello after it was deleted', async () => {
  const gateway = await join();
  await deleteElsewhere();
  gateway.sayHello();
  await waitUntil('the deleted gateway to be cut off', () => !gateway.client.connected);
});
