import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchDocument, operationsOf } from '../../contract/openapi-document.js';
import { createEverything, type Things, sendAs, servedIn } from '../http/rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { runs } from '../../depth.js';

interface Group {
  id: number;
  name: string;
  updated_at: string;
}

describe('a list is followed', () => {
  let world: RestWorld;
  let things: Things;
  let lists: string[];

  beforeAll(async () => {
    world = await startRestWorld();
    const document = await fetchDocument(world.cloud.base);
    things = await createEverything(sendAs(world.cloud, OWNER_TOKEN), servedIn(document.paths));
    lists = operationsOf(document)
      .filter(({ method, operation }) => {
        const names = new Set((operation.parameters ?? []).map(({ name }) => name));
        return method === 'GET' && names.has('filter') && names.has('sort');
      })
      // It lists plates, and no things with ids.
      .filter(({ path }) => path !== '/v2/sessions/vehicle-analytics')
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, String(things.get(path.split('/{', 1)[0] ?? ''))));
  });
  afterAll(() => world.cloud.close());

  const idsOf = async (path: string): Promise<(number | string)[]> =>
    (await world.get<{ id: number | string }[]>(path)).map(({ id }) => id);
  const inOrder = (ids: readonly (number | string)[]) =>
    ids.toSorted((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1));

  it('by id and by the time of the last change, whatever it lists', async () => {
    expect(lists.length).toBeGreaterThan(20);
    for (const path of lists) {
      const all = inOrder(await idsOf(`${path}?size=300`));
      expect([path, await idsOf(`${path}?size=300&sort=id:asc`)]).toEqual([path, all]);
      const [first] = all;
      if (first !== undefined) {
        expect([path, await idsOf(`${path}?size=300&sort=id:asc&filter=id:gt:${first}`)]).toEqual([path, all.slice(1)]);
      }
      for (const rule of ['gt', 'gte', 'neq']) {
        const past = await idsOf(
          `${path}?size=300&sort=updated_at:asc&filter=updated_at:${rule}:1970-01-01T00:00:00.000Z`,
        );
        expect([path, rule, inOrder(past)]).toEqual([path, rule, all]);
      }
      for (const rule of ['eq', 'lt', 'lte']) {
        const none = await idsOf(`${path}?sort=updated_at:desc&filter=updated_at:${rule}:1970-01-01T00:00:00.000Z`);
        expect([path, rule, none]).toEqual([path, rule, []]);
      }
      const within = 'filter=date_from:eq:1970-01-01&filter=date_to:eq:2100-01-01';
      expect([path, inOrder(await idsOf(`${path}?size=300&${within}`))]).toEqual([path, all]);
      const { body } = await world.cloud.ask('GET', `${path}?filter=updated_at:gt:yesterday`, { token: OWNER_TOKEN });
      expect(body.errors).toEqual([
        {
          code: 23,
          field: 'filter',
          message: 'The value of updated_at must be an ISO 8601 datetime with Z or an offset, or a date',
        },
      ]);
    }
  });

  it('misses no change in a copy that is kept by updated_at, in pages of any size', async () => {
    const made: number[] = [];
    for (let at = 0; at < 7; at += 1) made.push((await world.post<Group>('/v2/groups', { name: `G${at}` })).id);
    const copy = new Map<number, string>();
    let since = '1970-01-01T00:00:00.000Z';
    const follow = async (size: number) => {
      for (;;) {
        const page = await world.get<Group[]>(
          `/v2/groups?sort=updated_at:asc&size=${size}&filter=updated_at:gte:${since}&filter=id:in:${made.join(',')}`,
        );
        const isNew = page.some(({ id, name }) => copy.get(id) !== name);
        for (const { id, name } of page) copy.set(id, name);
        since = page.at(-1)?.updated_at ?? since;
        if (!isNew) return;
      }
    };
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 1 })), { maxLength: 6 }),
        fc.integer({ min: 8, max: 20 }),
        async (changes, size) => {
          for (const [at, ms] of changes) {
            await world.cloud.clock.advance(ms);
            await world.patch(`/v2/groups/${made[at]}`, { name: `changed ${(count += 1)}` });
          }
          await follow(size);
          const present = await world.get<Group[]>(`/v2/groups?size=300&filter=id:in:${made.join(',')}`);
          expect([...copy].toSorted()).toEqual(present.map(({ id, name }) => [id, name]).toSorted());
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('in pages that do not shift where many have the same time', async () => {
    const all = await idsOf('/v2/groups?size=300&sort=updated_at:asc');
    for (const direction of ['asc', 'desc']) {
      const paged: (number | string)[] = [];
      for (let page = 1; page <= Math.ceil(all.length / 3); page += 1) {
        paged.push(...(await idsOf(`/v2/groups?size=3&page=${page}&sort=updated_at:${direction}`)));
      }
      expect(paged).toEqual(direction === 'asc' ? all : all.toReversed());
    }
  });
});
