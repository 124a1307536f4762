import { describe, expect, it } from 'vitest';
import { pruneDelivery } from '../../../cloud/traffic/ingest/prune.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { OutboxEpoch } from '../../../shared/uplink.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';
import { newOutboxEpoch, newUid, recordOf, sighting, wireBatch } from './gateway-records.js';

const world = storeWorld('for all tests');

/** The maxima of one gateway. */
const FAULTS_MAX = 1_000;
const CURSORS_MAX = 300;

const unusable = () => ({ kind: 'nobody knows it' });
const lost = () => ({ kind: 'lost', lane: 2, from: 1, to: 2 });

/** Sends batches of a hundred records in one outbox. */
async function flood(uuid: GatewayUuid, of: { batches: number; payload: () => unknown }): Promise<OutboxEpoch> {
  const epoch = newOutboxEpoch();
  for (let batch = 0; batch < of.batches; batch++) {
    const records = Array.from({ length: 100 }, (_, index) => recordOf(batch * 100 + index + 1, of.payload()));
    expect(await world.ingest.apply(uuid, wireBatch(epoch, 0, records))).toMatchObject({ seq: (batch + 1) * 100 });
  }
  return epoch;
}

type FaultTable = 'dead_letters' | 'lost_records';
const kept = async (table: FaultTable, gateway_id: number): Promise<number[]> => {
  const rows = await world.store.reader.selectFrom(table).select('id').where('gateway_id', '=', gateway_id).execute();
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
};

describe('what is kept of one gateway', () => {
  const floods: [FaultTable, () => unknown][] = [
    ['dead_letters', unusable],
    ['lost_records', lost],
  ];

  it.each(floods)('%s: the newest thousand, and nobody else loses any', async (table, payload) => {
    const { gateway, secondGateway } = world.site;
    await flood(NORTH_GATEWAY, { batches: 1, payload });
    const honest = await kept(table, gateway);
    await flood(SECOND_GATEWAY, { batches: 12, payload });
    const ids = await kept(table, secondGateway);
    expect(ids).toHaveLength(FAULTS_MAX);
    const newest = await world.store.reader
      .selectFrom(table)
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirstOrThrow();
    expect(ids.at(-1)).toBe(newest.id);
    expect((ids.at(-1) ?? 0) - (ids[0] ?? 0)).toBe(FAULTS_MAX - 1);
    expect(await kept(table, gateway)).toEqual(honest);
  });

  it('cursors: those that were used last, with the one in use', async () => {
    const { store, site, clock } = world;
    const epoch = newOutboxEpoch();
    const seen = () => sighting(site);
    const ack = await world.ingest.apply(SECOND_GATEWAY, wireBatch(epoch, 1, [recordOf(1, seen())]));
    expect(ack).toMatchObject({ seq: 1, gap: false });
    const earlier = (index: number) => ({
      gateway_id: site.secondGateway,
      epoch: newOutboxEpoch(),
      lane: 1,
      seq: 1,
      updated_at: clock.now() - 1_000 + index,
    });
    await store.change(async (tx) => {
      await tx
        .insertInto('ingest_cursors')
        .values(Array.from({ length: CURSORS_MAX }, (_, index) => earlier(index)))
        .execute();
    });
    for (let outbox = 0; outbox < 20; outbox++) {
      clock.jumpWall(1);
      await world.ingest.apply(SECOND_GATEWAY, wireBatch(newOutboxEpoch(), 1, [recordOf(1, seen())]));
    }
    const cursors = await store.reader
      .selectFrom('ingest_cursors')
      .select('epoch')
      .where('gateway_id', '=', site.secondGateway)
      .execute();
    expect(cursors).toHaveLength(CURSORS_MAX);
    expect(cursors.map((cursor) => cursor.epoch)).toContain(epoch);
  });
});

describe('what is kept of all gateways', () => {
  it('is taken from the gateways that have the most', async () => {
    const { store, images, clock, site } = world;
    const letterOf = (gateway_id: number) => {
      const uid = newUid();
      const of = { gateway_id, epoch: newOutboxEpoch(), lane: 0, seq: 1, uid };
      return { ...of, reason: 'test', payload: '{}', created_at: clock.now() };
    };
    await store.change(async (tx) => {
      await tx.deleteFrom('dead_letters').execute();
      const few = [site.rivalGateway, site.rivalGateway].map(letterOf);
      const many = Array.from({ length: 200 }, () => letterOf(site.secondGateway));
      const others = Array.from({ length: 40 }, () => letterOf(site.gateway));
      await tx
        .insertInto('dead_letters')
        .values([...few, ...others, ...many])
        .execute();
    });
    await pruneDelivery({ store, images }, clock.now(), 102);
    expect(await kept('dead_letters', site.rivalGateway)).toHaveLength(2);
    expect(await kept('dead_letters', site.gateway)).toHaveLength(40);
    expect(await kept('dead_letters', site.secondGateway)).toHaveLength(60);
    await flood(RIVAL_GATEWAY, { batches: 1, payload: unusable });
    expect(await kept('dead_letters', site.rivalGateway)).toHaveLength(102);
  });
});
