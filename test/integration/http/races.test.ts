/** Two requests at once: a write, and the deletion of something that it refers to. No 5xx, and nothing is left of what is gone. */
import * as fc from '../../property.js';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchDocument, type OpenApiDocument } from '../../contract/openapi-document.js';
import { IS_DEEP, runs, runsTimeoutMs, someOf } from '../../depth.js';
import { SEED } from '../../seed.js';
import type { Answer } from './http-world.js';
import { createAttempts, deletionsOf, writesOf } from './race-things.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';
import { onPostgres } from '../../world/postgres-databases.js';

/** How often each pair is tried. */
const TRIES = runs(1, 10);
/** In the gate each run has one write of so many; which ones differs from one commit to the next. */
const SHARE = 8;

let world: RestWorld;
let document: OpenApiDocument;
let attempts: ReturnType<typeof createAttempts>;
let pairs = 0;
let raced = 0;

beforeAll(async () => {
  world = await startRestWorld({ commandsPerMin: 0 });
  document = await fetchDocument(world.cloud.base);
  attempts = createAttempts(world);
});
afterAll(async () => {
  process.stdout.write(`\nRaces: ${pairs} pairs, ${raced} attempts\n`);
  await world.cloud.close();
});

const ask = (method: string, path: string, json?: unknown): Promise<Answer> =>
  world.cloud.ask(method, path, { token: OWNER_TOKEN, ...(json === undefined ? {} : { json }) });

/** Who begins, and by how many turns of the event loop the other one is later. */
const order = fc.record({ isSecondFirst: fc.boolean(), turns: fc.nat(3) });

type Asked = () => Promise<Answer>;
type How = { isSecondFirst: boolean; turns: number };

async function atOnce(
  first: Asked,
  second: Asked,
  { isSecondFirst, turns }: { isSecondFirst: boolean; turns: number },
) {
  const later = async (asked: Asked) => {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    return asked();
  };
  raced += 1;
  const [a, b] = await Promise.all(isSecondFirst ? [later(first), second()] : [first(), later(second)]);
  return [a, b] as const;
}

/** What failed, with the seed of its order. */
async function failuresOf(attempt: (how: How) => Promise<void>): Promise<string[]> {
  const details = await fc.check(fc.asyncProperty(order, attempt), { numRuns: TRIES, endOnFailure: true });
  const message = details.failed ? await fc.asyncDefaultReportMessage(details) : undefined;
  return message === undefined ? [] : [`${message} ${String(details.errorInstance)}`];
}

const said = ({ status, body }: Answer) =>
  [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field ?? ''}`.trim())].join(' ');

/** What a write is answered that came too late, or that something was in the way of. */
const REFUSED = /^(404 6|422 23 .+|403 (214|704|30)|400 1000)$/;
/** What a deletion is answered that came too late, or of what is in use. */
const KEPT = /^(404 6|422 23 (id|confirm)|403 214)$/;
/** Deletes something; a lot with what is in it is deleted by its name. */
async function deletionOf(path: string): Promise<Asked> {
  if (!path.startsWith('/v2/lots/')) return () => ask('DELETE', path);
  const { name } = (await ask('GET', path)).body.data as { name: string };
  return () => ask('DELETE', `${path}?confirm=${encodeURIComponent(name)}`);
}

describe('a write and the deletion of what it refers to, at once', () => {
  it(
    'end as if one had come after the other',
    async () => {
      const failures: string[] = [];
      const deletable = new Set(deletionsOf(document));
      for (const write of someOf(writesOf(document), SHARE, SEED)) {
        const trial = attempts.begin();
        await attempts.prepare(write, trial);
        for (const kind of trial.kinds().filter((each) => deletable.has(each))) {
          pairs += 1;
          // Whom the changes tell grows with each lot that is left, and nobody asks here.
          world.notified();
          const failed = await failuresOf(async (how) => {
            const attempt = attempts.begin();
            const { path, json } = await attempts.prepare(write, attempt);
            const gone = `${kind}/${await attempt.id(kind)}`;
            const deletion = await deletionOf(gone);
            const [written, deleted] = await atOnce(() => ask(write.method, path, json), deletion, how);
            const what = `${write.route} ${JSON.stringify(json)} beside DELETE ${gone}`;
            if (written.status !== 200) expect([what, said(written)]).toEqual([what, expect.stringMatching(REFUSED)]);
            if (deleted.status !== 200) expect([what, said(deleted)]).toEqual([what, expect.stringMatching(KEPT)]);
            // What the path names itself is gone: that is 404, whatever else is wrong.
            if (written.status === 422 && gone === path) expect([what, said(written)]).toEqual([what, '404 6']);
          });
          failures.push(...failed);
        }
      }
      expect(failures).toEqual([]);
      expect(pairs).toBeGreaterThan(IS_DEEP ? 50 : 50 / SHARE);
      expect(world.cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
    runsTimeoutMs(400_000, 50),
  );

  // PostgreSQL has no such rows, and no question for them.
  it.skipIf(onPostgres())('leave no row that belongs to what is gone', async () => {
    const { reader } = world.cloud.store;
    const { rows } = await sql`pragma foreign_key_check`.execute(reader);
    expect(rows).toEqual([]);
    const orphans = await sql`
      select 'open session' as what, id from sessions
        where ended_at is null and (zone_id not in (select id from zones) or lot_id not in (select id from lots))
      union all select 'pending command', product_id from commands
        where ended_at is null and product_id not in (select id from products)
      union all select 'assignment', lot_id from account_user_lots
        where lot_id not in (select id from lots union all select id from deleted_lots)
      union all select 'valid key', id from operation_tokens
        where status = 'active' and product_id not in (select id from products)
    `.execute(reader);
    expect(orphans.rows).toEqual([]);
  });
});

it(
  'the same creation twice at once, and the same deletion',
  async () => {
    const failures: string[] = [];
    const deletable = deletionsOf(document);
    const writes = writesOf(document).filter(({ field }) => field === null);
    for (const write of someOf(writes, SHARE, SEED)) {
      const failed = await failuresOf(async (how) => {
        const { path, json } = await attempts.prepare(write, attempts.begin());
        const asked = () => ask(write.method, path, json);
        for (const answer of await atOnce(asked, asked, how)) {
          const what = `${write.route} twice`;
          if (answer.status !== 200) expect([what, said(answer)]).toEqual([what, expect.stringMatching(REFUSED)]);
        }
      });
      failures.push(...failed);
    }
    for (const kind of someOf(deletable, SHARE, SEED)) {
      const failed = await failuresOf(async (how) => {
        const path = `${kind}/${await attempts.begin().id(kind)}`;
        const asked = () => ask('DELETE', path);
        const answers = (await atOnce(asked, asked, how)).map(said);
        expect([path, ...answers.toSorted()]).toEqual([path, '200', '404 6']);
      });
      failures.push(...failed);
    }
    expect(failures).toEqual([]);
  },
  runsTimeoutMs(400_000, 50),
);
