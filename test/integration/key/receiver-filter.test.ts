/** The filter of key logs by their receiver: plates are compared as plates, addresses as they are written. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LEAST_THINGS } from '../http/least-things.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

let world: RestWorld;
let plate: number;
let email: number;
beforeAll(async () => {
  world = await startRestWorld();
  const product = { zone_id: world.site.zone, ...LEAST_THINGS.get('/v2/products')?.values(1) };
  const { id: product_id } = await world.post<{ id: number }>('/v2/products', product);
  const start_time = new Date(world.cloud.clock.now()).toISOString();
  const give = async (receiver_identifier: string, receiver_identifier_type: string) =>
    (
      await world.post<{ id: number }>('/v2/key-logs', {
        product_id,
        name: 'Guest',
        start_time,
        receiver_identifier,
        receiver_identifier_type,
      })
    ).id;
  plate = await give('zg-1234 ab', 'license_plate');
  email = await give('zg1234ab@example.com', 'email');
});
afterAll(() => world.cloud.close());

it.each([
  ['eq:ZG1234AB', () => [plate]],
  ['eq:zg 1234.ab', () => [plate]],
  ['eq:ZG1234AB@example.com', () => []],
  ['eq:zg1234ab@example.com', () => [email]],
  ['like:234-a', () => [plate]],
  ['like:@', () => [email]],
  ['in:ZG 1234 AB,zg1234ab@example.com', () => [email, plate]],
  ['neq:ZG1234AB', () => [email]],
  ['nin:ZG1234AB', () => [email]],
  ['nlike:@', () => [plate]],
  ['isnotnull', () => [email, plate]],
  ['isnull', () => []],
])('receiver_identifier:%s', async (rule, found) => {
  const filter = encodeURIComponent(`receiver_identifier:${rule}`);
  expect(await world.ids(`/v2/key-logs?filter=${filter}`)).toEqual(found());
});
