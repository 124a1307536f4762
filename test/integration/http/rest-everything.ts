/**
 * Every request that changes something, once, in an order that works: things are made, changed, used and deleted. What is not served
 * is left out, so that the same list fits every set of endpoints.
 */
import { type Kind, LEAST_THINGS, leastBody } from './least-things.js';
import type { OpenApiDocument } from '../../contract/openapi-document.js';
import type { CloudWorld } from './http-world.js';
import type { RestWorld } from './rest-world.js';
import { noteHeard } from '../product/note-heard.js';

export type Ids = Record<string, number | string>;

/** Sends `POST /v2/zones/{id}` with the ids in their places and expects success. */
export type Send = (route: string, ids: Ids, json?: unknown) => Promise<Record<string, unknown>>;

/** What no list of this file sends: the tests of it do, where every answer is asked for its audit entry, too. */
export const SENT_ELSEWHERE: readonly { routes: RegExp; reason: string }[] = [
  {
    routes: /\/auth\/(log(in|out)|sign-ins.*|password.*)$/,
    reason: 'ends the token that all others are sent with, or others',
  },
  { routes: /\/gateways\/claim$/, reason: 'takes a device with a key of its own' },
  { routes: /\/redeliver$|\/webhooks\/\{id\}\/test$/, reason: 'takes a receiver that was sent something' },
  { routes: /\/member-imports\/\{id\}\/cancel$/, reason: 'takes an import that has not ended' },
  { routes: /\/preview$/, reason: 'changes nothing' },
  { routes: /^POST \/v2\/releases\//, reason: 'takes a release that the operator of the service published' },
  { routes: /\/terminals|\/pair$/, reason: 'takes a device that answers' },
  {
    routes: /\/resend$|\/weblinks\/\{id\}\/|\/operation-keys$|\/mails\/\{id\}\/retry$/,
    reason: 'takes a link or a mail that was sent before',
  },
];

type Served = (route: string) => boolean;

/** Sends with a token, and expects nothing of the answer. */
export const sendAs =
  ({ ask }: Pick<CloudWorld, 'ask'>, token: string): Send =>
  async (route, ids, json) => {
    const [method = '', path = ''] = route.split(' ');
    const asked = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
    return (await ask(method, asked, { token, json })).body.data as Record<string, unknown>;
  };

/** Whether a document has a route. */
export const servedIn =
  (paths: OpenApiDocument['paths']): Served =>
  (route) => {
    const [method = '', path = ''] = route.split(' ');
    return paths[path]?.[method.toLowerCase()] !== undefined;
  };

/** Ids by the path of their list: `/v2/zones`. */
export type Things = Map<string, number | string>;

const ALERT = '/v2/license-plate-alerts/{id}';

/** Beyond the least of each kind: what makes it one whole, and what makes no mail. */
const MORE: Readonly<Record<Kind, (id: (kind: Kind) => number | string) => Record<string, unknown>>> = {
  '/v2/lots': () => ({ name: 'East', timezone: 'Europe/Zagreb' }),
  '/v2/zones': (id) => ({ tariff_ids: [id('/v2/tariffs')] }),
  '/v2/sessions': () => ({ entry_license_plate: 'KA 100' }),
  '/v2/license-plate-alerts': (id) => ({ zone_id: id('/v2/zones') }),
  '/v2/rgb-displays': (id) => ({ gateway_id: id('/v2/gateways') }),
  '/v2/key-logs': () => ({ receiver_identifier: 'ST 1 AA', receiver_identifier_type: 'license_plate' }),
};
/** A PNG of one pixel. */
export const SMALLEST_PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** Of the device ids and addresses. */
const NUMBER = 255;

/** One of everything, in a lot of its own. */
export async function createEverything(send: Send, served: Served): Promise<Things> {
  const things: Things = new Map();
  const id = (kind: Kind) => things.get(kind) ?? 0;
  for (const kind of LEAST_THINGS.keys()) {
    if (!served(`POST ${kind}`)) continue;
    const body = { ...(await leastBody(kind, NUMBER, id)), ...MORE[kind]?.(id) };
    const made = await send(
      `POST ${kind}`,
      kind.includes('{id}') ? { id: id(kind.split('/{', 1)[0] ?? '') } : {},
      body,
    );
    things.set(kind, made.id as number | string);
    if (kind === '/v2/key-logs') things.set('/v2/operation-tokens', made.operation_token_id as number);
  }
  return things;
}

/** What is done to the things. The product is seen and paired. */
export async function useEverything(send: Send, served: Served, things: Things): Promise<void> {
  const id = (path: string) => things.get(path) ?? 0;
  const change = async (path: string, json: object) => {
    if (served(`PATCH ${path}/{id}`)) await send(`PATCH ${path}/{id}`, { id: id(path) }, json);
  };
  for (const path of RENAMED) await change(path, { name: 'Renamed' });
  await change('/v2/sessions', { discount_time: 15 });
  await change('/v2/webhooks', { is_active: 0 });
  await send('POST /v2/webhooks/{id}/rotate-secret', { id: id('/v2/webhooks') });
  await change('/v2/weblinks', { end_time: '2026-02-01T00:00:00.000Z' });
  await change('/v2/key-logs', { name: 'Renamed' });
  if (served('PATCH /v2/key-logs')) await send('PATCH /v2/key-logs', {}, { ids: [id('/v2/key-logs')], name: 'Again' });
  await send('PATCH /v2/account-users/profile', {}, { phone: '+385 1' });
  const group = { id: id('/v2/groups'), memberId: id('/v2/members') };
  await send('PUT /v2/groups/{id}/members/{memberId}', group);
  await send('DELETE /v2/groups/{id}/members/{memberId}', group);
  await send('PATCH /v2/members', {}, { ids: [group.memberId], blocked_reason: 'test' });
  await send('POST /v2/gateways/{id}/claim-code', { id: id('/v2/gateways') });
  await send('DELETE /v2/gateways/{id}/claim-code', { id: id('/v2/gateways') });
  await send('PATCH /v2/gateways/{id}/update', { id: id('/v2/gateways') }, { is_paused: true });
  await send('POST /v2/gateways/{id}/update/now', { id: id('/v2/gateways') });
  if (served('POST /v2/gateways/{id}/console-password'))
    await send('POST /v2/gateways/{id}/console-password', { id: id('/v2/gateways') });
  const { name } = await send('GET /v2/gateways/{id}', { id: id('/v2/gateways') });
  await send('POST /v2/gateways/{id}/reset', { id: id('/v2/gateways') }, { confirm: name });
  const recount = { occupied_count: 3, reason: 'Counted by hand' };
  if (served('POST /v2/zones/{id}/recount'))
    await send('POST /v2/zones/{id}/recount', { id: id('/v2/zones') }, recount);

  const items = [{ kind: 'zone', id: id('/v2/zones'), x: 40, y: 20, width: 300, height: 200 }];
  await send('PUT /v2/lots/{id}/plan', { id: id('/v2/lots') }, { items });

  await send('PATCH /v2/account', {}, { mask_plates: 1 });
  await send('PUT /v2/account/logo', {}, { image: SMALLEST_PICTURE });
  await send('DELETE /v2/account/logo', {});
  for (const list of ['lots', 'members', 'license-plate-alerts', 'sessions', 'key-logs'])
    if (served(`POST /v2/${list}/{id}/reveal`)) await send(`POST /v2/${list}/{id}/reveal`, { id: id(`/v2/${list}`) });

  const session = { id: id('/v2/sessions') };
  const [reading] = (await send('GET /v2/sessions/{id}', session)).plate_readings as { id: number }[];
  await send('PATCH /v2/plate-readings/{id}', { id: reading?.id ?? 0 }, { plate: 'KA 101' });
  things.set('/v2/plate-readings', reading?.id ?? 0);
  await send('POST /v2/plate-readings/{id}/reveal', { id: reading?.id ?? 0 });
  await send('POST /v2/sessions/{id}/payments', session, { amount: 2, overpays: true, reason: 'test' });
  await send('POST /v2/sessions/{id}/close', session, {});
}

/** Commands, each ended before the next one. */
export async function commandEverything(send: Send, things: Things, ended: () => Promise<void>): Promise<void> {
  const product = { id: things.get('/v2/products') ?? 0 };
  const lot = { id: things.get('/v2/lots') ?? 0 };
  await send('PATCH /v2/sightings/{id}', { id: things.get('/v2/sightings') ?? 0 }, { handled: 'ignored' });
  for (const route of ['gateways/{id}/doctor', 'gateways/{id}/camera-search', 'gateways/{id}/product-search'])
    await send(`POST /v2/${route}`, { id: things.get('/v2/gateways') ?? 0 });
  const camera = { id: things.get('/v2/lpr-cameras') ?? 0 };
  await send('POST /v2/lpr-cameras/{id}/setup', camera, { mode: 'plan' });
  for (const route of ['probe', 'push-address']) await send(`POST /v2/lpr-cameras/{id}/${route}`, camera);
  await send('POST /v2/rgb-displays/{id}/test', { id: things.get('/v2/rgb-displays') ?? 0 }, { text: 'Test' });
  await send('POST /v2/parking-gateways/{id}/sensors', { id: things.get('/v2/parking-gateways') ?? 0 });
  for (const [route, ids, json] of [
    ['POST /v2/products/{id}/state', product, { operation: 'open', reason: ' A courier ' }],
    ['POST /v2/products/{id}/settings', product, { autoclose_time: 20 }],
    ['POST /v2/lots/{id}/release', lot, { hold: 1 }],
    ['POST /v2/lots/{id}/release/clear', lot, {}],
  ] as const) {
    await send(route, ids, json);
    await ended();
  }
}

const RENAMED = [
  '/v2/lots',
  '/v2/tariffs',
  '/v2/zones',
  '/v2/gateways',
  '/v2/parking-gateways',
  '/v2/parking-places',
  '/v2/products',
  '/v2/lpr-cameras',
  '/v2/members',
  '/v2/groups',
  '/v2/account-users',
  '/v2/license-plate-alerts',
  '/v2/rgb-displays',
  '/v2/rgb-display-rules',
];

/** What is in another goes before it. */
export async function deleteEverything(send: Send, served: Served, things: Things): Promise<void> {
  const product = things.get('/v2/products') ?? 0;
  const alert = { id: things.get('/v2/license-plate-alerts') ?? 0 };
  if (served(`GET ${ALERT}`)) {
    const [receiver] = (await send(`GET ${ALERT}`, alert)).receivers as { id: number }[];
    await send(`DELETE ${ALERT}/receivers/{reciverId}`, { ...alert, reciverId: receiver?.id ?? 0 });
  }
  const licenseId = things.get('/v2/products/{id}/bound-licenses') ?? 0;
  await send('DELETE /v2/products/{id}/bound-licenses/{licenseId}', { id: product, licenseId });
  if (served('POST /v2/members/delete')) await send('POST /v2/members/delete', {}, { ids: [999_999] });
  const others = ['/v2/key-logs', '/v2/weblinks', '/v2/webhooks', '/v2/api-tokens'];
  for (const path of [...others, ...RENAMED.toReversed()]) {
    if (served(`DELETE ${path}/{id}`)) await send(`DELETE ${path}/{id}`, { id: things.get(path) ?? 0 });
  }
}

/** Makes the product one that a gateway hears, so that it takes commands. */
export async function seeProduct({ cloud }: RestWorld, things: Things): Promise<void> {
  const gateway_id = Number(things.get('/v2/gateways'));
  await cloud.store.change(async (tx) => {
    await tx
      .updateTable('gateways')
      .set({ uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c99', status: 'online' })
      .where('id', '=', gateway_id)
      .execute();
  });
  await noteHeard({ ...cloud, ...cloud.commandParts }, Number(things.get('/v2/products')), { gateway_id, rssi: -60 });
}

/** Adds a vehicle without a plate: only cameras see such. */
export async function seeVehicle({ cloud, site }: RestWorld, things: Things): Promise<void> {
  const [lot_id, zone_id] = [Number(things.get('/v2/lots')), Number(things.get('/v2/zones'))];
  const place = { account_id: site.harbour, lot_id, zone_id, lpr_camera_id: Number(things.get('/v2/lpr-cameras')) };
  const uid = '0199a7c0-0000-7000-8000-00000000ffff';
  const { id } = await cloud.store.change((tx) =>
    tx
      .insertInto('sightings')
      .values({ ...place, uid, direction: 'in', created_at: cloud.clock.now() })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  things.set('/v2/sightings', id);
}
