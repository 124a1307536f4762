/** What somebody does at a gateway itself: an entry of the audit log, and the release of the lot, once and in the order of what happened. */
import { describe, expect, it } from 'vitest';
import { endBoundedAudit } from '../../../cloud/kernel/audit/bounded-audit-queries.js';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import { saveReleaseOrder } from '../../../cloud/site/lot/lot-queries.js';
import type { EventId } from '../../../shared/ids.js';
import type { LocalActionRecord } from '../../../shared/uplink.js';
import { NORTH_GATEWAY, secrets } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { entryRead, newOutboxEpoch, newUid, NOON_MS, recordOf, sighting, wireBatch } from './gateway-records.js';

const HOUR_MS = 3_600_000;

const world = storeWorld('for each test');
const sendLane = senderOf(world);
const send = (...payloads: object[]) => sendLane(0, ...payloads);

function action(change: Partial<LocalActionRecord>): LocalActionRecord {
  return {
    kind: 'local_action',
    action: 'sign_in',
    by: 'console',
    address: '192.168.1.20',
    at_ms: NOON_MS,
    was_cut_off: true,
    plate: null,
    product_id: null,
    operation: null,
    event_id: null,
    sighting_uid: null,
    reading_uid: null,
    outcome: null,
    gateway_error_type: null,
    count: 1,
    ...change,
  };
}

const entries = () => world.store.reader.selectFrom('audit_log').selectAll().orderBy('id').execute();
const letters = () => world.store.reader.selectFrom('dead_letters').select('reason').execute();
const released = () =>
  world.store.reader
    .selectFrom('lots')
    .select(['released_at', 'released_by'])
    .where('id', '=', world.site.lot)
    .executeTakeFirstOrThrow();

describe('an action at a gateway', () => {
  it('is an entry of the account, of the gateway and the time when it is told, with when it was done beside it', async () => {
    const at_ms = NOON_MS - 5 * HOUR_MS;
    const sighting_uid = newUid();
    const opened = { product_id: world.site.barrier, event_id: 'deadbeef' as EventId, outcome: 'succeeded' as const };
    await send(
      action({ at_ms }),
      action({ action: 'sign_in_refused', count: 40, at_ms }),
      action({ action: 'operation', operation: 'stay_open', ...opened, at_ms }),
      action({ action: 'let_in', operation: 'open', sighting_uid, ...opened, at_ms }),
    );
    const of = {
      account_id: world.site.account,
      lot_id: world.site.lot,
      actor_type: 'gateway',
      actor_id: world.site.gateway,
      created_at: NOON_MS,
    };
    const at = new Date(at_ms).toISOString();
    const here = { gateway_id: world.site.gateway, by: 'console', address: '192.168.1.20', at };
    const notified = (await entries()).map((entry) => ({ ...entry, details: JSON.parse(entry.details) as unknown }));
    expect(notified).toMatchObject([
      { ...of, action: 'local_console.sign_in', target: `gateway ${world.site.gateway}`, details: here },
      { ...of, action: 'local_console.sign_in_refused', details: { ...here, count: 40 } },
      {
        ...of,
        action: 'local_console.operation',
        target: `product ${world.site.barrier}`,
        details: { ...here, values: { operation: 'stay_open' }, event_id: 'deadbeef', outcome: 'succeeded' },
      },
      { ...of, action: 'local_console.let_in', details: { ...here, sighting_uid } },
    ]);
    expect((await verifyAudit(world.store.reader, secrets.derive('audit_log'))).broken).toBeNull();
  });

  it('is one entry, however often its record comes', async () => {
    const once = wireBatch(newOutboxEpoch(), 0, [recordOf(1, action({}))]);
    for (let time = 0; time < 2; time++) await world.ingest.apply(NORTH_GATEWAY, once);
    expect(await entries()).toHaveLength(1);
  });

  it('is kept aside for a product of another account; for one that is gone it is told of the gateway', async () => {
    const opened = { action: 'operation', operation: 'open', outcome: 'succeeded' } as const;
    await send(action({ ...opened, product_id: world.site.rivalProduct }));
    expect(await letters()).toEqual([{ reason: `product ${world.site.rivalProduct} is not of the gateway's lot` }]);
    expect(await entries()).toEqual([]);
    await send(action({ ...opened, product_id: 2_000_000_000 }));
    expect(await entries()).toMatchObject([
      { action: 'local_console.operation', target: `gateway ${world.site.gateway}` },
    ]);
  });

  it('is kept aside when it is none, and does not stop those that follow', async () => {
    await send(
      { ...action({}), action: 'explode' },
      { ...action({}), address: 'x'.repeat(65) },
      { ...action({}), operation: 'melt' },
      { ...action({}), count: 0 },
      action({}),
    );
    expect(await letters()).toHaveLength(4);
    expect(await entries()).toHaveLength(1);
  });
});

describe('a vehicle that was let in at a gateway', () => {
  const letIn = (change: Partial<LocalActionRecord>) =>
    action({ action: 'let_in', operation: 'open', product_id: world.site.barrier, outcome: 'succeeded', ...change });
  const handled = (table: 'sightings' | 'plate_readings') =>
    world.store.reader.selectFrom(table).select(['handled_at', 'handled_by', 'handled_how']).execute();
  const DONE = { handled_at: NOON_MS, handled_by: expect.stringMatching(/\S/), handled_how: 'let_in' };
  const WAITING = { handled_at: null, handled_by: null, handled_how: null };

  it('is let in by the gateway, whether its sighting comes before or after that', async () => {
    const [before, after] = [
      recordOf(0, sighting(world.site), { wall_ms: NOON_MS }),
      recordOf(0, sighting(world.site), { wall_ms: NOON_MS }),
    ];
    await sendLane(1, before);
    expect(await handled('sightings')).toEqual([WAITING]);
    await send(letIn({ sighting_uid: before.uid }), letIn({ sighting_uid: after.uid }));
    expect(await handled('sightings')).toEqual([DONE]);
    await sendLane(1, after);
    expect(await handled('sightings')).toEqual([DONE, DONE]);
    expect(await world.store.reader.selectFrom('early_let_ins').selectAll().execute()).toEqual([]);
  });

  it('may be a refused one; where the product did not open, it waits', async () => {
    const refused = recordOf(0, {
      ...entryRead(world.site),
      access_decision: 'denied',
      access_decision_reason: 'max_capacity',
      session: null,
      opening: null,
    });
    await send(refused, letIn({ reading_uid: refused.uid, outcome: 'failed', gateway_error_type: 5 }));
    expect(await handled('plate_readings')).toEqual([WAITING]);
    await send(letIn({ reading_uid: refused.uid }));
    expect(await handled('plate_readings')).toEqual([DONE]);
  });
});

describe('what one gateway causes in the audit log', () => {
  it('is at most 1,000 entries a day: what exceeds them is counted in one', async () => {
    for (let batch = 0; batch < 12; batch++) await send(...Array.from({ length: 100 }, () => action({})));
    expect(await entries()).toHaveLength(1_000);
    const day = 24 * HOUR_MS;
    const end = () => world.store.change((tx) => endBoundedAudit(tx, { now: NOON_MS + day }));
    await world.store.change((tx) => endBoundedAudit(tx, { now: NOON_MS + day - 1 }));
    expect(await entries()).toHaveLength(1_000);
    await end();
    await end();
    const all = await entries();
    expect(all).toHaveLength(1_001);
    const { action: name, details, created_at } = all.at(-1) ?? {};
    expect({ name, created_at }).toEqual({ name: 'local_console.others', created_at: NOON_MS + day });
    const since = new Date(NOON_MS).toISOString();
    expect(JSON.parse(details ?? '')).toEqual({ gateway_id: world.site.gateway, count: 200, since });
    expect((await verifyAudit(world.store.reader, secrets.derive('audit_log'))).broken).toBeNull();
  });

  it('names the plate that somebody asked about', async () => {
    await send(action({ action: 'ask_plate', plate: 'ZG1234AB' }));
    expect(await entries()).toMatchObject([{ action: 'local_console.ask_plate', is_read: 1 }]);
    expect((await entries())[0]?.details).toContain('ZG1234AB');
  });
});

describe('a release at a gateway', () => {
  const release = (at_ms: number, was_cut_off = true) =>
    action({ action: 'release', by: 'program', at_ms, was_cut_off });
  const clear = (at_ms: number, was_cut_off = true) => action({ action: 'release_clear', at_ms, was_cut_off });
  const fromCloud = (at: number, released_by: string | null) =>
    world.store.change((tx) =>
      saveReleaseOrder(tx, { lot_id: world.site.lot, from: 'cloud', at, now: at, released_by }),
    );
  const NOT = { released_at: null, released_by: null };
  const isOverruled = async () =>
    (await entries()).map(({ details }) => (JSON.parse(details) as { is_overruled?: boolean }).is_overruled ?? false);

  it('holds the lot open since then, by the name of the gateway, and its end ends it', async () => {
    await send(release(NOON_MS - HOUR_MS));
    expect(await released()).toEqual({ released_at: NOON_MS - HOUR_MS, released_by: expect.stringMatching(/\S/) });
    expect((await entries())[0]).toMatchObject({ action: 'local_console.release', target: `lot ${world.site.lot}` });
    await send(clear(NOON_MS));
    expect(await released()).toEqual(NOT);
  });

  it('goes on from when it began, when it is ordered again', async () => {
    await fromCloud(NOON_MS - 3 * HOUR_MS, 'Olga');
    await send(release(NOON_MS - HOUR_MS));
    expect(await released()).toEqual({ released_at: NOON_MS - 3 * HOUR_MS, released_by: 'Olga' });
  });

  it('changes nothing that a person ordered at the cloud after it was given while cut off', async () => {
    await fromCloud(NOON_MS - 2 * HOUR_MS, 'Olga');
    await fromCloud(NOON_MS - HOUR_MS, null);
    await send(release(NOON_MS - 90 * 60_000));
    expect(await released()).toEqual(NOT);
    await fromCloud(NOON_MS, 'Olga');
    await send(clear(NOON_MS - 30 * 60_000));
    expect(await released()).toEqual({ released_at: NOON_MS, released_by: 'Olga' });
    // Each has its entry nevertheless, which says so.
    expect(await isOverruled()).toEqual([true, true]);
  });

  it('counts as the cloud takes it, whatever its clock says, while the gateway is connected', async () => {
    await fromCloud(NOON_MS - 60_000, 'Olga');
    await send(clear(NOON_MS - 7 * 60_000, false));
    expect(await released()).toEqual(NOT);
    expect(await isOverruled()).toEqual([false]);
  });

  it.each([true, false])(
    'does not mask an order of a person by a time that lies ahead (cut off: %s)',
    async (wasCutOff) => {
      for (const ahead of [290_000, 299_999, 10 * 60_000, 365 * 24 * HOUR_MS]) {
        await send(clear(NOON_MS + ahead, wasCutOff));
        await fromCloud(NOON_MS, 'Olga');
        expect(await released()).toEqual({ released_at: NOON_MS, released_by: 'Olga' });
        await send(release(NOON_MS + ahead, wasCutOff));
        await fromCloud(NOON_MS, null);
        expect(await released()).toEqual(NOT);
      }
    },
  );

  it('counts in the order in which the cloud takes it when two gateways give one', async () => {
    await send(release(NOON_MS - HOUR_MS), clear(NOON_MS - 2 * HOUR_MS));
    expect(await released()).toEqual(NOT);
  });
});
