/** Who may call what, for every route of the managed resources. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../cloud/auth/role-schemas.js';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import {
  ADMIN_TOKEN,
  insertTerminal,
  OWNER_TOKEN,
  type RestWorld,
  RIVAL_TOKEN,
  startRestWorld,
} from '../http/rest-world.js';
import { lotEntryRow, readingRow } from '../session/reading-rows.js';

const EVERYBODY: readonly Role[] = ['Super Admin', 'Admin', 'Attendant'];
const MANAGERS: readonly Role[] = ['Super Admin', 'Admin'];

const managed = (path: string): [string, readonly Role[]][] => [
  [`GET ${path}`, EVERYBODY],
  [`POST ${path}`, MANAGERS],
  [`GET ${path}/{id}`, EVERYBODY],
  [`PATCH ${path}/{id}`, MANAGERS],
  [`DELETE ${path}/{id}`, MANAGERS],
];

const ROUTES = new Map<string, readonly Role[]>([
  ...[
    '/v2/lots',
    '/v2/zones',
    '/v2/parking-places',
    '/v2/lpr-cameras',
    '/v2/parking-gateways',
    '/v2/gateways',
    '/v2/products',
    '/v2/members',
    '/v2/groups',
    '/v2/tariffs',
    '/v2/license-plate-alerts',
    '/v2/rgb-displays',
    '/v2/rgb-display-rules',
    '/v2/terminals',
    '/v2/weblinks',
  ].flatMap(managed),
  ['DELETE /v2/license-plate-alerts/{id}/receivers/{reciverId}', MANAGERS],
  ['POST /v2/gateways/{id}/claim-code', MANAGERS],
  ['GET /v2/products/{id}/bound-licenses', EVERYBODY],
  ['POST /v2/products/{id}/bound-licenses', MANAGERS],
  ['DELETE /v2/products/{id}/bound-licenses/{licenseId}', MANAGERS],
  ['PUT /v2/groups/{id}/members/{memberId}', MANAGERS],
  ['DELETE /v2/groups/{id}/members/{memberId}', MANAGERS],
  ['GET /v2/plate-readings', EVERYBODY],
  ['GET /v2/plate-readings/{id}', EVERYBODY],
  ['PATCH /v2/plate-readings/{id}', EVERYBODY],
  ['GET /v2/plate-readings/{id}/explanation', EVERYBODY],
  ['GET /v2/lots/{id}/would-admit', EVERYBODY],
  ['GET /v2/lots/{id}/plate-collisions', EVERYBODY],
  ['GET /v2/lots/{id}/plan', EVERYBODY],
  ['PUT /v2/lots/{id}/plan', MANAGERS],
  ['POST /v2/lots/{id}/reveal', EVERYBODY],
  ['POST /v2/plate-readings/{id}/reveal', EVERYBODY],
  ['POST /v2/members/{id}/reveal', EVERYBODY],
  ['POST /v2/license-plate-alerts/{id}/reveal', EVERYBODY],
  ['GET /v2/lot-entries', EVERYBODY],
  ['GET /v2/lot-entries/{id}', EVERYBODY],
  ['GET /v2/sightings', EVERYBODY],
  ['GET /v2/gateways/{id}/health', EVERYBODY],
  ['GET /v2/products/{id}/signal', EVERYBODY],
  ['GET /v2/lpr-cameras/{id}/health', EVERYBODY],
  ['GET /v2/rgb-displays/{id}/shown', EVERYBODY],
  ['GET /v2/zones/{id}/occupancy', EVERYBODY],
  ['GET /v2/parking-places/{id}/occupancy', EVERYBODY],
  ['GET /v2/weblinks/{id}/qr.png', MANAGERS],
  ['GET /v2/weblinks/{id}/qr.svg', MANAGERS],
]);

const TOKENS: Record<Role, string> = { 'Super Admin': OWNER_TOKEN, Admin: ADMIN_TOKEN, Attendant: GUARD_TOKEN };

/** What no body may hold: judged after 401, 403 and 404 only. */
const NONSENSE = { nonsense: true };

describe('who may call what', () => {
  let world: RestWorld;
  /** Things of Harbour by their list's path; those of a lot are in South, which only the Super Admin has. */
  const things = new Map<string, number | string>();
  let reciverId: number;
  let memberId: number;
  let licenseId: number;

  beforeAll(async () => {
    world = await startRestWorld();
    const { site, cloud } = world;
    const make = async (path: string, body: unknown) => {
      const { id } = await world.post<{ id: number }>(path, body);
      things.set(path, id);
      return id;
    };
    const since = { start_time: '2026-01-01T00:00:00Z' };
    things.set('/v2/lots', site.south);
    things.set('/v2/tariffs', site.tariff);
    const zone_id = await make('/v2/zones', { lot_id: site.south, name: 'Z' });
    await make('/v2/gateways', { lot_id: site.south, name: 'G' });
    await make('/v2/parking-gateways', { lot_id: site.south, name: 'PG', driver: 'http' });
    await make('/v2/parking-places', { zone_id, name: 'P' });
    await make('/v2/lpr-cameras', { zone_id, device_id: 'cam', name: 'C', driver: 'hikvision' });
    const product = await make('/v2/products', { zone_id, device_id: 'a4c138000001', name: 'B', product_type_id: 1 });
    memberId = await make('/v2/members', { name: 'M' });
    await make('/v2/groups', { name: 'G', member_ids: [memberId] });
    const license = { license_plate: 'ZG1' };
    licenseId = (await world.post<{ id: number }>(`/v2/products/${product}/bound-licenses`, license)).id;
    await make('/v2/weblinks', { product_id: product, ...since });
    const receivers = [{ name: 'R', receiver_email: 'r@harbour.example' }];
    const alert = await make('/v2/license-plate-alerts', { name: 'A', zone_id, receivers });
    reciverId = (await world.get<{ receivers: [{ id: number }] }>(`/v2/license-plate-alerts/${alert}`)).receivers[0].id;
    const rgb_display_id = await make('/v2/rgb-displays', { name: 'D', zone_id });
    await make('/v2/rgb-display-rules', { name: 'R', rgb_display_id, operator: 'gt' });
    things.set('/v2/terminals', await insertTerminal(cloud.store, { account_id: site.harbour, zone_id }));
    const session = { zone_id, lot_id: site.south, account_id: site.harbour };
    await cloud.store.change(async (tx) => {
      const now = cloud.clock.now();
      const reading = await tx
        .insertInto('plate_readings')
        .values(readingRow({ ...session, plate: 'A1', plate_normalised: 'A1', at: now }))
        .returning('id')
        .executeTakeFirstOrThrow();
      things.set('/v2/plate-readings', reading.id);
      const entry = await tx
        .insertInto('lot_entries')
        .values(
          lotEntryRow({
            plate_reading_id: reading.id,
            account_id: site.harbour,
            lot_id: site.south,
            lpr_camera_id: 1,
            at: now,
          }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      things.set('/v2/lot-entries', entry.id);
    });
  });
  afterAll(() => world.cloud.close());

  /** The route's address with ids; of the seeded things, or of one that there is not. */
  function address(path: string, id: number | string | undefined): string {
    return path
      .replace('{id}', String(id ?? 999_999_999_999))
      .replace('{reciverId}', String(reciverId))
      .replace('{memberId}', String(memberId))
      .replace('{licenseId}', String(licenseId));
  }
  const listOf = (path: string) => path.replace(/\/\{id\}.*$/, '');
  const bodyOf = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : NONSENSE);
  const split = (route: string) => route.split(' ') as [method: string, path: string];

  it('the table has every route of these resources', () => {
    const document = world.cloud.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'test', version: '2' } });
    const lists = new Set([...ROUTES.keys()].map((route) => listOf(split(route)[1])));
    const present = Object.entries(document.paths ?? {})
      .filter(([path]) => lists.has(listOf(path)))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      // Commands and the like have tables of their own.
      .filter((route) => !/^POST .*\/\{id\}\/|quote$/.test(route) || ROUTES.has(route));
    expect(present.toSorted()).toEqual([...ROUTES.keys()].toSorted());
  });

  it.each([...ROUTES.keys()])('%s: 401 without a token, whatever else is wrong', async (route) => {
    const [method, path] = split(route);
    for (const token of [undefined, 'nobody']) {
      const { status, body } = await world.cloud.ask(method, address(path, undefined), {
        json: bodyOf(method),
        ...(token === undefined ? {} : { token }),
      });
      expect([status, body.errors?.map(({ code }) => code)]).toEqual([401, [1]]);
    }
  });

  it.each([...ROUTES])('%s: for the roles %s', async (route, roles) => {
    const [method, path] = split(route);
    const allowed = path.includes('{id}') ? [404, '6'] : method === 'GET' ? [200] : [422];
    for (const role of EVERYBODY) {
      const answer = await world.refused(method, address(path, undefined), bodyOf(method), TOKENS[role]);
      const expected = roles.includes(role) ? allowed : [403, '4'];
      expect([role, ...answer].slice(0, expected.length + 1)).toEqual([role, ...expected]);
    }
  });

  it.each([...ROUTES.keys()].filter((route) => route.includes('{id}')))(
    '%s: what is not yours is not there',
    async (route) => {
      const [method, path] = split(route);
      const id = things.get(listOf(path));
      expect(id).toBeDefined();
      const accountWide = ['/v2/members', '/v2/groups', '/v2/tariffs'].includes(listOf(path));
      for (const token of accountWide ? [RIVAL_TOKEN] : [RIVAL_TOKEN, ADMIN_TOKEN]) {
        expect([token, ...(await world.refused(method, address(path, id), bodyOf(method), token))]).toEqual([
          token,
          404,
          '6',
        ]);
      }
      // It is still there for those whose it is, an integration among them.
      const query = path.endsWith('/would-admit') ? `?plate=ZG1&lpr_camera_id=${things.get('/v2/lpr-cameras')}` : '';
      if (method === 'GET') await world.get(address(path, id) + query, API_TOKEN);
    },
  );

  it.each([...ROUTES.keys()].filter((route) => /^GET [^{]*$/.test(route)))(
    '%s: shows nothing of another account',
    async (route) => {
      const [, path] = split(route);
      const own = new Set(await world.ids(`${path}?size=300`, RIVAL_TOKEN));
      expect([...(await world.ids(`${path}?size=300`))].filter((id) => own.has(id))).toEqual([]);
    },
  );
});
