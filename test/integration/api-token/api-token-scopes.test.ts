/** What an API token may no more than: its role, its lots, and until when. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newApiTokenSchema } from '../../../cloud/site/api-token/api-token-resource.js';
import { journalEvents } from '../http/http-site.js';
import { ADMIN_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { connectRealtime, type RealtimeClient } from '../realtime/listening-client.js';
import { HOUR_MS } from '../../../shared/durations.js';

let world: RestWorld;
let north: number;
let south: number;
const clients: RealtimeClient[] = [];

beforeEach(async () => {
  world = await startRestWorld();
  [north = 0, south = 0] = (await world.ids('/v2/lots')).toSorted((a, b) => a - b);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await world.cloud.close();
});

const create = async (keys: object) =>
  newApiTokenSchema.parse(await world.post('/v2/api-tokens', { name: 'console', ...keys }));
const tokenOf = async (keys: object): Promise<string> => (await create(keys)).token ?? '';
const statusOf = async (token: string, method = 'GET', path = '/v2/lots') =>
  (await world.cloud.ask(method, path, { token })).status;
const listen = async (token: string) => {
  const client = await connectRealtime(world.cloud.base, { client: { headers: { authorization: `Bearer ${token}` } } });
  clients.push(client);
  await client.until((frames) => frames.length > 0);
  return client;
};
const journalOf = (lot_id: number, uuid: string) =>
  journalEvents(world.cloud.store, { account_id: world.site.harbour, lot_id, uuid });
const lotsOfOwner = (lot_ids: number[]) => world.patch(`/v2/account-users/${world.site.owner}`, { lot_ids });

describe('an API token', () => {
  it('without more than a name may all, with the lots of the user as they change, for ever', async () => {
    const { token, ...made } = await create({});
    expect(made).toMatchObject({ role: 'Super Admin', lot_ids: null, expires_at: null });
    expect((await world.ids('/v2/lots', token ?? '')).toSorted()).toEqual([north, south]);
    await lotsOfOwner([south]);
    expect(await world.ids('/v2/lots', token ?? '')).toEqual([south]);
    world.cloud.clock.jumpWall(400 * 24 * HOUR_MS);
    expect(await world.ids('/v2/lots', token ?? '')).toEqual([south]);
  });

  it('has its role and shows it', async () => {
    const { token, ...made } = await create({ role: 'Attendant' });
    expect(made.role).toBe('Attendant');
    expect(await world.get('/v2/api-tokens')).toContainEqual(made);
    expect(await statusOf(token ?? '')).toBe(200);
    expect(await world.refused('POST', '/v2/lots', { name: 'East', timezone: 'UTC' }, token ?? '')).toEqual([403, '4']);
    expect(await statusOf(token ?? '', 'GET', '/v2/account-users')).toBe(403);
    expect(await statusOf(await tokenOf({ role: 'Admin' }), 'GET', '/v2/account-users')).toBe(200);
    expect(await statusOf(await tokenOf({ role: 'Super Admin' }), 'GET', '/v2/api-tokens')).toBe(403);
  });

  it('reads and writes in its lots alone', async () => {
    const { token, ...made } = await create({ lot_ids: [south, south] });
    expect(made.lot_ids).toEqual([south]);
    const asToken = token ?? '';
    expect(await world.ids('/v2/lots', asToken)).toEqual([south]);
    expect(await world.refused('GET', `/v2/lots/${north}`, undefined, asToken)).toEqual([404, '6']);
    expect(await world.refused('PATCH', `/v2/lots/${north}`, { name: 'Mine' }, asToken)).toEqual([404, '6']);
    expect(await world.refused('POST', '/v2/zones', { name: 'Level', lot_id: north }, asToken)).toEqual([
      422,
      '23 lot_id',
    ]);
    expect(await world.patch(`/v2/lots/${south}`, { name: 'Ours' }, asToken)).toMatchObject({ name: 'Ours' });
    expect(await world.ids('/v2/lots', await tokenOf({ lot_ids: [] }))).toEqual([]);
  });

  it('sees the lot that it creates', async () => {
    const token = await tokenOf({ lot_ids: [south] });
    const { id } = await world.post<{ id: number }>('/v2/lots', { name: 'East', timezone: 'UTC' }, token);
    expect((await world.ids('/v2/lots', token)).toSorted()).toEqual([south, id].toSorted());
  });

  it('has of its lots those that the user has, too, and all again with them', async () => {
    const token = await tokenOf({ lot_ids: [north, south] });
    await lotsOfOwner([south]);
    expect(await world.ids('/v2/lots', token)).toEqual([south]);
    await lotsOfOwner([north, south]);
    expect((await world.ids('/v2/lots', token)).toSorted()).toEqual([north, south]);
  });

  it('loses a lot that is deleted and gets no other for it', async () => {
    const { id, token } = await create({ lot_ids: [south] });
    await world.remove(`/v2/lots/${south}`);
    expect(await world.ids('/v2/lots', token ?? '')).toEqual([]);
    const shown = await world.get<{ id: number; lot_ids: number[] }[]>('/v2/api-tokens');
    expect(shown.find((each) => each.id === id)?.lot_ids).toEqual([]);
  });

  it('is refused with lots that its maker does not see, an end that is over and an unknown role', async () => {
    const refused = (keys: object) => world.refused('POST', '/v2/api-tokens', { name: 'x', ...keys });
    expect(await refused({ lot_ids: [north, 999_999] })).toEqual([422, '23 lot_ids.1']);
    const foreign = await world.cloud.store.reader
      .selectFrom('lots')
      .select('id')
      .where('account_id', '<>', world.site.harbour)
      .executeTakeFirstOrThrow();
    expect(await refused({ lot_ids: [foreign.id] })).toEqual([422, '23 lot_ids.0']);
    await lotsOfOwner([south]);
    expect(await refused({ lot_ids: [north] })).toEqual([422, '23 lot_ids.0']);
    const over = new Date(world.cloud.clock.now()).toISOString();
    expect(await refused({ expires_at: over, role: 'Owner' })).toEqual([422, '23 role', '23 expires_at']);
    expect(await world.refused('POST', '/v2/api-tokens', { name: 'x' }, ADMIN_TOKEN)).toEqual([403, '4']);
  });

  it('ends at its time, also while it is remembered, and closes its connections then', async () => {
    const ends = world.cloud.clock.now() + HOUR_MS;
    const { token, ...made } = await create({ expires_at: new Date(ends).toISOString() });
    expect(made.expires_at).toBe(new Date(ends).toISOString());
    const asToken = token ?? '';
    const client = await listen(asToken);
    await world.cloud.clock.advance(HOUR_MS - 1);
    expect(await statusOf(asToken)).toBe(200);
    await world.cloud.clock.advance(1);
    expect(await statusOf(asToken)).toBe(401);
    expect(await client.closed).toBe(4401);
    await expect(listen(asToken)).rejects.toMatchObject({ status: 401 });
    expect(await world.get('/v2/api-tokens')).toContainEqual(made);
  });
});

describe('over realtime an API token', () => {
  it('hears of its lots alone when it is limited to them, live, by the journal and after it lost one', async () => {
    const [limited, all] = [await tokenOf({ lot_ids: [south] }), await tokenOf({})];
    const [narrow, wide] = [await listen(limited), await listen(all)];
    await journalOf(north, 'of-north');
    await journalOf(south, 'of-south');
    await Promise.all([narrow.heard('of-south'), wide.heard('of-south')]);
    expect([narrow.uuids(), wide.uuids()]).toEqual([['of-south'], ['of-north', 'of-south']]);
    const eventsOf = async (token: string) =>
      (await world.get<{ data: { uuid?: string } }[]>('/v2/events?limit=1000', token)).flatMap(
        ({ data }) => data.uuid ?? [],
      );
    expect(await eventsOf(limited)).toEqual(['of-south']);
    expect(await eventsOf(all)).toEqual(['of-north', 'of-south']);
    await lotsOfOwner([north]);
    await journalOf(south, 'of-south-again');
    await wide.heard('of-south-again');
    expect(narrow.uuids()).toEqual(['of-south']);
  });
});
