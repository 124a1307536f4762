import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, seedSite } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { fetchDocument, isPublic, LOGOUT_PATH, type OpenApiDocument } from '../../contract/openapi-document.js';

const ADMIN_TOKEN = 'admin-token';
const CALLERS = { 'Super Admin': OWNER_TOKEN, Admin: ADMIN_TOKEN, Attendant: GUARD_TOKEN, 'API token': API_TOKEN };
type Who = keyof typeof CALLERS;

const PERSONS: Who[] = ['Super Admin', 'Admin', 'Attendant'];
const EVERYBODY: Who[] = [...PERSONS, 'API token'];

/** Who may call what (REST contract, "Roles"), by the first rule that fits. Routes come and go, these sentences stay. */
const RULES: { says: string; method: RegExp; path: RegExp; who: Who[] }[] = [
  { says: "a Super Admin's user token only", method: /./, path: /^\/v2\/api-tokens/, who: ['Super Admin'] },
  {
    says: 'the own profile always, which a token of a program has none of',
    method: /PATCH/,
    path: /^\/v2\/account-users\/profile$/,
    who: PERSONS,
  },
  { says: 'whoever signed in sees that and ends it', method: /./, path: /^\/v2\/auth\//, who: PERSONS },
  {
    says: 'Admins read users',
    method: /GET/,
    path: /^\/v2\/account-users/,
    who: ['Super Admin', 'Admin', 'API token'],
  },
  {
    says: 'a Super Admin changes the account',
    method: /PATCH|PUT|DELETE/,
    path: /^\/v2\/account(\/logo)?$/,
    who: ['Super Admin'],
  },
  { says: 'Super Admins change users', method: /./, path: /^\/v2\/account-users/, who: ['Super Admin'] },
  {
    says: 'Attendants get no credentials',
    method: /./,
    path: /^\/v2\/(operation-tokens|operation-keys|key-logs|key-invitations|weblinks\/\{id\}\/qr|gateways\/\{id\}\/console-password)/,
    who: ['Super Admin', 'Admin', 'API token'],
  },
  {
    says: 'the audit log and mails are for Admins',
    method: /./,
    path: /^\/v2\/(audit-log|mails)/,
    who: ['Super Admin', 'Admin', 'API token'],
  },
  {
    says: 'the head of the audit log is for Super Admins',
    method: /GET/,
    path: /^\/v2\/audit-head$/,
    who: ['Super Admin', 'API token'],
  },
  { says: 'roll-outs are for Super Admins', method: /./, path: /^\/v2\/releases/, who: ['Super Admin', 'API token'] },
  { says: 'Attendants read', method: /GET/, path: /./, who: EVERYBODY },
  { says: 'who sees a plate may ask for it', method: /POST/, path: /\/reveal$/, who: EVERYBODY },
  { says: 'a preview changes nothing', method: /POST/, path: /\/preview$/, who: EVERYBODY },
  {
    says: 'Attendants keep sessions, take payments, command, release, correct plates, pass vehicles over',
    method: /./,
    path: /^\/v2\/(sessions|products\/\{id\}\/state|lots\/\{id\}\/release|plate-readings|sightings)/,
    who: EVERYBODY,
  },
  { says: 'Admins do the rest', method: /./, path: /./, who: ['Super Admin', 'Admin', 'API token'] },
];

/** What no body may hold: judged after 401, 403 and 404 only. */
const NONSENSE = { nonsense: true };

describe('who may call what', () => {
  let cloud: CloudWorld;
  let document: OpenApiDocument;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    await seedSite(cloud.store);
    await cloud.store.change(async (tx) => {
      const admin = await tx
        .selectFrom('account_users')
        .select('id')
        .where('account_user_role_id', '=', 2)
        .executeTakeFirstOrThrow();
      const token = {
        account_user_id: admin.id,
        type: 'user',
        token_hash: hashToken(ADMIN_TOKEN),
        created_at: 1,
        expires_at: Number.MAX_SAFE_INTEGER,
      };
      await tx.insertInto('user_tokens').values(token).execute();
    });
    document = await fetchDocument(cloud.base);
  });
  afterAll(() => cloud.close());

  it('is as the contract says, for every protected endpoint and every role', async () => {
    const table: Record<string, Record<string, string>> = {};
    const expected: typeof table = {};
    // To sign out ends the tokens that all others are asked with.
    const isLast = (path: string) => Number(path === LOGOUT_PATH);
    const paths = Object.entries(document.paths).toSorted(([one], [other]) => isLast(one) - isLast(other));
    for (const [path, methods] of paths) {
      for (const [verb, operation] of Object.entries(methods)) {
        if (isPublic(operation)) continue;
        const method = verb.toUpperCase();
        const name = `${method} ${path}`;
        const rule = RULES.find((each) => each.method.test(method) && each.path.test(path));
        const asked = path.replaceAll(/\{\w+\}/g, '999999');
        const body = ['GET', 'DELETE'].includes(method) ? {} : { json: NONSENSE };
        const answerTo = async (token?: string) => {
          const answer = await cloud.ask(method, asked, { ...body, ...(token === undefined ? {} : { token }) });
          const isAllowed = (path.includes('{') ? [404] : [200, 422]).includes(answer.status);
          return isAllowed ? 'yes' : `${answer.status} ${answer.body.errors?.[0]?.code}`;
        };
        const row: Record<string, string> = { nobody: await answerTo(), stranger: await answerTo('nobody') };
        for (const [who, token] of Object.entries(CALLERS)) row[who] = await answerTo(token);
        table[name] = row;
        const may = (who: string) => (rule?.who.includes(who as Who) ? 'yes' : '403 4');
        const callers = Object.fromEntries(Object.keys(CALLERS).map((who) => [who, may(who)]));
        expected[name] = { nobody: '401 1', stranger: '401 1', ...callers };
        // What the document tells is what was met.
        const notified = EVERYBODY.filter((who) =>
          who === 'API token' ? !operation['x-user-token-only'] : operation['x-roles']?.includes(who),
        );
        expect([name, notified]).toEqual([name, rule?.who]);
      }
    }
    expect(table).toEqual(expected);
    expect(Object.keys(table).length).toBeGreaterThan(10);
  });
});
