/** What is not the caller's is not there: every route of a single thing, asked by another account and by who is not assigned to its lot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertRelease, setRing } from '../../../cloud/equipment/release/release-queries.js';
import { queueMail } from '../../../cloud/site/mail/mail-queue-queries.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { fetchDocument, isPublic, type OpenApiDocument } from '../../contract/openapi-document.js';
import { createEverything, seeProduct, seeVehicle, type Send, type Things, servedIn } from './rest-everything.js';
import { API_TOKEN } from './http-site.js';
import { ADMIN_TOKEN, insertTerminal, OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';
import { KEY_CONTENT } from '../mail/mail-world.js';
import { lotEntryRow } from '../session/reading-rows.js';

const RIVAL_OWNER_TOKEN = 'rival-owner-token';

/** Not in any lot: who is of the account and of the role finds them. */
const ACCOUNT_WIDE = /^\/v2\/(members|member-imports|groups|tariffs|api-tokens|account-users|webhooks|releases)\b/;

describe('another account', () => {
  let world: RestWorld;
  let document: OpenApiDocument;
  let things: Things;
  let event_id: string;

  const send: Send = async (route, ids, json) => {
    const [method = '', template = ''] = route.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
    const { status, body } = await world.cloud.ask(method, path, {
      token: OWNER_TOKEN,
      ...(json === undefined ? {} : { json }),
    });
    expect([route, status, body.errors]).toEqual([route, 200, undefined]);
    return (body.data ?? {}) as Record<string, unknown>;
  };
  const served = (route: string) => servedIn(document.paths)(route);

  beforeAll(async () => {
    world = await startRestWorld();
    const { cloud, site } = world;
    document = await fetchDocument(cloud.base);
    things = await createEverything(send, served);
    await seeProduct(world, things);
    await seeVehicle(world, things);
    const product = { id: things.get('/v2/products') ?? 0 };
    event_id = String((await send('POST /v2/products/{id}/state', product, { operation: 'open' })).event_id);
    const session = await send('GET /v2/sessions/{id}', { id: things.get('/v2/sessions') ?? 0 });
    const [reading] = session.plate_readings as { id: number }[];
    things.set('/v2/plate-readings', reading?.id ?? 0);
    // Only a device that answers makes one over REST.
    const terminal = { account_id: site.harbour, zone_id: Number(things.get('/v2/zones')) };
    things.set('/v2/terminals', await insertTerminal(cloud.store, terminal));
    await cloud.store.change(async (tx) => {
      const now = cloud.clock.now();
      const rival = await tx
        .selectFrom('account_users')
        .select('id')
        .where('account_id', '=', site.rival)
        .executeTakeFirstOrThrow();
      const token = { account_user_id: rival.id, type: 'user', token_hash: hashToken(RIVAL_OWNER_TOKEN) };
      await tx
        .insertInto('user_tokens')
        .values({ ...token, created_at: now, expires_at: Number.MAX_SAFE_INTEGER })
        .execute();
      const entry = await tx
        .insertInto('lot_entries')
        .values(
          lotEntryRow({
            plate_reading_id: reading?.id ?? 0,
            account_id: site.harbour,
            lot_id: Number(things.get('/v2/lots')),
            lpr_camera_id: Number(things.get('/v2/lpr-cameras')),
            at: now,
          }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      things.set('/v2/lot-entries', entry.id);
      const mail = {
        kind: 'key',
        to: 'ana@example.com',
        locale: null,
        content: KEY_CONTENT,
        account_id: site.harbour,
        lot_id: Number(things.get('/v2/lots')),
      } as const;
      things.set('/v2/mails', await queueMail(tx, mail, now));
      const signIn = tx.selectFrom('user_tokens').select('id').orderBy('id');
      things.set('/v2/auth/sign-ins', (await signIn.executeTakeFirstOrThrow()).id);
      // Only the operator of the service publishes one.
      const bundle = { machine: 'pi', version: '1.0.0', bytes: 1, sha256: '0'.repeat(64), security_floor: null };
      const release_id = await insertRelease(tx, { ...bundle, notes: '', is_signature_checked: 1, now });
      await setRing(tx, { release_id, account_id: site.harbour, percent: 100 });
      things.set('/v2/releases', release_id);
    });
  });
  afterAll(() => world.cloud.close());

  /** Protected routes of single things, with the ids of what there is. */
  function routes(): { method: string; path: string; asked: string }[] {
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => path.includes('{') && !isPublic(operation))
        .map(([method]) => {
          const first = things.get(path.split('/{', 1)[0] ?? '');
          const ids: Record<string, number | string | undefined> = {
            id: first,
            event_id,
            memberId: things.get('/v2/members'),
            licenseId: things.get('/v2/products/{id}/bound-licenses'),
            reciverId: 1,
            deliveryId: 1,
          };
          const asked = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
          expect([path, asked.includes('undefined')], 'rest-everything.ts makes none of these').toEqual([path, false]);
          return { method: method.toUpperCase(), path, asked };
        }),
    );
  }

  const bodyOf = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : { nonsense: true });

  it('finds nothing by its id, whatever is asked of it', async () => {
    const answers = new Map<string, unknown>();
    const expected = new Map<string, unknown>();
    for (const { method, path, asked } of routes()) {
      expected.set(`${method} ${path}`, [404, '6']);
      answers.set(`${method} ${path}`, await world.refused(method, asked, bodyOf(method), RIVAL_OWNER_TOKEN));
    }
    expect(answers).toEqual(expected);
    expect(answers.size).toBeGreaterThan(40);
  });

  it('nor does somebody of the account to whom the lot is not assigned', async () => {
    const answers = new Map<string, unknown>();
    for (const { method, path, asked } of routes()) {
      if (ACCOUNT_WIDE.test(path)) continue;
      answers.set(`${method} ${path}`, await world.refused(method, asked, bodyOf(method), ADMIN_TOKEN));
    }
    expect([...answers].filter(([, answer]) => String(answer) !== '404,6')).toEqual([]);
    expect(answers.size).toBeGreaterThan(30);
  });

  it('changes nothing by asking: whose it is finds all of it', async () => {
    for (const { method, path, asked } of routes()) {
      if (method !== 'GET') continue;
      // A program's token finds it, too, but where only persons ask.
      const isOfPersons = document.paths[path]?.get?.['x-user-token-only'] === true;
      for (const token of isOfPersons ? [OWNER_TOKEN] : [OWNER_TOKEN, API_TOKEN]) {
        const { status } = await world.cloud.ask('GET', asked, { token });
        // Some want to know of when, or of which plate.
        expect([path, token, [200, 422].includes(status)]).toEqual([path, token, true]);
      }
    }
  });

  it('has no part in any list', async () => {
    const foreign: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      if (isPublic(methods.get) || path.includes('{')) continue;
      const rivals = await world.cloud.ask('GET', path, { token: RIVAL_OWNER_TOKEN });
      const { text } = rivals;
      if (text.includes(`"account_id":${world.site.harbour}`) || text.includes('KA 100')) foreign.push(path);
      if (!things.has(path)) continue;
      // There are so few releases, and sign-ins of one person, that their lists have no pages.
      const own = await world.ids(/releases|sign-ins/.test(path) ? path : `${path}?size=300`);
      expect([path, own.length > 0]).toEqual([path, true]);
      const theirs = new Set((rivals.body.data as { id: number }[]).map(({ id }) => id));
      if (own.some((id) => theirs.has(id))) foreign.push(path);
    }
    expect(foreign).toEqual([]);
  });
});
