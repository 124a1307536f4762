/** 10,000 lines of members: how long an import takes, whether others wait for it, and what is left when its process is killed in the middle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const LINES = 10_000;
/** Two minutes are promised on a machine of its own; what others do beside it is not known here. */
const LIMIT_MS = 120_000;
/** Of somebody who asks meanwhile. */
const ASKED_MAX_MS = 1_500;
const PACE_MS = 300;

interface Import {
  status: string;
  made_count: number;
  changed_count: number;
  refused_count: number;
}

describe('an import of 10,000 lines', () => {
  let world: World;
  let group: number;

  beforeAll(async () => {
    world = await createWorld({ driver: 'programs' });
    group = (await made('/v2/groups', { name: 'Season', zone_ids: [1] })).id;
  });
  afterAll(() => world?.close());

  const made = async (path: string, body: object): Promise<{ id: number }> => {
    const answer = await world.call<{ data: { id: number } }>('POST', path, { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.data;
  };
  const linesOf = (name: string) =>
    Array.from({ length: LINES }, (_, at) => ({
      line: at + 2,
      name: `${name} ${at}`,
      plates: [`${name.slice(0, 2).toUpperCase()} ${at}`],
      email: `${name.toLowerCase()}.${at}@example.com`,
      group_ids: [group],
    }));
  const one = async (id: number) => (await world.api<{ data: Import }>(`/v2/member-imports/${id}`)).body.data;
  const countOf = async (name: string) =>
    (await world.api<{ meta: { total: number } }>(`/v2/members?size=1&filter=name:like:${name}`)).body.meta.total;
  const ended = (id: number) =>
    waitUntil('the end of the import', async () => (await one(id)).status !== 'running', LIMIT_MS);

  it('is done in two minutes, while others are answered', async () => {
    const beganMs = performance.now();
    const { id } = await made('/v2/member-imports', { file_name: 'members.csv', lines: linesOf('Resident') });
    const acceptedMs = performance.now() - beganMs;
    const waits: number[] = [];
    while ((await one(id)).status === 'running') {
      const askedMs = performance.now();
      await world.call('PATCH', '/v2/groups/1', { body: { description: `asked ${waits.length}` } });
      waits.push(performance.now() - askedMs);
      // A token may ask 600 times a minute.
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
    const tookMs = performance.now() - beganMs;
    waits.sort((a, b) => a - b);
    const worst = waits.at(-1) ?? 0;
    process.stdout.write(
      `\nImport of ${LINES} lines: accepted in ${Math.round(acceptedMs)} ms, done in ${(tookMs / 1_000).toFixed(1)} s; ` +
        `${waits.length} changes of others meanwhile, median ${Math.round(waits[waits.length >> 1] ?? 0)} ms, longest ${Math.round(worst)} ms\n`,
    );
    expect(await one(id)).toMatchObject({ status: 'done', made_count: LINES, refused_count: 0 });
    expect(tookMs).toBeLessThan(LIMIT_MS);
    expect(worst).toBeLessThan(ASKED_MAX_MS);
    expect(await countOf('Resident')).toBe(LINES);
  }, 180_000);

  it('goes on after a kill -9 in its middle, and makes each member once', async () => {
    const { id } = await made('/v2/member-imports', { lines: linesOf('Visitor') });
    const atKill: number[] = [];
    for (const share of [0.2, 0.5]) {
      await waitUntil('a part of the lines', async () => (await one(id)).made_count >= LINES * share, LIMIT_MS);
      atKill.push((await one(id)).made_count);
      await world.faults.kill('cloud');
      await world.startCloud();
    }
    await ended(id);
    const found = await one(id);
    process.stdout.write(
      `\nKilled at ${atKill.join(' and ')} of ${LINES} lines; in the end ${JSON.stringify(found)}\n`,
    );
    expect(found).toMatchObject({ status: 'done', made_count: LINES, changed_count: 0, refused_count: 0 });
    expect(await countOf('Visitor')).toBe(LINES);
  }, 240_000);
});
