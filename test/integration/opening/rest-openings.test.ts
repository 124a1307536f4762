/** Openings over REST: who or what had a product moved, and how that ended, for each way to move one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCT_ACTIONS } from '../../../cloud/console/wording/audit-kinds.js';
import { OPENINGS_KEPT_MS, pruneOpenings } from '../../../cloud/equipment/opening/opening-queries.js';
import { openingSchema } from '../../../cloud/traffic/opening/opening-payload.js';
import type { EventId } from '../../../shared/ids.js';
import type { CommandResultRecord } from '../../../shared/uplink.js';
import { fetchDocument, operationsOf } from '../../contract/openapi-document.js';
import { commandResultOf } from '../../world/agent-records.js';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import { OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { gatewayRow } from '../gateway/link-site.js';
import { noteHeard } from '../product/note-heard.js';
import { readCsv } from '../session/read-csv.js';
import { readingRow } from '../session/reading-rows.js';

type Opening = ReturnType<typeof openingSchema.parse>;

let world: RestWorld;
let gateway: number;
let barrier: number;
let southern: number;

beforeAll(async () => {
  world = await startRestWorld({ commandsPerMin: 0 });
  const { site, cloud } = world;
  gateway = await cloud.store.change(async (tx) => {
    const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'Pi' });
    const online = { ...row, uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' as const };
    return (await tx.insertInto('gateways').values(online).returning('id').executeTakeFirstOrThrow()).id;
  });
  const product = async (device_id: string, zone_id: number, name: string) => {
    const body = { device_id, zone_id, name, product_type_id: 1, master_key: 'ab'.repeat(32) };
    const { id } = await world.post<{ id: number }>('/v2/products', body);
    await noteHeard({ ...cloud, ...cloud.commandParts }, id, { gateway_id: gateway, rssi: -60 });
    return id;
  };
  barrier = await product('a4c138000001', site.zone, 'North in');
  southern = await product('a4c138000002', site.southZone, 'South in');
});
afterAll(() => world.cloud.close());

/** A gateway answers the command that was given last. */
async function answer(
  failure: CommandResultRecord['gateway_error_type'] = null,
  permanent_position: 'disabled' | 'stay_open' = 'disabled',
): Promise<EventId> {
  const { dispatcher, sent } = world.cloud.commandParts;
  const message = sent.at(-1)?.message;
  if (message === undefined) throw new Error('nothing was asked of a gateway');
  const { status, ...result } = commandResultOf(message, failure);
  const record = { ...result, status: status === null ? null : { ...status, permanent_position } };
  await world.cloud.store.change((tx) =>
    dispatcher.applyResult(tx, { gateway_id: gateway, at_ms: world.cloud.clock.now(), record }),
  );
  return message.event_id;
}

const openings = (query = '', token?: string) => world.get<Opening[]>(`/v2/openings?size=300${query}`, token);
const newest = async () => (await openings())[0];

describe('an opening', () => {
  it('names the person who had a product moved, once it has ended', async () => {
    const before = (await openings()).length;
    await world.post(`/v2/products/${barrier}/state`, { operation: 'open' });
    expect(await openings()).toHaveLength(before);
    const event_id = await answer();
    const at = new Date(world.cloud.clock.now()).toISOString();
    expect(openingSchema.parse(await newest())).toEqual({
      id: expect.any(Number) as number,
      at,
      lot_id: world.site.north,
      product_id: barrier,
      operation: 'open',
      cause: 'person',
      by: 'owner@harbour.example',
      outcome: 'succeeded',
      gateway_error: null,
      event_id,
      gateway_id: gateway,
      plate: null,
      plate_reading_id: null,
      plate_sighting_id: null,
      updated_at: at,
    });
  });

  it('says why it failed, and that it was done nevertheless when the product says so late', async () => {
    await world.post(`/v2/products/${barrier}/state`, { operation: 'close' }, GUARD_TOKEN);
    await answer(5);
    const failed = await newest();
    const gateway_error = { type: 5, message: expect.any(String) as string };
    expect(failed).toMatchObject({ by: 'guard@harbour.example', operation: 'close', outcome: 'failed', gateway_error });

    await world.post(`/v2/products/${barrier}/state`, { operation: 'open' });
    await world.cloud.clock.advance(31_000);
    await expect.poll(newest).toMatchObject({ outcome: 'failed', gateway_error: { type: 'Timeout' } });
    await answer();
    expect(await newest()).toMatchObject({ outcome: 'succeeded', gateway_error: null, gateway_id: gateway });
    for (const id of [barrier, southern])
      await noteHeard({ ...world.cloud, ...world.cloud.commandParts }, id, { gateway_id: gateway, rssi: -60 });
  });

  it('names the program, the link and the key', async () => {
    await world.post(`/v2/products/${barrier}/state`, { operation: 'stay_open' }, API_TOKEN);
    await answer();
    expect(await newest()).toMatchObject({ cause: 'token', operation: 'stay_open', by: expect.any(String) as string });

    const link = { product_id: barrier, name: 'Courier', start_time: '2026-01-01T00:00:00Z' };
    const { id, token } = await world.post<{ id: string; token: string }>('/v2/weblinks', link);
    const press = () => world.post(`/v2/weblinks/${id}/operation`, { token, operation: 'open' });
    await press();
    await answer();
    expect(await newest()).toMatchObject({ cause: 'weblink', by: 'Courier' });
    const key = await world.post<{ operation_token_id: number }>('/v2/key-logs', {
      product_id: barrier,
      name: 'Ana',
      receiver_identifier: 'ana@example.com',
      receiver_identifier_type: 'email',
      start_time: '2026-01-01T00:00:00Z',
    });
    await world.cloud.store.change((tx) =>
      tx.updateTable('weblinks').set({ operation_token_id: key.operation_token_id }).where('id', '=', id).execute(),
    );
    await press();
    await answer();
    expect(await newest()).toMatchObject({ cause: 'key', by: 'Courier' });
  });

  it('is, in an emergency, one for each product of the lot', async () => {
    const before = (await newest())?.id ?? 0;
    await world.post(`/v2/lots/${world.site.north}/release`, { hold: 1 });
    await answer(null, 'stay_open');
    await world.post(`/v2/lots/${world.site.north}/release/clear`, {});
    await answer();
    expect(await openings(`&filter=id:gt:${before}`)).toMatchObject([
      { cause: 'emergency', operation: 'clear_stay_open', by: 'owner@harbour.example', product_id: barrier },
      { cause: 'emergency', operation: 'stay_open', by: 'owner@harbour.example', product_id: barrier },
    ]);
  });

  it('is none of a setting that moves nothing', async () => {
    const before = (await openings()).length;
    await world.post(`/v2/products/${barrier}/settings`, { autoclose_time: 20 });
    await answer();
    expect(await openings()).toHaveLength(before);
  });

  it('has the plate of the vehicle that was let in, as it reads now', async () => {
    const { site, cloud } = world;
    const of = { account_id: site.harbour, lot_id: site.north, zone_id: site.zone };
    const { id: plate_reading_id } = await cloud.store.change((tx) =>
      tx
        .insertInto('plate_readings')
        .values(readingRow({ ...of, plate: 'ZG 1', plate_normalised: 'ZG1', at: cloud.clock.now() }))
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    await world.post(`/v2/products/${barrier}/state`, { operation: 'open', plate_reading_id });
    await answer();
    expect(await newest()).toMatchObject({ cause: 'person', plate_reading_id, plate: 'ZG 1' });
    expect(await openings(`&filter=plate_reading_id:eq:${plate_reading_id}`)).toHaveLength(1);
  });
});

describe('the list of openings', () => {
  it('has filters, those of what a person did with an entry in the audit log', async () => {
    const all = await openings();
    for (const [filter, fits] of [
      ['cause:eq:weblink', (each: Opening) => each.cause === 'weblink'],
      ['cause:nin:person,token', (each: Opening) => each.cause !== 'person' && each.cause !== 'token'],
      ['operation:eq:close', (each: Opening) => each.operation === 'close'],
      ['outcome:eq:failed', (each: Opening) => each.outcome === 'failed'],
      [`product_id:eq:${barrier}`, (each: Opening) => each.product_id === barrier],
      ['by:like:guard', (each: Opening) => each.by?.includes('guard') === true],
      ['at:gte:2100-01-01', () => false],
      ['date_from:eq:2000-01-01', () => true],
    ] as const) {
      const found = (await openings(`&filter=${filter}`)).map(({ id }) => id);
      expect([filter, found]).toEqual([filter, all.filter(fits).map(({ id }) => id)]);
    }
    const [entry] = await world.get<{ action: string; details: object }[]>(
      '/v2/audit-log?filter=action:eq:person.search',
    );
    expect(entry?.details).toEqual({ filter: ['by:like:guard'] });
    expect(await world.refused('GET', '/v2/openings?filter=cause:eq:wind')).toEqual([422, '23 filter']);
  });

  it('shows each lot to those who are assigned to it, and nothing to other accounts', async () => {
    await world.post(`/v2/products/${southern}/state`, { operation: 'open' });
    await answer();
    const ofSouth = `&filter=product_id:eq:${southern}`;
    expect(await openings(ofSouth)).toHaveLength(1);
    expect(await openings(ofSouth, GUARD_TOKEN)).toEqual([]);
    expect((await openings('', GUARD_TOKEN)).length).toBeGreaterThan(5);
    expect(await openings('', RIVAL_TOKEN)).toEqual([]);
  });

  it('is a file, too, of which the audit log has an entry', async () => {
    const { status, text } = await world.cloud.ask('GET', '/v2/openings/export?filter=cause:eq:weblink', {
      token: OWNER_TOKEN,
    });
    expect([status, text.split('\r\n', 1)]).toEqual([200, [expect.stringMatching(/^id,at,at_local,/)]]);
    const [row, ...others] = readCsv(text).toReversed();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ product_name: 'North in', cause: 'weblink', by: 'Courier', gateway_name: 'Pi' });
    expect(await world.get('/v2/audit-log?size=1&filter=action:eq:opening.export')).toHaveLength(1);
  });

  it('forgets what is older than a year', async () => {
    const all = await openings();
    await pruneOpenings(world.cloud.store, world.cloud.clock.now() - OPENINGS_KEPT_MS);
    expect(await openings()).toEqual(all);
    const { at = '' } = all.at(-1) ?? {};
    await pruneOpenings(world.cloud.store, Date.parse(at) + 1);
    expect((await openings()).length).toBeLessThan(all.length);
  });
});

describe('the entries of the audit log about barriers and gates', () => {
  it('are all of what moves them: every command of the interface, and every action at a gateway', async () => {
    const document = await fetchDocument(world.cloud.base);
    const commands = operationsOf(document)
      .filter(
        ({ method, path }) => method === 'POST' && /\/products\/|\/release\b|weblinks\/\{id\}\/operation/.test(path),
      )
      .map(({ path }) => path);
    const things: Record<string, string> = { products: 'product', lots: 'lot', weblinks: 'weblink' };
    const actions = commands.map((path) => {
      const [thing = '', ...rest] = path
        .slice('/v2/'.length)
        .split('/')
        .filter((part) => !part.startsWith('{'));
      const rest2 = rest.map((part) => part.replaceAll('-', '_'));
      return rest2[0] === 'bound_licenses' ? 'product.bound_license.create' : [things[thing], ...rest2].join('.');
    });
    expect(actions.length).toBeGreaterThan(5);
    expect(PRODUCT_ACTIONS).toEqual(expect.arrayContaining(actions));
    const filter = `action:in:${PRODUCT_ACTIONS.join(',')}`;
    const found = await world.get<{ action: string }[]>(`/v2/audit-log?size=300&filter=${filter}`);
    const met = new Set(found.map(({ action }) => action));
    expect([...met].toSorted()).toEqual([
      'lot.release',
      'lot.release.clear',
      'product.create',
      'product.settings',
      'product.state',
      'weblink.operation',
    ]);
  });
});
