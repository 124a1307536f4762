/** What `apply --prune` may not remove, and what goes with what it removes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { type ApplyWorld, createApplyWorld } from './apply-world.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';

interface Here {
  lot?: boolean;
  zone?: boolean;
  product?: boolean;
  gateway?: boolean;
}

/** An account with a lot, as far as its things are still declared. */
function siteText({ lot = true, zone = true, product = true, gateway = true }: Here = {}): string {
  const barrier = { device_id: 'a4c138000001', name: 'Barrier', type: 'barrier', master_key: 'ab'.repeat(32) };
  const level = { name: 'Level 0', tariffs: ['Public'], products: product ? [barrier] : [] };
  const north = {
    name: 'North',
    timezone: 'Europe/Zagreb',
    gateways: gateway ? [{ name: 'Pi', uuid: UUID }] : [],
    zones: zone ? [level] : [],
  };
  const account = {
    name: 'Harbour',
    users: [{ email: 'owner@harbour.example', name: 'Olga' }],
    tariffs: [{ name: 'Public', currency: 'EUR', price: 1.5 }],
    lots: lot ? [north] : [],
  };
  // JSON is YAML.
  return JSON.stringify({ version: 1, accounts: [account] });
}

let world: ApplyWorld;
beforeEach(async () => {
  world = await createApplyWorld();
  expect((await world.apply(siteText())).code).toBe(0);
});
afterEach(() => world.close());

const only = async <Table extends 'lots' | 'zones' | 'products' | 'gateways'>(table: Table) => {
  const { id } = await world.store.reader
    .selectFrom(table as 'lots')
    .select('id')
    .executeTakeFirstOrThrow();
  return id;
};

async function openSession(): Promise<void> {
  const [lot_id, zone_id] = [await only('lots'), await only('zones')];
  const session: Partial<NewRow<'sessions'>> = {
    uid: 'a0000000-0000-4000-8000-000000000001',
    public_id: 'AAAAAAAAAA',
    account_id: 1,
    lot_id,
    zone_id,
    plate_normalised: 'ZG1',
    entry_type: 'attendant',
    entry_source_id: 1,
    ended_by_look_alike: 0,
    amount_paid_minor: 0,
    created_at: 1,
    updated_at: 1,
  };
  await world.store.change((tx) =>
    tx
      .insertInto('sessions')
      .values(session as NewRow<'sessions'>)
      .execute(),
  );
}

async function pendingCommand(): Promise<void> {
  const product_id = await only('products');
  await world.store.change((tx) =>
    tx
      .insertInto('commands')
      .values({
        event_id: '0a0b0c0d',
        account_id: 1,
        lot_id: 1,
        product_id,
        operation: 'open',
        command: '{"name":"open"}',
        status: 'pending',
        gateway_error_type: null,
        created_at: 1,
        ended_at: null,
      } as NewRow<'commands'>)
      .execute(),
  );
}

const SESSIONS = 'has 1 open session: close it first';
const COMMAND = 'has the command 0a0b0c0d, which has not ended: wait for it';

describe.each(['for real', 'as a dry run'])('what is in use is not pruned, %s', (how) => {
  const dryRun = how === 'as a dry run';

  it.each([
    ['a zone with an open session', openSession, { zone: false }, [`zone North/Level 0|${SESSIONS}`]],
    [
      'a lot with an open session',
      openSession,
      { lot: false },
      [`lot North|${SESSIONS}`, `zone North/Level 0|${SESSIONS}`],
    ],
    ['a product with a pending command', pendingCommand, { product: false }, [`product a4c138000001|${COMMAND}`]],
    [
      'a lot whose product has one',
      pendingCommand,
      { lot: false },
      [`lot North|${COMMAND}`, `product a4c138000001|${COMMAND}`],
    ],
  ] as const)('%s', async (_what, use, here, problems) => {
    await use();
    const { code, err } = await world.apply(siteText(here), { prune: true, dryRun });
    expect(code).toBe(2);
    const said = problems.map((problem) => {
      const [label, reason] = problem.split('|');
      return expect.stringContaining(`${label} is not in the file and cannot be removed, because it ${reason}`);
    });
    expect(err.slice(0, -1).toSorted()).toEqual(said);
    expect(await only('lots')).toBe(1);
    expect(await only('products')).toBe(1);
    // Without --prune the file changes nothing of it.
    expect((await world.apply(siteText(here))).code).toBe(0);
  });
});

it('cuts off the gateways of what is pruned: they are told of as offline, once', async () => {
  await world.store.change((tx) => tx.updateTable('gateways').set({ status: 'online' }).execute());
  expect((await world.apply(siteText({ lot: false }), { prune: true })).code).toBe(0);
  const events = await world.store.reader.selectFrom('events').select(['lot_id', 'event', 'payload']).execute();
  expect(events.map(({ payload, ...event }) => ({ ...event, ...JSON.parse(payload) }))).toEqual([
    { lot_id: 1, event: 'gateway_status', uuid: UUID, status: 'offline' },
  ]);
});

it('leaves whoever saw a pruned lot the right to its history, and gives none to others', async () => {
  expect((await world.apply(siteText({ lot: false }), { prune: true })).code).toBe(0);
  const { reader } = world.store;
  expect(await reader.selectFrom('account_user_lots').selectAll().execute()).toEqual([
    { account_user_id: 1, lot_id: 1 },
  ]);
  expect(await reader.selectFrom('deleted_lots').select(['id', 'name', 'timezone']).execute()).toEqual([
    { id: 1, name: 'North', timezone: 'Europe/Zagreb' },
  ]);
  const again = await world.apply(siteText(), { prune: true });
  expect([again.code, again.of('created')]).toEqual([0, expect.arrayContaining(['lot North'])]);
  expect(await reader.selectFrom('account_user_lots').select('lot_id').execute()).toEqual([
    { lot_id: 1 },
    { lot_id: 2 },
  ]);
});
