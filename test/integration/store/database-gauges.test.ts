/** What is measured by asking the database: of gateways, of records that wait for others, and of deliveries. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { measureGateways } from '../../../cloud/equipment/gateway/gateway-metrics.js';
import { measureEarlyRecords } from '../../../cloud/traffic/ingest/ingest-metrics.js';
import { insertEarlyRecords } from '../../../cloud/traffic/ingest/ingest-queries.js';
import type { EarlyRecord } from '../../../cloud/traffic/ingest/read/kept-record-codec.js';
import { journalExtent } from '../../../cloud/kernel/store/journal-queries.js';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { waitingDeliveries } from '../../../cloud/kernel/delivery/delivery-queries.js';
import { measureWebhooks } from '../../../cloud/doors/webhook/webhook-dispatcher.js';
import { encodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';
import { plansOf } from '../list/query-plans.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { onPostgres } from '../../world/postgres-databases.js';

let directory: string;
let clock: FakeClock;
let registry: Registry;
let store: CloudStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'database-gauges-'));
  clock = new FakeClock();
  registry = new Registry();
  store = await openMigratedStore({ url: `sqlite:${join(directory, 'cloud.db')}`, clock, logger: silentLogger });
  const deps = { registry, clock, logger: silentLogger };
  measureGateways(store, deps);
  measureEarlyRecords(store, deps);
  measureWebhooks(store, deps);
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const values = async () => {
  await clock.advance(5_000);
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('parking_'));
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
};

it.skipIf(onPostgres())('goes through no table to find it', async () => {
  const plans = await plansOf(store, async (db) => {
    await journalExtent(db);
    await waitingDeliveries(db, 'webhook_deliveries');
  });
  expect(plans.flat().filter((step) => step.startsWith('SCAN'))).toEqual([
    // There is a row for each account.
    'SCAN journal_heads',
    'SCAN events USING INDEX events_created_at',
    // It has those that wait, and no others.
    expect.stringMatching(/^SCAN webhook_deliveries USING INDEX webhook_deliveries_/),
  ]);
});

it('counts nothing in an empty database', async () => {
  expect(await values()).toEqual({
    parking_gateways_claimed: '0',
    parking_gateways_online: '0',
    parking_gateways_held: '0',
    parking_gateway_stores_failed: '0',
    parking_gateway_radio_recoveries: '0',
    parking_gateway_radio_frees: '0',
    parking_gateway_radio_rescans: '0',
    parking_gateway_radio_resets: '0',
    parking_gateway_radio_restarts: '0',
    parking_gateway_radio_power_cycles: '0',
    parking_early_records_waiting: '0',
    parking_early_records_waiting_oldest_seconds: '0',
    parking_webhook_deliveries_waiting: '0',
    parking_webhook_deliveries_waiting_oldest_seconds: '0',
  });
});

it('counts gateways, and what waits with the age of the oldest', async () => {
  await store.change(async (tx) => {
    const now = clock.now();
    const times = { created_at: now, updated_at: now };
    const { id: account_id } = await tx
      .insertInto('accounts')
      .values(accountRow('a'))
      .returning('id')
      .executeTakeFirstOrThrow();
    const gateway = { account_id, uuid: null, public_key: null, slot: 1, slot_generation: 0, ...times };
    await tx
      .insertInto('gateways')
      .values([
        { ...gateway, name: 'not claimed', status: 'offline' },
        { ...gateway, name: 'offline', status: 'offline', public_key: 'b' },
        { ...gateway, name: 'online', status: 'online', public_key: 'c' },
      ])
      .execute();
    const ids = await tx.selectFrom('gateways').select('id').orderBy('id').execute();
    const [gateway_id = 0, quiet = 0] = ids.map(({ id }) => id);
    await tx
      .insertInto('gateway_holds')
      .values([
        { gateway_id, held_count: 9, held_at: now - 500_000 },
        { gateway_id: quiet, held_count: 9, held_at: now - 700_000 },
      ])
      .execute();
    const early = { gateway_id, waits_for_uid: 'x', record: encodeJson({}) as unknown as JsonText<EarlyRecord> };
    await insertEarlyRecords(tx, [
      { ...early, uid: '1', created_at: now - 60_000 },
      { ...early, uid: '2', created_at: now },
    ]);
    const { id: webhook_id } = await tx
      .insertInto('webhooks')
      .values({ account_id, url: 'u', events: encodeJson([]), is_active: 1, secret_sealed: 's', cursor: 0, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const delivery = {
      webhook_id,
      lot_id: 1,
      event: 'zone_change' as const,
      payload: encodeJson({}) as never,
      occurred_at: now,
      attempts: 0,
      tries_began_at: now,
      next_attempt_at: now,
    };
    await tx
      .insertInto('webhook_deliveries')
      .values([
        { ...delivery, journal_id: 1, created_at: now - 120_000, ended_at: now },
        { ...delivery, journal_id: 2, created_at: now - 30_000, ended_at: null },
      ])
      .execute();
  });
  expect(await values()).toEqual({
    parking_gateways_claimed: '2',
    parking_gateways_online: '1',
    parking_gateways_held: '1',
    parking_gateway_stores_failed: '0',
    parking_gateway_radio_recoveries: '0',
    parking_gateway_radio_frees: '0',
    parking_gateway_radio_rescans: '0',
    parking_gateway_radio_resets: '0',
    parking_gateway_radio_restarts: '0',
    parking_gateway_radio_power_cycles: '0',
    parking_early_records_waiting: '2',
    parking_early_records_waiting_oldest_seconds: '65',
    parking_webhook_deliveries_waiting: '1',
    parking_webhook_deliveries_waiting_oldest_seconds: '35',
  });
});
