/**
 * What others have is neither seen nor counted, and no filter or sort gives it away: every GET of the document, asked by each kind of
 * caller that sees one lot of an account, about another lot and about another account.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owned } from '../../attack/indirect-reach.js';
import { type AskedList, askedLists, type Question, questionsOf } from '../../attack/list-questions.js';
import { fetchDocument, isPublic, type OpenApiDocument, operationsOf } from '../../contract/openapi-document.js';
import { longRuns, runsTimeoutMs } from '../../depth.js';
import { seededRandom } from '../../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../../seed.js';
import { assignTo, MADE, ownedBy, RIVAL_OWNER_TOKEN, signInRival } from './owned-things.js';
import { createAttempts, kindOfField } from './race-things.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';
import { GUARD_TOKEN } from './http-site.js';

/** What is of the whole account: whoever has the role sees it, whatever lots are theirs. */
const OF_THE_ACCOUNT = /^\/v2\/(members|groups|tariffs|api-tokens|account-users|webhooks)\b/;
/** Exports and searches for a plate are entries themselves: `audit/audit-log.test.ts` shows who sees which. */
const GROWS = '/v2/audit-log';
/** The chain of entries is one for all accounts, so that who writes the database can cut none of them. */
const OF_ALL_ACCOUNTS = '/v2/audit-head';
const QUESTIONS = longRuns(600, 20);

interface Caller {
  name: string;
  token: string;
}
/** The answer to each caller at each path. */
type Answers = Map<string, string>;
type Item = Record<string, unknown>;
type Whose = 'elsewhere' | 'foreign';

describe('a read of who sees one lot', () => {
  let world: RestWorld;
  let document: OpenApiDocument;
  let own: Owned;
  let hidden: Record<Whose, Owned>;
  let callers: Caller[];
  /** Before others had anything, once another lot of the account had something of each kind, and once another account had, too. */
  let answers: Record<'alone' | Whose, Answers>;

  beforeAll(async () => {
    world = await startRestWorld();
    const { site } = world;
    await signInRival(world);
    document = await fetchDocument(world.cloud.base);
    const harbour = createAttempts(world);
    const rivals = createAttempts({
      ...world,
      site: { ...site, harbour: site.rival },
      post: (path, json) => world.post(path, json, RIVAL_OWNER_TOKEN),
    });
    const mine = harbour.begin();
    own = await ownedBy(world, mine);
    const lot_id = Number(await mine.id('/v2/lots'));
    await assignTo(world, lot_id);
    const limited = async (role: string) =>
      String((await world.post<{ token: string }>('/v2/api-tokens', { name: role, role, lot_ids: [lot_id] })).token);
    callers = [
      { name: 'Admin', token: ADMIN_TOKEN },
      { name: 'Attendant', token: GUARD_TOKEN },
      { name: 'token of a Super Admin', token: await limited('Super Admin') },
      { name: 'token of an Attendant', token: await limited('Attendant') },
    ];
    // So that no plate of the rival is one of the others, too.
    for (let skipped = 0; skipped < 2; skipped++) rivals.begin();
    const alone = await askAll();
    const elsewhere = await ownedBy(world, harbour.begin());
    const withElsewhere = await askAll();
    const foreign = await ownedBy(world, rivals.begin(), RIVAL_OWNER_TOKEN);
    hidden = { elsewhere, foreign };
    answers = { alone, elsewhere: withElsewhere, foreign: await askAll() };
  }, 120_000);
  afterAll(() => world.cloud.close());

  const textOf = async (path: string, token: string) => {
    const { status, text } = await world.cloud.ask('GET', path, { token });
    return `${status} ${text}`;
  };
  const filled = async (path: string, things: Owned): Promise<string> => {
    let asked = path;
    for (const [placeholder, parameter = ''] of path.matchAll(/\{(\w+)\}/g)) {
      asked = asked.replace(placeholder, String(await things.named(path, parameter)));
    }
    return asked;
  };
  /** The protected reads, but those of what a device or a gateway has to say first. */
  const reads = () =>
    operationsOf(document).filter(
      ({ method, path, operation }) =>
        method === 'GET' &&
        !isPublic(operation) &&
        !path.includes('{event_id}') &&
        ![GROWS, OF_ALL_ACCOUNTS].includes(path),
    );

  async function askAll(): Promise<Answers> {
    const found: Answers = new Map();
    for (const { path } of reads()) {
      const asked = await filled(path, own);
      for (const { name, token } of callers) found.set(`${name}: ${path}`, await textOf(asked, token));
    }
    return found;
  }
  const differing = (one: Answers, other: Answers) => [...one.keys()].filter((key) => one.get(key) !== other.get(key));

  it('is answered the same, whatever others have', () => {
    expect(answers.alone.size).toBeGreaterThan(200);
    expect(differing(answers.elsewhere, answers.foreign)).toEqual([]);
    const ofLots = differing(answers.alone, answers.elsewhere).filter((key) => {
      const [, path = ''] = key.split(': ');
      return !OF_THE_ACCOUNT.test(path);
    });
    expect(ofLots).toEqual([]);
  });

  it('finds nothing of theirs by an id', async () => {
    const found: string[] = [];
    let asked = 0;
    for (const { path, operation } of reads()) {
      if (!path.includes('{')) continue;
      for (const [whose, things] of Object.entries(hidden)) {
        if (whose === 'elsewhere' && OF_THE_ACCOUNT.test(path)) continue;
        for (const { name, token } of callers) {
          const { status, body } = await world.cloud.ask('GET', await filled(path, things), { token });
          const errors = (body.errors ?? []).map(({ code }) => code).join();
          asked += 1;
          if (!['404 6', '403 4'].includes(`${status} ${errors}`))
            found.push(`${name}: ${operation.operationId} ${whose}`);
        }
      }
    }
    process.stdout.write(`hidden reads: ${asked} by an id\n`);
    expect(found).toEqual([]);
    expect(asked).toBeGreaterThan(150);
  });

  it(
    'learns nothing of theirs by filters and sorts',
    async () => {
      const all = await everyQuestion();
      const random = seededRandom(SEED);
      const asked = all.toSorted(() => random() - 0.5).slice(0, QUESTIONS);
      const wrong: string[] = [];
      let compared = 0;
      for (const { caller, list, path, seen, query, aboutNothing } of asked) {
        const answer = await textOf(
          `${path}?size=300&${query}`.replace(list.isPaged ? '' : 'size=300&', ''),
          caller.token,
        );
        const isWrong = () => wrong.push(`${caller.name}: ${path}?${query}: ${answer.slice(0, 200)}`);
        if (!answer.startsWith('200 ')) {
          isWrong();
          continue;
        }
        if (list.isPaged) {
          const { meta, data } = JSON.parse(answer.slice(4)) as { meta: { total: number }; data: Item[] };
          const texts = new Set(seen.map(keyOf));
          if (meta.total !== data.length || data.some((item) => !texts.has(keyOf(item)))) isWrong();
        }
        if (aboutNothing === null) continue;
        const about = await textOf(`${path}?${list.isPaged ? 'size=300&' : ''}${aboutNothing}`, caller.token);
        // A field with a list of values knows no other.
        if (about.startsWith('422 ')) continue;
        compared += 1;
        if (withoutAddresses(about) !== withoutAddresses(answer)) isWrong();
      }
      process.stdout.write(
        `hidden reads: ${asked.length} of ${all.length} questions, ${compared} compared, ${wrong.length} told something, seed ${SEED}\n`,
      );
      expect(wrong, `seed ${SEED}`).toEqual([]);
      expect(compared).toBeGreaterThan(QUESTIONS / 10);
    },
    runsTimeoutMs(60_000),
  );

  /** The addresses of pages hold the question. */
  const withoutAddresses = (answer: string) => answer.replaceAll(/"\w+_url":"\/v2[^"]*"/g, '');

  /** An item as it is known again, whatever time it is. */
  const keyOf = (item: Item) => String(item.id ?? item.plate ?? JSON.stringify(item));

  async function everyQuestion() {
    const all: (Question & { caller: Caller; list: AskedList; path: string; seen: Item[] })[] = [];
    for (const list of askedLists(document).filter(({ path }) => path !== GROWS)) {
      const path = await filled(list.path, own);
      for (const caller of callers) {
        const plain = await textOf(list.isPaged ? `${path}?size=300` : path, caller.token);
        if (!plain.startsWith('200 ')) {
          expect([path, caller.name, plain]).toEqual([path, caller.name, expect.stringMatching(/^(403|404) /)]);
          continue;
        }
        const seen = list.isPaged ? (JSON.parse(plain.slice(4)) as { data: Item[] }).data : [];
        const isSeen = (field: string, value: string | number) =>
          typeof value === 'string'
            ? plain.toLowerCase().includes(value.toLowerCase())
            : seen.some((item) => item[field] === value);
        for (const [whose, token] of [
          ['elsewhere', OWNER_TOKEN],
          ['foreign', RIVAL_OWNER_TOKEN],
        ] as const) {
          const thing = { ...(await namesOf(hidden[whose], list)), ...(await itemOf(list, whose, token)) };
          all.push(...questionsOf(list, thing, isSeen).map((question) => ({ ...question, caller, list, path, seen })));
        }
      }
    }
    return all;
  }

  /** The hidden thing of a list as its owner sees it; nothing where an owner's list has none of it. */
  async function itemOf(list: AskedList, whose: Whose, token: string): Promise<Item> {
    if (!list.isPaged) return {};
    const { body } = await world.cloud.ask('GET', `${await filled(list.path, hidden[whose])}?size=300`, { token });
    const items = (body.data ?? []) as Item[];
    const lot_id = await hidden[whose].attempt.id('/v2/lots');
    return items.find((item) => item.lot_id === lot_id) ?? items[0] ?? {};
  }

  /** What the fields of a list would name of the hidden owner. */
  async function namesOf({ attempt }: Owned, list: AskedList): Promise<Item> {
    const names: Item = { plate: `ZG ${attempt.number}` };
    for (const field of list.filters.keys()) {
      const kind = kindOfField(field);
      if (kind !== undefined && (kind === '/v2/lots' || MADE.includes(kind))) names[field] = await attempt.id(kind);
    }
    return names;
  }
});
