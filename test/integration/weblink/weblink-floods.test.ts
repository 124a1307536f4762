/** Drivers share the addresses of carriers with who guesses at weblinks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newWeblinkSchema } from '../../../cloud/guests/weblink/weblink-resource.js';
import { askMadeUpWeblinks } from '../../attack/made-up-weblinks.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

const CARRIER = '192.0.2.7';

let world: RestWorld;
beforeAll(async () => {
  world = await startRestWorld({ trustedProxies: ['127.0.0.1'], requestsPerMin: 600 });
});
afterAll(() => world.cloud.close());

it('made-up links and tokens do not keep a driver of the same carrier from the own link', async () => {
  const { cloud, site } = world;
  const product = { device_id: 'a4c138000001', zone_id: site.zone, name: 'Entry', product_type_id: 1 };
  const { id: product_id } = await world.post<{ id: number }>('/v2/products', product);
  const weblink = { product_id, start_time: '2026-01-01T00:00:00Z' };
  const { id, token } = newWeblinkSchema.parse(await world.post('/v2/weblinks', weblink));
  const ask = async (path: string, json: object, from = CARRIER) =>
    (await cloud.ask('POST', `/v2/weblinks/${id}/${path}`, { json, headers: { 'x-forwarded-for': from } })).status;

  expect(await askMadeUpWeblinks(cloud.base, { count: 400, from: CARRIER })).toEqual({ 404: 10, 429: 390 });
  expect(await askMadeUpWeblinks(cloud.base, { count: 400, id, from: CARRIER })).toEqual({ 429: 400 });
  // No gateway hears the product in this world: the link was accepted, and the command is refused.
  expect(await ask('operation', { token, operation: 'open' })).toBe(403);
  expect(await ask('status', { token })).toBe(200);
  // Those of another address have their own count, and their guesses at the link cost its bearer nothing.
  expect(await ask('status', { token: 'made up' }, '198.51.100.1')).toBe(404);
  // What the product cannot do does not count against its bearer either.
  for (let used = 1; used < 15; used++) expect(await ask('operation', { token, operation: 'open' })).toBe(403);
});
