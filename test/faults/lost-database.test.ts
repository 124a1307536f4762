/** What callers are answered while the cloud's database fails: a SQLite file. `lost-database.deep.test.ts` has a PostgreSQL server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedSite } from '../integration/http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { ask, createLot, LIST, READY, refusedWith } from './database-callers.js';

describe('a SQLite file', () => {
  let directory: string;
  let cloud: CloudWorld;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lost-database-'));
    cloud = await startCloudWorld({
      watchesDisk: true,
      directory,
      databaseUrl: `sqlite:${join(directory, 'cloud.db')}`,
    });
    await seedSite(cloud.store);
  });
  afterAll(async () => {
    await cloud.close();
    await rm(directory, { recursive: true });
  });

  it('on a full disk: what writes is refused', async () => {
    const limitPages = (most: number) =>
      cloud.store.change((tx) => sql`pragma max_page_count = ${sql.lit(most)}`.execute(tx));
    cloud.store.writes?.start();
    expect(await ask(cloud, READY)).toBe('200');
    await limitPages(1);
    await waitUntil('the last page', async () => (await ask(cloud, createLot())) !== '200');
    expect(await ask(cloud, READY)).toEqual(refusedWith(/refuses to write/));
    expect(await ask(cloud, createLot())).toEqual(refusedWith(/disk is full/));
    expect(await ask(cloud, LIST)).toBe('200');
    await limitPages(1_000_000);
    // Nobody has to change anything for it to be noticed.
    await waitUntil('it to be ready again', async () => {
      await cloud.clock.advance(2_000);
      return (await ask(cloud, READY)) === '200';
    });
    expect(await ask(cloud, createLot())).toBe('200');
    const notified = cloud.log.filter(({ message }) => message.startsWith('the disk')).map(({ message }) => message);
    expect(notified).toEqual(['the disk refuses to write', 'the disk accepts writes again']);
  });
});
