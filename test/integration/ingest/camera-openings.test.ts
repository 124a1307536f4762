/** What gateways tell of openings: of vehicles that cameras admitted, and of what people did on site. */
import { describe, expect, it } from 'vitest';
import type { EventId, Uid } from '../../../shared/ids.js';
import { DAY_MS } from '../../../shared/durations.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { entryRead, newOutboxEpoch, NOON_MS, recordOf, wireBatch } from './gateway-records.js';

const world = storeWorld('for each test');
const send = senderOf(world);

const openings = () => world.store.reader.selectFrom('openings').selectAll().orderBy('id').execute();
const result = (reading_uid: Uid, change: object = {}) => ({
  kind: 'opening_result',
  reading_uid,
  event_id: 'deadbeef' as EventId,
  product_id: world.site.barrier,
  outcome: 'succeeded',
  gateway_error_type: null,
  ...change,
});
const action = (change: object) => ({
  kind: 'local_action',
  action: 'operation',
  by: 'console',
  address: '192.168.1.20',
  at_ms: NOON_MS - 1_000,
  was_cut_off: true,
  plate: null,
  product_id: world.site.barrier,
  operation: 'open',
  event_id: 'cafecafe' as EventId,
  sighting_uid: null,
  reading_uid: null,
  outcome: 'succeeded',
  gateway_error_type: null,
  count: 1,
  ...change,
});

describe('an admission', () => {
  it('is an opening once its outcome is known, in the same batch as its reading or later', async () => {
    const read = recordOf(1, entryRead(world.site));
    await send(0, read);
    expect(await openings()).toEqual([]);
    await send(0, { ...recordOf(2, result(read.uid)), wall_ms: NOON_MS - 500 });
    const { account, lot, barrier, gateway } = world.site;
    const [reading] = await world.store.reader.selectFrom('plate_readings').select('id').execute();
    const opened = {
      account_id: account,
      lot_id: lot,
      product_id: barrier,
      gateway_id: gateway,
      operation: 'open',
      cause: 'camera',
      given_by: null,
      outcome: 'succeeded',
      error_type: null,
      event_id: 'deadbeef',
      plate_reading_id: reading?.id,
      plate_sighting_id: null,
      at: NOON_MS - 500,
      updated_at: NOON_MS,
    };
    expect(await openings()).toMatchObject([opened]);
    const other = recordOf(3, entryRead(world.site, { reading: { plate: 'ZG 9' } }));
    await send(0, other, recordOf(4, result(other.uid, { outcome: 'failed', gateway_error_type: 4 })));
    expect(await openings()).toMatchObject([opened, { outcome: 'failed', error_type: '4' }]);
  });

  it('is one opening, however often its outcome comes: the last one counts', async () => {
    const read = recordOf(1, entryRead(world.site));
    const epoch = newOutboxEpoch();
    const batch = wireBatch(epoch, 0, [read, recordOf(2, result(read.uid, { outcome: 'unknown' }))]);
    for (let time = 0; time < 2; time++) await world.ingest.apply(NORTH_GATEWAY, batch);
    expect(await openings()).toMatchObject([{ outcome: 'unknown' }]);
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, 0, [recordOf(3, result(read.uid))]));
    expect(await openings()).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('is none of a product of another account, or of one that is gone', async () => {
    const read = recordOf(1, entryRead(world.site));
    await send(0, read, result(read.uid, { product_id: world.site.rivalProduct }));
    await send(0, result(read.uid, { product_id: 2_000_000_000 }));
    expect(await openings()).toEqual([]);
    const [reading] = await world.store.reader.selectFrom('plate_readings').select('opening_outcome').execute();
    expect(reading).toEqual({ opening_outcome: 'succeeded' });
  });

  it('stays when a later outcome of its reading names a product that is gone', async () => {
    const read = recordOf(1, entryRead(world.site));
    await send(0, read, result(read.uid));
    await send(0, result(read.uid, { product_id: 2_000_000_000, outcome: 'failed', gateway_error_type: 4 }));
    expect(await openings()).toMatchObject([{ product_id: world.site.barrier, outcome: 'succeeded' }]);
  });

  it('is none of the reading of another gateway', async () => {
    const read = recordOf(1, entryRead(world.site));
    await send(0, read);
    await world.ingest.apply(RIVAL_GATEWAY, wireBatch(newOutboxEpoch(), 0, [recordOf(1, result(read.uid))]));
    expect(await openings()).toEqual([]);
  });
});

describe('what somebody does at a gateway', () => {
  it('is an opening on site, with the vehicle that was let in', async () => {
    const refused = { access_decision: 'denied', access_decision_reason: 'no_tariff', opening: null } as const;
    const read = recordOf(1, entryRead(world.site, { read: { ...refused, session: null } }));
    await send(
      0,
      read,
      action({ action: 'let_in', reading_uid: read.uid }),
      action({ operation: 'close', outcome: 'failed', gateway_error_type: 6 }),
    );
    const [reading] = await world.store.reader.selectFrom('plate_readings').select('id').execute();
    const here = { cause: 'on_site', gateway_id: world.site.gateway, given_by: 'a', at: NOON_MS - 1_000 };
    expect(await openings()).toMatchObject([
      { ...here, operation: 'open', outcome: 'succeeded', plate_reading_id: reading?.id },
      { ...here, operation: 'close', outcome: 'failed', error_type: '6', plate_reading_id: null },
    ]);
  });

  it('in an emergency is an opening of each product, whose outcome nobody tells', async () => {
    const order = { product_id: null, operation: null, event_id: null, outcome: null };
    await send(
      0,
      action({ ...order, action: 'release' }),
      action({ ...order, action: 'release_clear' }),
      action({ ...order, action: 'sign_in' }),
    );
    const { barrier, gate } = world.site;
    const of = (product_id: number, operation: string) => ({
      product_id,
      operation,
      cause: 'emergency',
      outcome: 'unknown',
    });
    expect(await openings()).toMatchObject([
      of(barrier, 'stay_open'),
      of(gate, 'stay_open'),
      of(barrier, 'clear_stay_open'),
      of(gate, 'clear_stay_open'),
    ]);
  });

  it('is kept a thousand times a day, as in the audit log', async () => {
    await send(0, action({}));
    await world.store.change((tx) => tx.updateTable('audit_counts').set({ entries_count: 999 }).execute());
    await send(0, action({}), action({}), action({}));
    expect(await openings()).toHaveLength(2);
    await world.clock.advance(DAY_MS);
    await send(0, action({}));
    expect(await openings()).toHaveLength(3);
  });
});
