/** The package that describes schemas to the OpenAPI document keeps each of them for ever. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCloudWorld } from './http-world.js';
import { type RestWorld, startRestWorld } from './rest-world.js';

/** What the package keeps. It is loaded as the one that we use loads it. */
function describedSchemas(): Map<object, unknown> {
  const used = createRequire(fileURLToPath(import.meta.resolve('@hono/zod-openapi')));
  const { zodToOpenAPIRegistry } = used('@asteasolutions/zod-to-openapi') as {
    zodToOpenAPIRegistry: { _map: Map<object, unknown> };
  };
  const { _map: schemas } = zodToOpenAPIRegistry;
  return schemas;
}

const routesOf = ({ app }: RestWorld['cloud']): object[] =>
  app.openAPIRegistry.definitions.flatMap((each) => (each.type === 'route' ? [each.route] : []));

describe('what the OpenAPI document is told of', () => {
  let world: RestWorld;

  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world?.cloud.close());

  it('is made once, however many clouds a process opens', async () => {
    const schemas = describedSchemas();
    const described = schemas.size;
    expect(described).toBeGreaterThan(100);
    const other = await startCloudWorld({ webhooks: { allowPrivate: true } });
    const routes = routesOf(other);
    await other.close();
    expect(schemas.size).toBe(described);
    const known = new Set(routesOf(world.cloud));
    expect(routes.length).toBeGreaterThan(100);
    expect(routes.filter((route) => !known.has(route))).toEqual([]);
  });

  it('is not made anew for a request', async () => {
    const { id: zone_id } = await world.get('/v2/zones/1');
    const schemas = describedSchemas();
    const described = schemas.size;
    const session = await world.post('/v2/sessions', { zone_id, entry_license_plate: 'ZG 1 A' });
    expect(await world.refused('POST', `/v2/sessions/${session.id}/close`, { ended_at: '2999-01-01' })).toEqual([
      422,
      '23 ended_at',
    ]);
    await world.post(`/v2/sessions/${session.id}/close`, { ended_at: session.created_at });
    await world.post('/v2/api-tokens', { name: 'Printer', expires_at: '2100-01-01T00:00:00Z' });
    expect(schemas.size).toBe(described);
  });
});
