/** Imports of members: the service writes the lines by itself, each once, whatever happens meanwhile. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IMPORTS_KEPT_MS, pruneMemberImports } from '../../../cloud/guests/member/member-import-queries.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { ADMIN_TOKEN, OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Import {
  id: number;
  status: string;
  file_name: string;
  begun_by: string;
  lines_count: number;
  made_count: number;
  changed_count: number;
  refused_count: number;
  ended_at: string | null;
}
interface Line {
  line: number;
  status: string;
  name: string;
  member_id: number | null;
  errors: { code: number; field?: string }[];
}

const PATH = '/v2/member-imports';

let world: RestWorld;
let group: number;
beforeEach(async () => {
  world = await startRestWorld();
  ({ id: group } = await world.post<{ id: number }>('/v2/groups', { name: 'Season', zone_ids: [world.site.zone] }));
});
afterEach(() => world.cloud.close());

const begin = (lines: object[], more: object = {}) => world.post<Import>(PATH, { lines, ...more });
const refused = (body: object) => world.refused('POST', PATH, body);
const one = (id: number, token?: string) => world.get<Import>(`${PATH}/${id}`, token);
const linesOf = (id: number, query = '') => world.get<Line[]>(`${PATH}/${id}/lines?sort=line:asc&size=300${query}`);
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    line: at + 2,
    name: `Member ${at}`,
    plates: [`ZG ${at}`],
    group_ids: [group],
  }));
const membersCount = async () =>
  Number(
    (
      await world.cloud.store.reader
        .selectFrom('members')
        .select(({ fn }) => fn.countAll().as('total'))
        .executeTakeFirstOrThrow()
    ).total,
  );

async function ended(id: number, token?: string): Promise<Import> {
  await waitUntil('the end of the import', async () => (await one(id, token)).status !== 'running', 120_000);
  return one(id, token);
}

describe('an import of members', () => {
  it('makes and changes members, and says of each line what became of it', async () => {
    const ana = await world.post<{ id: number }>('/v2/members', { name: 'Ana', email: 'ana@example.com' });
    world.notified();
    const begun = await begin(
      [
        { line: 2, name: 'Ivo', plates: ['ZG 1-A', 'ZG 2-A'], group_ids: [group] },
        { line: 3, id: ana.id, plates: ['ST 7'] },
        { line: 4, id: 999, name: 'Nobody' },
        { line: 5, name: 'Iva', license_plate: 'ZG 9', plates: ['ZG 8'] },
        { line: 6, name: 'Mia' },
      ],
      { file_name: 'members.csv' },
    );
    expect(begun).toMatchObject({ status: 'running', lines_count: 5, file_name: 'members.csv', ended_at: null });
    expect(await ended(begun.id)).toMatchObject({
      status: 'done',
      made_count: 2,
      changed_count: 1,
      refused_count: 2,
      ended_at: expect.any(String),
    });
    expect(await linesOf(begun.id)).toMatchObject([
      { line: 2, status: 'made', errors: [] },
      { line: 3, status: 'changed', member_id: ana.id, name: 'Ana', errors: [] },
      { line: 4, status: 'refused', errors: [{ code: 6 }] },
      { line: 5, status: 'refused', member_id: null, errors: [{ code: 23, field: 'license_plate' }] },
      { line: 6, status: 'made' },
    ]);
    expect(await linesOf(begun.id, '&filter=status:eq:refused')).toHaveLength(2);
    expect(await world.get(`/v2/members/${ana.id}`)).toMatchObject({ email: 'ana@example.com', plates: ['ST 7'] });
    expect(await world.ids('/v2/members?filter=license_plate:eq:ZG2A')).toHaveLength(1);
    expect(world.notified()).toContain(world.site.north);
    // What was written stands nowhere else any more.
    const kept = await world.cloud.store.reader.selectFrom('member_import_lines').select('body').execute();
    expect(kept.map(({ body }) => body)).toEqual([null, null, null, null, null]);
    const audit = await world.get<{ action: string; target: string }[]>('/v2/audit-log?size=5');
    expect(audit.map(({ action, target }) => [action, target])).toContainEqual([
      'member_import.end',
      `member import ${begun.id}`,
    ]);
  });

  it('begins with whole lines: what is wrong with one is said of it, and nothing is written', async () => {
    const before = await membersCount();
    expect(
      await refused({
        lines: [
          { line: 2 },
          { line: 3, name: 'A', plates: ['---'] },
          { line: 4, name: 'B', email: 'b' },
          { line: 5, name: 'C', group_ids: [999] },
          { line: 6, name: 'D', valid_from: '2030-01-01T00:00:00.000Z', valid_until: '2029-01-01T00:00:00.000Z' },
          { line: 0, name: 'E' },
          { line: 8, name: 'F', shoe_size: 38 },
        ],
      }),
    ).toEqual([
      422,
      '23 lines.0.name',
      '23 lines.1.plates.0',
      '23 lines.2.email',
      '23 lines.4.valid_until',
      '23 lines.5.line',
      '23 lines.6.shoe_size',
      '23 lines.3.group_ids.0',
    ]);
    expect(await refused({ lines: [] })).toEqual([422, '23 lines']);
    expect(await refused({ lines: many(10_001) })).toEqual([422, '23 lines']);
    expect([await membersCount(), await world.ids(PATH)]).toEqual([before, []]);
  });

  it('is one at a time in an account, and not held up by that of another', async () => {
    const { id } = await begin(many(300));
    expect(await refused({ lines: many(1) })).toEqual([422, '23 lines']);
    const theirs = await world.post<Import>(PATH, { lines: [{ line: 2, name: 'Theirs' }] }, RIVAL_TOKEN);
    expect(await world.refused('GET', `${PATH}/${theirs.id}`)).toEqual([404, '6']);
    expect(await world.refused('GET', `${PATH}/${theirs.id}/lines`)).toEqual([404, '6']);
    expect((await ended(id)).made_count).toBe(300);
    await begin(many(1));
  });

  it('is not held up by one that cannot go on', async () => {
    const { store } = world.cloud;
    const rival = await world.post<Import>(PATH, { lines: [{ line: 2, name: 'Theirs' }] }, RIVAL_TOKEN);
    await ended(rival.id, RIVAL_TOKEN);
    await store.change(async (tx) => {
      await tx
        .updateTable('member_import_lines')
        .set({ status: 'waiting', body: 'no JSON' })
        .where('import_id', '=', rival.id)
        .execute();
      await tx.updateTable('member_imports').set({ status: 'running' }).where('id', '=', rival.id).execute();
    });
    const { id } = await begin(many(30));
    expect(await ended(id)).toMatchObject({ status: 'done', made_count: 30 });
    expect((await one(rival.id, RIVAL_TOKEN)).status).toBe('running');
  });

  it('is cancelled by a person, and what it did not come to is left out', async () => {
    const { id } = await begin(many(2_000));
    await waitUntil('the first members', async () => (await one(id)).made_count > 0);
    world.notified();
    const cancelled = await world.post<Import>(`${PATH}/${id}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) });
    expect(world.notified()).not.toEqual([]);
    expect(await world.refused('POST', `${PATH}/${id}/cancel`, {})).toEqual([422, '23 id']);
    const { made_count } = await one(id);
    expect(made_count).toBeLessThan(2_000);
    expect((await linesOf(id, `&page=${Math.ceil(2_000 / 300)}`)).at(-1)).toMatchObject({ status: 'left_out' });
    expect(await world.ids('/v2/members?filter=search:like:Member&size=300')).toHaveLength(Math.min(made_count, 300));
  });

  it('goes on after the process has ended in its middle, and does each line once', async () => {
    const before = await membersCount();
    const { id } = await begin(many(400));
    await waitUntil('the first members', async () => (await one(id)).made_count > 0);
    await world.cloud.restart();
    expect(await ended(id)).toMatchObject({ status: 'done', made_count: 400, refused_count: 0 });
    expect(await membersCount()).toBe(before + 400);
  });

  it('stops when who began it may not change members any more', async () => {
    const { id } = await world.post<Import>(PATH, { lines: many(2_000) }, ADMIN_TOKEN);
    await world.remove(`/v2/account-users/${world.admin}`);
    expect((await ended(id)).status).toBe('stopped');
    expect((await one(id)).made_count).toBeLessThan(2_000);
  });

  it('goes on when who began it signs out', async () => {
    const { id } = await world.post<Import>(PATH, { lines: many(200) }, ADMIN_TOKEN);
    await world.cloud.ask('POST', '/v2/auth/logout', { token: ADMIN_TOKEN, json: {} });
    expect(await ended(id)).toMatchObject({ status: 'done', made_count: 200 });
  });

  it('is kept for thirty days', async () => {
    const { id } = await begin(many(3));
    await ended(id);
    const now = world.cloud.clock.now();
    await pruneMemberImports(world.cloud.store, now - 1);
    expect(await world.ids(PATH)).toEqual([id]);
    await pruneMemberImports(world.cloud.store, now + IMPORTS_KEPT_MS);
    expect(await world.ids(PATH)).toEqual([]);
    expect(await world.cloud.store.reader.selectFrom('member_import_lines').select('id').execute()).toEqual([]);
  });

  // SQLite is measured by the program itself (`test/deep/member-import-kill.test.ts`).
  it.runIf(onPostgres())(
    'writes 10,000 lines within two minutes on PostgreSQL',
    async () => {
      const beganMs = performance.now();
      const { id } = await begin(many(10_000));
      expect(await ended(id)).toMatchObject({ status: 'done', made_count: 10_000, refused_count: 0 });
      const tookS = (performance.now() - beganMs) / 1_000;
      process.stdout.write(`\nImport of 10000 lines on PostgreSQL: ${tookS.toFixed(1)} s\n`);
      expect(tookS).toBeLessThan(120);
    },
    150_000,
  );

  it('begins once for a key that is sent twice', async () => {
    const send = () =>
      world.cloud.ask('POST', PATH, {
        token: OWNER_TOKEN,
        json: { lines: many(2) },
        headers: { 'idempotency-key': 'import-1' },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.body.data]).toEqual([200, first.body.data]);
    expect(await world.ids(PATH)).toHaveLength(1);
  });
});
