/**
 * Nobody reaches into a lot that is not theirs by naming something of it, whatever names it: every write of the document, at every parameter
 * of its path and every field of its body that names a thing, by each kind of limited caller.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Owned, type Reach, reachesOf, reachingPath } from '../../attack/indirect-reach.js';
import { fetchDocument } from '../../contract/openapi-document.js';
import { assignTo, ownedBy, RIVAL_OWNER_TOKEN, signInRival } from './owned-things.js';
import { type Attempt, createAttempts, kindOfField } from './race-things.js';
import { ADMIN_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';
import { GUARD_TOKEN } from './http-site.js';

/** A tariff is the account's: naming one changes nothing of it. What acts on several lots is written where its own path names it. */
const MAY_BE_NAMED = new Set(['tariff_ids']);
/**
 * Only who has all lots may make users, of whom the account decides. Members are seen by the whole account, and who sees a plate may ask for it.
 */
const OF_THE_ACCOUNT = /^\/v2\/(account-users|api-tokens|members\/\{id\}\/reveal$)/;
/** What no answer and no counter of a refused request writes. */
const COUNTERS = new Set(['idempotency_keys', 'user_tokens', 'api_tokens', 'audit_log']);

interface Caller {
  name: string;
  token: string;
  role: string;
  isUser: boolean;
}

describe('a write that reaches into another lot', () => {
  let world: RestWorld;
  let own: Owned;
  let targets: Record<'elsewhere' | 'foreign', Owned>;
  let callers: Caller[];
  let rival: Caller;
  let reaches: Reach[];
  let prepare: ReturnType<typeof createAttempts>['prepare'];

  beforeAll(async () => {
    world = await startRestWorld();
    const { cloud, site } = world;
    await signInRival(world);
    const harbour = createAttempts(world);
    const rivals = createAttempts({
      ...world,
      site: { ...site, harbour: site.rival },
      post: (path, json) => world.post(path, json, RIVAL_OWNER_TOKEN),
    });
    prepare = harbour.prepare;
    const mine = harbour.begin();
    own = await ownedBy(world, mine);
    await assignTo(world, Number(await mine.id('/v2/lots')));
    // A webhook carries the lots of who made it: this one is the Admin's.
    const webhook = await world.post('/v2/webhooks', { url: 'https://hooks.race.example/own' }, ADMIN_TOKEN);
    const { named } = own;
    own.named = async (path, parameter) =>
      path.startsWith('/v2/webhooks') && parameter === 'id' ? Number(webhook.id) : named(path, parameter);
    targets = {
      elsewhere: await ownedBy(world, harbour.begin()),
      foreign: await ownedBy(world, rivals.begin(), RIVAL_OWNER_TOKEN),
    };
    const lot_ids = [Number(await mine.id('/v2/lots'))];
    const limited = async (role: string) =>
      String((await world.post<{ token: string }>('/v2/api-tokens', { name: role, role, lot_ids })).token);
    callers = [
      { name: 'Admin', token: ADMIN_TOKEN, role: 'Admin', isUser: true },
      { name: 'Attendant', token: GUARD_TOKEN, role: 'Attendant', isUser: true },
      { name: 'token of an Admin', token: await limited('Admin'), role: 'Admin', isUser: false },
      { name: 'token of an Attendant', token: await limited('Attendant'), role: 'Attendant', isUser: false },
    ];
    rival = { name: "another account's Super Admin", token: RIVAL_OWNER_TOKEN, role: 'Super Admin', isUser: true };
    reaches = reachesOf(await fetchDocument(cloud.base));
  });
  afterAll(() => world.cloud.close());

  const roleOf = ({ operation }: Reach, { role, isUser }: Caller) =>
    (operation['x-roles'] ?? []).includes(role) && (isUser || operation['x-user-token-only'] !== true);

  async function bodyOf({ route, method, path, at }: Reach, attempt: Attempt, target: Attempt | null) {
    const json = method === 'DELETE' ? undefined : await leastBody({ route, method, path }, attempt);
    if (target === null || 'parameter' in at) return json;
    const kind = kindOfField(at.field);
    if (kind === undefined) throw new Error(`${at.field} names nothing`);
    const id = await target.id(kind);
    return { ...json, [at.field]: at.field.endsWith('_ids') ? [id] : id };
  }

  async function leastBody(write: Pick<Reach, 'route' | 'method' | 'path'>, attempt: Attempt) {
    // No recipe makes readings: cameras and sessions do.
    if (write.path.startsWith('/v2/plate-readings')) return { plate: 'ZG 2' };
    // No session of the plate is open.
    if (write.route === 'POST /v2/sessions')
      return { zone_id: await attempt.id('/v2/zones'), entry_license_plate: 'ZG NEW' };
    return (await prepare({ ...write, field: null }, attempt)).json;
  }

  /** What the contract answers. */
  function expected(reach: Reach, caller: Caller, answer: [number, ...string[]]): boolean {
    const [status, ...errors] = answer;
    if (!roleOf(reach, caller)) return status === 403 && errors[0] === '4';
    if ('parameter' in reach.at) return status === 404 && errors[0] === '6';
    const { field } = reach.at;
    return status === 422 && errors.some((each) => each === `23 ${field}` || each.startsWith(`23 ${field}.`));
  }

  const isReach = ({ path, at }: Reach) => !OF_THE_ACCOUNT.test(path) && !('field' in at && MAY_BE_NAMED.has(at.field));

  it('is refused as the contract says, and writes and tells nothing', async () => {
    const asked = reaches.filter(isReach);
    const requests = [];
    for (const reach of asked) {
      for (const [kind, target] of Object.entries(targets)) {
        const path = await reachingPath(reach, { own, target });
        const json = await bodyOf(reach, own.attempt, target.attempt);
        requests.push(...callers.map((caller) => ({ reach, caller, kind, path, json })));
      }
      if (!('parameter' in reach.at)) continue;
      // Of the other account everything is foreign.
      const path = await reachingPath(reach, { own, target: own });
      requests.push({ reach, caller: rival, kind: 'foreign', path, json: await bodyOf(reach, own.attempt, null) });
    }
    const before = await dump(world);
    const sent = world.cloud.commandParts.sent.length;
    world.notified();
    const wrong: unknown[] = [];
    for (const { reach, caller, kind, path, json } of requests) {
      const answer = await world.refused(reach.method, path, json, caller.token);
      if (!expected(reach, caller, answer)) wrong.push([reach.route, reach.at, kind, caller.name, answer]);
    }
    process.stdout.write(
      `indirect reach: ${requests.length} requests at ${asked.length} places, ${wrong.length} got through\n`,
    );
    expect(wrong).toEqual([]);
    expect(requests.length).toBeGreaterThan(400);
    const after = await dump(world);
    expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual([]);
    expect([world.notified(), world.cloud.commandParts.sent.length - sent]).toEqual([[], 0]);
  });

  it('is not refused where it names what is the own', async () => {
    const refused: unknown[] = [];
    const [admin] = callers as [Caller];
    for (const reach of reaches.filter((each) => isReach(each) && roleOf(each, admin))) {
      // What is deleted is gone for the others, and nothing was delivered yet.
      if (reach.method === 'DELETE' || reach.path.endsWith('/redeliver')) continue;
      const path = await reachingPath(reach, { own, target: own });
      const answer = await world.refused(
        reach.method,
        path,
        await bodyOf(reach, own.attempt, own.attempt),
        admin.token,
      );
      const isNamed =
        'field' in reach.at &&
        answer.some((each) => String(each).startsWith(`23 ${(reach.at as { field: string }).field}`));
      if (answer[0] === 403 && answer[1] === '4') refused.push([reach.route, reach.at, answer]);
      if (answer[0] === 404 || isNamed) refused.push([reach.route, reach.at, answer]);
    }
    expect(refused).toEqual([]);
  });
});

/** What stands in the database, table by table. */
async function dump({ cloud }: RestWorld): Promise<Record<string, string>> {
  const { reader } = cloud.store;
  const tables = (await reader.introspection.getTables()).map(({ name }) => name as 'lots');
  const rows: Record<string, string> = {};
  for (const table of tables) {
    if (COUNTERS.has(table)) continue;
    rows[table] = JSON.stringify(await reader.selectFrom(table).selectAll().execute());
  }
  return rows;
}
