/** A hand-over whose record comes in a batch that cannot be applied as a whole: over the real broker, store and dispatcher. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { findCommandDetails } from '../../../cloud/equipment/command/command-queries.js';
import { findProductDetails } from '../../../cloud/equipment/product/product-detail-queries.js';
import type { EventId } from '../../../shared/ids.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import { connectGateway, type TestGateway } from '../gateway/link-gateway.js';
import { NORTH_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { createLinkWorld, GATEWAY_WAIT_MS, type LinkWorld } from '../gateway/link-world.js';
import { batchOf, entryRead, newOutboxEpoch, recordOf } from '../ingest/gateway-records.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { noteHeard } from '../product/note-heard.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let world: LinkWorld;
let second: TestGateway;
const epoch = newOutboxEpoch();

beforeEach(async () => {
  world = await createLinkWorld();
  second = await connectGateway({ port: world.broker.port, uuid: SECOND_GATEWAY, epoch });
  await noteHeard(world, world.site.barrier, { gateway_id: world.site.secondGateway, rssi: -40 });
  await noteHeard(world, world.site.barrier, { gateway_id: world.site.gateway, rssi: -50 });
});
afterEach(async () => {
  await second.end();
  await world.close();
});

/** The database does not accept a reading of this plate. */
async function refuseReadings(plate: string): Promise<void> {
  const refusal = onPostgres()
    ? sql`alter table plate_readings add constraint refused check (plate <> ${sql.lit(plate)})`
    : sql`create trigger refused before insert on plate_readings when new.plate = ${sql.lit(plate)}
      begin select raise(abort, 'refused by a trigger'); end`;
  await world.store.change((tx) => refusal.execute(tx));
}

async function openBarrier(): Promise<EventId> {
  const barrier = await findProductDetails(world.store.reader, world.site.barrier);
  if (barrier === null) throw new Error('there is no barrier');
  return world.orders.operate(ownChange(world.store), barrier, { operation: 'open' });
}

const linkFailed = (event_id: EventId): CommandResultRecord => ({
  kind: 'command_result',
  event_id,
  product_id: world.site.barrier,
  outcome: 'failed',
  gateway_error_type: 4,
  authenticated: false,
  refused_late: false,
  status: null,
});

it('asks the next gateway, and counts its time, when the records of the batch are applied one by one', async () => {
  await refuseReadings('XX000XX');
  const event_id = await openBarrier();
  const unusable = entryRead(world.site, { reading: { plate: 'XX000XX' } });
  const ack = await second.sendRecords(
    batchOf(epoch, 0, [recordOf(1, linkFailed(event_id)), recordOf(2, unusable), recordOf(3, unusable)]),
  );
  expect(ack).toMatchObject({ seq: 3, gap: false, diverged: false });
  expect(world.sent.map(({ uuid, message }) => [uuid, message.event_id])).toEqual([
    [SECOND_GATEWAY, event_id],
    [NORTH_GATEWAY, event_id],
  ]);

  await world.clock.advance(GATEWAY_WAIT_MS);
  await waitUntil(
    'the end',
    async () => (await findCommandDetails(world.store.reader, event_id))?.command.status === 'failed',
  );
  // The product is free for the next command.
  await openBarrier();
});
