/** Commands over REST: who may, what is checked and in which order. */
import * as nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { createCommands } from '../../../cloud/equipment/command/commands.js';
import { findProductDetails } from '../../../cloud/equipment/product/product-detail-queries.js';
import type { EventId } from '../../../shared/ids.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN, seedSite, type Site } from '../http/http-site.js';
import { type Answer, type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { gatewayRow } from '../gateway/link-site.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import { commandResultOf } from '../../world/agent-records.js';
import { readingRow } from '../session/reading-rows.js';
import { addCommandProduct } from './command-product.js';
import { noteHeard } from '../product/note-heard.js';
import { saveReleaseOrder } from '../../../cloud/site/lot/lot-queries.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const OWNER = 'owner@harbour.example';
const SECOND = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02';

let cloud: CloudWorld;
let site: Site;
let level: { north: number; south: number };
let gateway: number;
let second: number;
let barrier: number;
let gate: number;
let southern: number;

beforeAll(async () => {
  cloud = await startCloudWorld({ commandsPerMin: 3 });
  site = await seedSite(cloud.store);
  level = await cloud.store.change(async (tx) => {
    const zone = async (lot_id: number) => {
      const row = { account_id: site.harbour, lot_id, name: 'Level', description: '', spot_count: 0 };
      const times = { occupancy_max_hours: 72, created_at: 0, updated_at: 0 };
      return (
        await tx
          .insertInto('zones')
          .values({ ...row, ...times })
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id;
    };
    return { north: await zone(site.north), south: await zone(site.south) };
  });
  gateway = await addGateway(GATEWAY, 1);
  second = await addGateway(SECOND, 2);
});
afterAll(() => cloud.close());

let made = 0;
beforeEach(async () => {
  cloud.commandParts.sent.length = 0;
  await cloud.store.change(async (tx) => {
    await tx.updateTable('accounts').set({ remote_control: 1 }).execute();
    await tx.deleteFrom('products').execute();
  });
  [barrier, gate, southern] = [
    await addProduct({ type: 1, lot: 'north' }),
    await addProduct({ type: 2, lot: 'north' }),
    await addProduct({ type: 2, lot: 'south' }),
  ];
  for (const id of [barrier, gate, southern]) await sees(id);
});

function addGateway(uuid: string, slot: number): Promise<number> {
  const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot, name: uuid });
  return cloud.store.change(async (tx) => {
    const claimed = { ...row, uuid, status: 'online' as const };
    return (await tx.insertInto('gateways').values(claimed).returning('id').executeTakeFirstOrThrow()).id;
  });
}

function addProduct({ type, lot, unpaired = false }: { type: number; lot: 'north' | 'south'; unpaired?: boolean }) {
  made += 1;
  const place = { account_id: site.harbour, lot_id: site[lot], zone_id: level[lot] };
  return addCommandProduct(cloud, { ...place, product_type_id: type, number: made, isPaired: !unpaired });
}

const sees = (product_id: number, rssi = -60, gateway_id = gateway) =>
  noteHeard({ ...cloud, ...cloud.commandParts }, product_id, { gateway_id, rssi });
const post = (path: string, json: unknown = {}, token = OWNER_TOKEN) => cloud.ask('POST', path, { token, json });
const state = (product_id: number, operation: string, token?: string) =>
  post(`/v2/products/${product_id}/state`, { operation }, token);
const codes = ({ status, body }: Answer) => [status, ...(body.errors ?? []).map(({ code, field }) => field ?? code)];
const accepted = ({ status, body }: Answer) => {
  expect(status).toBe(200);
  return (body.data as { event_id: EventId }).event_id;
};

/** The product answers at once, and well. */
const succeed = (event_id: EventId): Promise<void> => answerOf(event_id, null);
/** It is jammed. */
const fail = (event_id: EventId): Promise<void> => answerOf(event_id, 5);

async function answerOf(event_id: EventId, failure: CommandResultRecord['gateway_error_type']): Promise<void> {
  const product_id = cloud.commandParts.sent.findLast(({ message }) => message.event_id === event_id)?.message
    .product_id;
  const { dispatcher } = cloud.commandParts;
  const isKnown = await cloud.store.change((tx) =>
    dispatcher.applyResult(tx, {
      gateway_id: gateway,
      at_ms: cloud.clock.now(),
      record: commandResultOf({ event_id, product_id: product_id ?? 0 }, failure),
    }),
  );
  if (!isKnown) throw new Error('nobody asked for this');
}

describe('the checks of a command', () => {
  it('are made in the order of the contract', async () => {
    const { store } = cloud;
    const clear = (json: unknown = { operation: 'clear_stay_open' }, token?: string) =>
      post(`/v2/products/${barrier}/state`, json, token);
    accepted(await state(barrier, 'close'));
    await store.change((tx) => tx.deleteFrom('product_receptions').where('gateway_id', '=', gateway).execute());
    await store.change((tx) => tx.updateTable('accounts').set({ remote_control: 0 }).execute());

    expect(codes(await clear({}, 'nobody'))).toEqual([401, 1]);
    expect(codes(await clear({}, RIVAL_TOKEN))).toEqual([404, 6]);
    expect(codes(await clear({}))).toEqual([422, 'operation']);
    expect(codes(await clear())).toEqual([422, 'operation']);
    await store.change((tx) =>
      tx
        .updateTable('product_blocks')
        .set({ permanent_position: 'stay_open' })
        .where('product_id', '=', barrier)
        .execute(),
    );
    expect(codes(await clear())).toEqual([403, 214]);
    await store.change((tx) => tx.updateTable('commands').set({ status: 'failed', ended_at: 1 }).execute());
    expect(codes(await clear())).toEqual([403, 704]);
    await sees(barrier);
    expect(codes(await clear())).toEqual([403, 30]);
    await store.change((tx) => tx.updateTable('accounts').set({ remote_control: 1 }).execute());
    accepted(await clear());
  });

  it.each(['/v2/products/ID/state', '/v2/products/ID/settings'])('%s: values are told all at once', async (path) => {
    const body = { operation: 7, is_autoclose: 2, autoclose_time: 256, colour: 'red' };
    const answer = await post(path.replace('ID', String(barrier)), body);
    const wrong = path.endsWith('state')
      ? ['autoclose_time', 'colour', 'is_autoclose', 'operation']
      : ['autoclose_time', 'colour', 'is_autoclose', 'operation'];
    expect([answer.status, answer.body.errors?.map(({ field }) => field).toSorted()]).toEqual([422, wrong]);
  });

  it('may come with a reason: one line of 1 to 500 characters, of which the command knows nothing', async () => {
    const give = (reason: unknown) => post(`/v2/products/${gate}/state`, { operation: 'open', reason });
    for (const wrong of ['', '  ', 'x'.repeat(501), 'two\nlines', null, 7, ['a']])
      expect([wrong, ...codes(await give(wrong))]).toEqual([wrong, 422, 'reason']);
    expect(cloud.commandParts.sent).toEqual([]);
    await succeed(accepted(await give(` ${'x'.repeat(500)} `)));
    expect(JSON.stringify(cloud.commandParts.sent)).not.toContain('xxx');
  });

  it('count a signal from -95 dBm on, for two minutes', async () => {
    for (const [rssi, status] of [
      [-96, 403],
      [-95, 200],
    ] as const) {
      await sees(gate, rssi);
      expect((await state(gate, 'open')).status).toBe(status);
    }
    await sees(barrier);
    await cloud.clock.advance(120_001);
    expect(codes(await state(barrier, 'open'))).toEqual([403, 704]);
  });

  it('never let a product through that is not paired', async () => {
    const unpaired = await addProduct({ type: 2, lot: 'north', unpaired: true });
    await sees(unpaired);
    expect(codes(await state(unpaired, 'open'))).toEqual([403, 704]);
  });

  it('limit commands of a product to so many a minute, but never an opening', async () => {
    for (let count = 0; count < 3; count++) await succeed(accepted(await state(gate, 'close')));
    const spent = await state(gate, 'close');
    expect(codes(spent)).toEqual([429, 429]);
    expect(Number(spent.headers.get('retry-after'))).toBe(60);
    expect((await post(`/v2/products/${gate}/settings`, { permanent_position: 'stay_close' })).status).toBe(429);
    for (let count = 0; count < 5; count++) await succeed(accepted(await state(gate, 'open')));
    await succeed(accepted(await state(gate, 'stay_open')));
    await succeed(accepted(await state(barrier, 'close')));
    await cloud.clock.advance(60_000);
    await sees(gate);
    await succeed(accepted(await state(gate, 'close')));
  });
});

describe('who may command', () => {
  it('is everybody of the account, Attendants too, in the lots assigned to them', async () => {
    await succeed(accepted(await state(gate, 'open', GUARD_TOKEN)));
    accepted(await state(barrier, 'open', API_TOKEN));
    expect(codes(await state(southern, 'open', GUARD_TOKEN))).toEqual([404, 6]);
    const event_id = accepted(await state(southern, 'open'));
    expect(codes(await cloud.ask('GET', `/v2/commands/${event_id}`, { token: GUARD_TOKEN }))).toEqual([404, 6]);
    expect((await cloud.ask('GET', `/v2/commands/${event_id}`, { token: OWNER_TOKEN })).status).toBe(200);
    expect(codes(await post(`/v2/lots/${site.south}/release`, {}, GUARD_TOKEN))).toEqual([404, 6]);
  });
});

describe('a command', () => {
  it('can be asked for, with all its keys', async () => {
    const event_id = accepted(await state(gate, 'stay_close'));
    const at = new Date(cloud.clock.now()).toISOString();
    expect((await cloud.ask('GET', `/v2/commands/${event_id}`, { token: OWNER_TOKEN })).body).toEqual({
      success: true,
      data: {
        event_id,
        product_id: gate,
        operation: 'stay_close',
        status: 'pending',
        gateway_error: null,
        attempts: [{ gateway_uuid: GATEWAY, rssi: -60, started_at: at, ended_at: null, outcome: null }],
        created_at: at,
        ended_at: null,
      },
    });
    for (const path of ['/v2/commands/12345678', '/v2/commands/ABCDEF01', '/v2/commands/1', '/v2/commands/123456789']) {
      expect(codes(await cloud.ask('GET', path, { token: OWNER_TOKEN }))).toEqual([404, 6]);
    }
  });

  it('keeps the setting of a barrier that it does not name', async () => {
    await succeed(accepted(await post(`/v2/products/${barrier}/settings`, { autoclose_time: 33 })));
    accepted(await post(`/v2/products/${barrier}/settings`, { is_autoclose: false }));
    expect(cloud.commandParts.sent.map(({ message }) => message.command)).toEqual([
      { name: 'autoclose', on: true, seconds: 33 },
      { name: 'autoclose', on: false, seconds: 20 },
    ]);
    expect(codes(await post(`/v2/products/${barrier}/settings`, { permanent_position: 'disabled' }))).toEqual([
      422,
      'permanent_position',
    ]);
  });

  it('gets an event_id that no other has', async () => {
    const { store, clock, commandParts } = cloud;
    const ids = ['aaaaaaaa', 'aaaaaaaa', 'aaaaaaaa', 'bbbbbbbb'] as EventId[];
    const generateEventId = () => ids.shift() ?? ('cccccccc' as EventId);
    const { dispatcher } = commandParts;
    const limits = { ratePerMin: 0, seenWithinMs: 120_000 };
    const commands = createCommands({ dispatcher, clock, generateEventId, ...limits });
    const open = async (id: number) => {
      const details = await findProductDetails(store.reader, id);
      return details === null ? null : commands.operate(ownChange(store), details, { operation: 'open' });
    };
    expect([await open(barrier), await open(gate)]).toEqual(['aaaaaaaa', 'bbbbbbbb']);
  });
});

describe('the vehicle that a command answers', () => {
  /** One of each list, in North. */
  const addVehicles = (created_at: number) =>
    cloud.store.change(async (tx) => {
      const place = { account_id: site.harbour, lot_id: site.north, zone_id: level.north };
      const reading = readingRow({ ...place, plate: 'ZG1', plate_normalised: 'ZG1', at: created_at });
      const sighting = {
        ...place,
        uid: nodeCrypto.randomUUID(),
        lpr_camera_id: 7,
        direction: 'in' as const,
        created_at,
      };
      const add = async (table: 'plate_readings' | 'sightings', row: object) =>
        (
          await tx
            .insertInto(table)
            .values(row as never)
            .returning('id')
            .executeTakeFirstOrThrow()
        ).id;
      return {
        plate_reading_id: await add('plate_readings', reading),
        plate_sighting_id: await add('sightings', sighting),
      };
    });
  const answering = (json: Record<string, unknown>, id = barrier) =>
    post(`/v2/products/${id}/state`, { operation: 'open', ...json });
  const TEN_MINUTES_MS = 10 * 60_000;

  it('was there within ten minutes, at the lot of the product', async () => {
    const { store, clock } = cloud;
    const vehicles = await addVehicles(clock.now());
    for (const [field, id] of Object.entries(vehicles)) {
      expect(codes(await answering({ [field]: id }, southern))).toEqual([422, field]);
      expect(codes(await answering({ [field]: id + 1_000 }))).toEqual([422, field]);
      expect(codes(await answering({ [field]: 'x' }))).toEqual([422, field]);
    }
    await clock.advance(TEN_MINUTES_MS);
    for (const id of [barrier, gate]) await sees(id);
    await succeed(accepted(await answering(vehicles)));
    const { details } = await store.reader
      .selectFrom('audit_log')
      .select('details')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(details)).toMatchObject({ values: vehicles });
    await clock.advance(1);
    for (const [field, id] of Object.entries(vehicles))
      expect(codes(await answering({ [field]: id }))).toEqual([422, field]);
    expect(codes(await answering(vehicles))).toEqual([422, 'plate_reading_id', 'plate_sighting_id']);
    await succeed(accepted(await answering({})));
  });

  const handledOf = async ({ plate_reading_id, plate_sighting_id }: Awaited<ReturnType<typeof addVehicles>>) => {
    const { reader } = cloud.store;
    const of = (table: 'plate_readings' | 'sightings', id: number) =>
      reader.selectFrom(table).select(['handled_by', 'handled_how']).where('id', '=', id).executeTakeFirstOrThrow();
    return [await of('plate_readings', plate_reading_id), await of('sightings', plate_sighting_id)];
  };
  const WAITING = { handled_by: null, handled_how: null };

  it('is let in by who gave the command when the product has opened, and waits while it runs and when it failed', async () => {
    const vehicles = await addVehicles(cloud.clock.now());
    const failing = accepted(await answering(vehicles));
    expect(await handledOf(vehicles)).toEqual([WAITING, WAITING]);
    await fail(failing);
    expect(await handledOf(vehicles)).toEqual([WAITING, WAITING]);
    await sees(gate);
    await succeed(accepted(await answering({ ...vehicles, operation: 'close' }, gate)));
    expect(await handledOf(vehicles)).toEqual([WAITING, WAITING]);
    await sees(gate);
    await succeed(accepted(await answering(vehicles, gate)));
    const letIn = { handled_by: expect.stringMatching(/\S/), handled_how: 'let_in' };
    expect(await handledOf(vehicles)).toEqual([letIn, letIn]);
  });
});

describe('the release of a lot', () => {
  const release = async (path: string, json: unknown = {}) => {
    const { status, body } = await post(`/v2/lots/${site.north}/${path}`, json);
    expect(status).toBe(200);
    const { event_ids } = body.data as { event_ids: EventId[] };
    return Promise.all(
      event_ids.map(async (event_id) => {
        const { body: command } = await cloud.ask('GET', `/v2/commands/${event_id}`, { token: OWNER_TOKEN });
        return command.data as Record<string, unknown>;
      }),
    );
  };
  const oneOf = (commands: Record<string, unknown>[], product_id: number) =>
    commands.find((command) => command.product_id === product_id);

  it('asks for nothing but the right: no signal, no subscription, no patience, no count', async () => {
    const unseen = await addProduct({ type: 3, lot: 'north' });
    const unpaired = await addProduct({ type: 4, lot: 'north', unpaired: true });
    await sees(gate, -110, second);
    for (let count = 0; count < 3; count++) await succeed(accepted(await state(barrier, 'close')));
    accepted(await state(barrier, 'open'));
    await cloud.store.change((tx) => tx.updateTable('accounts').set({ remote_control: 0 }).execute());

    const commands = await release('release');
    expect(oneOf(commands, barrier)).toMatchObject({ operation: 'open', status: 'pending' });
    expect(oneOf(commands, gate)).toMatchObject({ attempts: [{ gateway_uuid: GATEWAY, rssi: -60 }] });
    expect(oneOf(commands, unseen)).toMatchObject({ status: 'pending', attempts: [{ rssi: null }] });
    expect(oneOf(commands, unpaired)).toMatchObject({
      status: 'failed',
      gateway_error: { type: 8, message: 'Device not initialized' },
      attempts: [],
    });
    expect(oneOf(commands, southern)).toBeUndefined();

    // Handing over too, to a gateway that hears it faintly.
    await cloud.clock.advance(30_000);
    const path = `/v2/commands/${String(oneOf(commands, gate)?.event_id)}`;
    const attempts = async () => {
      const { body } = await cloud.ask('GET', path, { token: OWNER_TOKEN });
      return (body.data as { attempts: { outcome: string | null }[] }).attempts;
    };
    await waitUntil('the next gateway', async () => (await attempts()).length === 2);
    expect(await attempts()).toMatchObject([
      { outcome: 'timeout' },
      { gateway_uuid: SECOND, rssi: -110, outcome: null },
    ]);
  });

  it('asks the gateway first that is at the product, which takes one client', async () => {
    await sees(barrier, -62, second);
    const closing = accepted(await state(barrier, 'close'));
    const commands = await release('release');
    expect(oneOf(commands, barrier)).toMatchObject({ status: 'pending', attempts: [{ gateway_uuid: GATEWAY }] });
    await succeed(closing);
  });

  it('holds and is cleared, where it holds or is about to', async () => {
    const held = await release('release', { hold: true });
    expect(held.every(({ operation }) => operation === 'stay_open')).toBe(true);
    await cloud.store.change(async (tx) => {
      await tx.updateTable('commands').set({ status: 'failed', ended_at: 1 }).where('product_id', '!=', gate).execute();
      const block = tx.updateTable('product_blocks').set({ permanent_position: 'stay_open' });
      await block.where('product_id', '=', barrier).execute();
    });
    const cleared = await release('release/clear');
    expect(cleared.map(({ product_id, operation }) => [product_id, operation])).toEqual([
      [barrier, 'clear_stay_open'],
      [gate, 'clear_stay_open'],
    ]);
  });

  const lot = async (token = GUARD_TOKEN) => {
    const { body } = await cloud.ask('GET', `/v2/lots/${site.north}`, { token });
    return body.data as { released_at: string | null; released_by: string | null };
  };
  const endAll = () =>
    cloud.store.change((tx) => tx.updateTable('commands').set({ status: 'succeeded', ended_at: 1 }).execute());

  it('is shown to every role from its beginning to its end', async () => {
    await release('release');
    await release('release/clear');
    expect(await lot()).toMatchObject({ released_at: null, released_by: null });
    await release('release', { hold: true });
    const released_at = new Date(cloud.clock.now()).toISOString();
    await cloud.clock.advance(1_000);
    // Once more, for a product that did not move: it is open since the first time.
    await post(`/v2/lots/${site.north}/release`, { hold: 1 }, API_TOKEN);
    expect(await lot()).toMatchObject({ released_at, released_by: OWNER });
    expect(await lot(API_TOKEN)).toMatchObject({ released_at, released_by: OWNER });
    const { body } = await cloud.ask('GET', `/v2/lots?filter=name:eq:North`, { token: GUARD_TOKEN });
    expect(body.data).toMatchObject([{ released_at, released_by: OWNER }]);
    await release('release/clear');
    expect(await lot()).toMatchObject({ released_at: null, released_by: null });
    await post(`/v2/lots/${site.north}/release`, { hold: 1 }, API_TOKEN);
    expect((await lot()).released_by).not.toBe(OWNER);
    await release('release/clear');
  });

  it('is ended for a product only by who says so', async () => {
    await release('release', { hold: true });
    const refused = [422, 'during_release'];
    const settings = (json: unknown) => post(`/v2/products/${gate}/settings`, json);
    const stateOf = (id: number, json: unknown) => post(`/v2/products/${id}/state`, json);
    // Before everything else that is wrong, as the commands of the release are under way.
    for (const operation of ['close', 'force_close', 'stay_close'])
      expect(codes(await state(gate, operation))).toEqual(refused);
    await endAll();
    for (const operation of ['close', 'force_close', 'stay_close'])
      expect(codes(await state(barrier, operation))).toEqual(refused);
    expect(codes(await settings({ permanent_position: 'stay_close' }))).toEqual(refused);
    expect(codes(await stateOf(gate, { operation: 'close', during_release: false }))).toEqual(refused);
    expect(codes(await stateOf(gate, { operation: 'close', during_release: 1 }))).toEqual(refused);
    expect(codes(await settings({ during_release: true }))[0]).toBe(422);
    // What opens or moves nothing, and other lots, do as ever.
    await succeed(accepted(await state(gate, 'open')));
    await cloud.store.change((tx) =>
      tx.updateTable('product_blocks').set({ permanent_position: 'stay_open' }).execute(),
    );
    await succeed(accepted(await settings({ permanent_position: 'disabled' })));
    await sees(southern);
    await succeed(accepted(await state(southern, 'close')));
    await succeed(accepted(await settings({ permanent_position: 'stay_close', during_release: true })));
    await succeed(accepted(await stateOf(barrier, { operation: 'close', during_release: true })));
    expect((await lot()).released_at).not.toBeNull();
    await release('release/clear');
    await endAll();
    await succeed(accepted(await state(barrier, 'force_close')));
  });

  it('is not ended by a close of before that finds another gateway', async () => {
    await sees(gate, -62, second);
    const closing = accepted(await state(gate, 'close'));
    await cloud.clock.advance(1);
    await release('release', { hold: true });
    await cloud.clock.advance(30_000);
    const path = `/v2/commands/${closing}`;
    const command = async () => (await cloud.ask('GET', path, { token: OWNER_TOKEN })).body.data;
    await waitUntil('its end', async () => ((await command()) as { status: string }).status === 'failed');
    expect(await command()).toMatchObject({ attempts: [{ gateway_uuid: GATEWAY, outcome: 'timeout' }] });
    await release('release/clear');
  });

  it('is not ended by a close from before the cloud heard of it, however long ago it was ordered at a gateway', async () => {
    await sees(gate, -62, second);
    const closing = accepted(await state(gate, 'close'));
    await cloud.clock.advance(1);
    const now = cloud.clock.now();
    const order = { lot_id: site.north, from: 'gateway', at: now - 60_000, now, released_by: 'Entrance' } as const;
    await cloud.store.change((tx) => saveReleaseOrder(tx, order));
    await cloud.clock.advance(30_000);
    const command = async () =>
      (await cloud.ask('GET', `/v2/commands/${closing}`, { token: OWNER_TOKEN })).body.data as { status: string };
    await waitUntil('its end', async () => (await command()).status === 'failed');
    expect(await command()).toMatchObject({ attempts: [{ gateway_uuid: GATEWAY }] });
    await release('release/clear');
  });

  it('refuses what it does not know', async () => {
    expect(codes(await post(`/v2/lots/${site.north}/release`, { hold: 2 }))).toEqual([422, 'hold']);
    expect(codes(await post(`/v2/lots/${site.north}/release/clear`, { hold: 1 }))).toEqual([422, 'hold']);
    expect(codes(await post(`/v2/lots/${site.rivalLot}/release`))).toEqual([404, 6]);
    expect(codes(await post('/v2/lots/x/release'))).toEqual([404, 6]);
  });
});
