/** How many things need a person, by kind, as `/metrics` has it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { measureTroubles } from '../../../cloud/doors/troubles/trouble-metrics.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { silentLogger } from '../../../shared/logger.js';
import { TROUBLE_KINDS } from '../../../shared/troubles/trouble.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';

let directory: string;
let clock: FakeClock;
let registry: Registry;
let store: CloudStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trouble-gauges-'));
  clock = new FakeClock();
  registry = new Registry();
  store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger: silentLogger });
  measureTroubles(store, { registry, clock, logger: silentLogger });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** Those of which there are any. */
async function counted(): Promise<Record<string, number>> {
  const found = [...(await registry.metrics()).matchAll(/^parking_troubles\{kind="(\w+)"\} (\d+)$/gm)];
  expect(found.map(([, kind]) => kind)).toEqual([...TROUBLE_KINDS]);
  return Object.fromEntries(found.map(([, kind, count]) => [kind, Number(count)]).filter(([, count]) => count !== 0));
}

it('has every kind, without any in an empty database', async () => {
  expect(await counted()).toEqual({});
});

it('counts each error, and what is silent, apart or failing; a minute later what came since', async () => {
  const now = clock.now();
  const old = now - DAY_MS;
  const times = { created_at: old, updated_at: old };
  await store.change(async (tx) => {
    const idOf = async (query: { executeTakeFirstOrThrow(): Promise<{ id: number }> }) =>
      (await query.executeTakeFirstOrThrow()).id;
    const account_id = await idOf(tx.insertInto('accounts').values(accountRow('a')).returning('id'));
    const lot = {
      account_id,
      name: 'North',
      address: '',
      timezone: 'UTC',
      offline_exit: 'open',
      autonomy_days: 31,
      ...times,
    };
    const lot_id = await idOf(
      tx
        .insertInto('lots')
        .values({ ...lot, released_at: old, released_by: 'Gus' } as never)
        .returning('id'),
    );
    const zone = {
      account_id,
      lot_id,
      name: 'Deck',
      description: '',
      spot_count: 9,
      occupancy_max_hours: 72,
      ...times,
    };
    const zone_id = await idOf(tx.insertInto('zones').values(zone).returning('id'));
    await tx
      .insertInto('zone_drifts')
      .values({ zone_id, differs_since: now - HOUR_MS })
      .execute();
    const product = {
      account_id,
      lot_id,
      zone_id: null,
      product_type_id: 2,
      hardware_version: '',
      firmware_version: '',
      status: 'online' as const,
      advertisement_data: '',
      power_type: 'mains',
      pairing_epoch: 1,
      master_key_sealed: 'sealed',
      seen_at: now,
      ...times,
    };
    const products = [
      { name: 'well' },
      { name: 'faulty' },
      { name: 'unpaired', master_key_sealed: null },
      { name: 'lost', status: 'offline' as const, battery_status: 20 },
      { name: 'new', status: 'offline' as const, seen_at: null, created_at: now },
    ];
    await tx
      .insertInto('products')
      .values(products.map((each, at) => ({ ...product, device_id: `00:00:00:00:00:0${at}`, ...each })) as never)
      .execute();
    const faulty = await idOf(tx.selectFrom('products').select('id').where('name', '=', 'faulty'));
    const none = { pin_broken: 0, rtcc_invalid: 0, battery_empty: 0, master_key_not_set: 0 } as const;
    await tx
      .insertInto('product_errors')
      .values({ product_id: faulty, error_code: '3', jammed: 1, sensor_dirty: 1, ...none, ...times })
      .execute();
    const gateway = { account_id, lot_id, uuid: null, slot: 1, slot_generation: 0, claimed_at: old, ...times };
    await tx
      .insertInto('gateways')
      .values({ ...gateway, name: 'Pi', status: 'offline', public_key: 'b', last_seen: old })
      .execute();
    const webhook = { account_id, events: encodeJson([]), secret_sealed: 's', cursor: 0, is_active: 1, ...times };
    await tx
      .insertInto('webhooks')
      .values([
        { ...webhook, url: 'well', last_status: 200 },
        { ...webhook, url: 'fails', last_status: 500 },
        { ...webhook, url: 'gone', last_status: 410, is_active: 0, disabled_at: old },
      ])
      .execute();
  });
  const found = {
    lot_released: 1,
    product_error: 2,
    product_unpaired: 1,
    product_unheard: 1,
    gateway_alone: 1,
    counts_apart: 1,
    webhook_off: 1,
    webhook_failing: 1,
    battery_low: 1,
    awaited: 1,
  };
  expect(await counted()).toEqual(found);
  await store.change(async (tx) => void (await tx.deleteFrom('zone_drifts').execute()));
  expect(await counted()).toEqual(found);
  await clock.advance(MINUTE_MS);
  const { counts_apart: _ended, ...still } = found;
  expect(await counted()).toEqual(still);
});
