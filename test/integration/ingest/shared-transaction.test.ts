/** Batches that share a transaction lead to what they lead to one after the other. */
import { expect, it } from 'vitest';
import { applyBatches } from '../../../cloud/traffic/ingest/apply-batches.js';
import { parseWireBatch } from '../../../cloud/traffic/ingest/read/wire-batch-parser.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { UplinkRecord } from '../../../shared/uplink.js';
import { NORTH_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { entryRead, exitRead, imagePayload, newOutboxEpoch, newUid, recordOf, wireBatch } from './gateway-records.js';
import { ingestDeps } from './ingest-deps.js';

const world = storeWorld('for each test');

const [epoch, secondEpoch] = [newOutboxEpoch(), newOutboxEpoch()];

function batchOf(uuid: GatewayUuid, lane: 0 | 2, records: UplinkRecord[]) {
  const { gateway: north, secondGateway: second, lot: lot_id } = world.site;
  const isNorth = uuid === NORTH_GATEWAY;
  const batch = parseWireBatch(wireBatch(isNorth ? epoch : secondEpoch, lane, records));
  if ('problem' in batch) throw new Error(batch.problem);
  const gateway = { id: isNorth ? north : second, lot_id };
  return { uuid, gateway, isFormer: false, batch, logger: world.logger };
}

const apply = (...works: ReturnType<typeof batchOf>[]) =>
  world.store.change((tx) => applyBatches(ingestDeps(world), tx, works));
const readRecord = (seq: number, plate: string) => recordOf(seq, entryRead(world.site, { reading: { plate } }));
const plates = async () => {
  const rows = await world.store.reader.selectFrom('plate_readings').select('plate').orderBy('id').execute();
  return rows.map(({ plate }) => plate);
};

it('batches of a lane go on where the one before ends, and a repeat is taken once', async () => {
  const [one, two, three] = [readRecord(1, 'ZG1'), readRecord(2, 'ZG2'), readRecord(3, 'ZG3')];
  const [first, second, beyond] = await apply(
    batchOf(NORTH_GATEWAY, 0, [one, two]),
    batchOf(NORTH_GATEWAY, 0, [two, three]),
    batchOf(NORTH_GATEWAY, 0, [readRecord(5, 'ZG5')]),
  );
  expect([first, second, beyond]).toEqual([
    { cursor: 2, gap: false, diverged: false },
    { cursor: 3, gap: false, diverged: false },
    { cursor: 3, gap: true, diverged: false },
  ]);
  expect(await plates()).toEqual(['ZG1', 'ZG2', 'ZG3']);
  expect(await apply(batchOf(NORTH_GATEWAY, 0, [three, readRecord(4, 'ZG4')]))).toMatchObject([{ cursor: 4 }]);
});

it('another record under a number that the batch before used tells of another history', async () => {
  const results = await apply(
    batchOf(NORTH_GATEWAY, 0, [readRecord(1, 'ZG1')]),
    batchOf(NORTH_GATEWAY, 0, [readRecord(1, 'ZG9')]),
  );
  expect(results).toMatchObject([{ diverged: false }, { diverged: true, cursor: 1 }]);
  expect(await plates()).toEqual(['ZG1']);
});

it('a picture whose lane is ahead is shown once its reading comes', async () => {
  const image = newUid();
  const read = recordOf(1, entryRead(world.site, { reading: { images: [{ uid: image, role: 'full' }] } }));
  await apply(
    batchOf(NORTH_GATEWAY, 2, [recordOf(1, imagePayload(read.uid), { uid: image })]),
    batchOf(NORTH_GATEWAY, 0, [read]),
  );
  const { reader } = world.store;
  expect(await reader.selectFrom('early_records').select('uid').execute()).toEqual([]);
  const images = await reader.selectFrom('images').select(['uid', 'arrived_at']).execute();
  expect(images).toEqual([{ uid: image, arrived_at: world.clock.now() }]);
});

it('a picture waits for its own reading only, whatever another gateway sends', async () => {
  const [image, owner] = [newUid(), newUid()];
  await apply(
    batchOf(NORTH_GATEWAY, 2, [recordOf(1, imagePayload(owner), { uid: image })]),
    batchOf(SECOND_GATEWAY, 0, [recordOf(1, entryRead(world.site), { uid: owner })]),
  );
  const waiting = await world.store.reader.selectFrom('early_records').select(['uid', 'gateway_id']).execute();
  expect(waiting).toEqual([{ uid: image, gateway_id: world.site.gateway }]);
});

it('a gateway ends the session that another one of its lot begins', async () => {
  const session_uid = newUid();
  const begins = entryRead(world.site, {
    read: { session: { effect: 'begin', session_uid, ended_session_uid: null } },
  });
  const ends = exitRead(world.site, session_uid);
  await apply(batchOf(NORTH_GATEWAY, 0, [recordOf(1, begins)]), batchOf(SECOND_GATEWAY, 0, [recordOf(1, ends)]));
  const sessions = await world.store.reader.selectFrom('sessions').select(['uid', 'ended_at']).execute();
  expect(sessions).toEqual([{ uid: session_uid, ended_at: expect.any(Number) }]);
  expect(world.pushed.map(({ event }) => event).filter((event) => event.startsWith('session_'))).toEqual([
    'session_create',
    'session_update',
  ]);
  expect(world.staleConfig).toContainEqual({ lot_id: world.site.lot, sections: expect.arrayContaining(['sessions']) });
});
