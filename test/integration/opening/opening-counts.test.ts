/** How often products were asked to move, by hour and by the hour of the day. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COUNTS_MAX } from '../../../cloud/traffic/opening/opening-counts.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

let world: RestWorld;
beforeAll(async () => void (world = await startRestWorld()));
afterAll(() => world.cloud.close());

interface Counts {
  timezone: string;
  counts: {
    product_id: number;
    period_start: string | null;
    hour: number | null;
    openings_count: number;
    failed_count: number;
  }[];
}

describe('counts of openings', () => {
  const count = (query: string) => world.get<Counts>(`/v2/openings/counts?${query}`);

  async function addOpenings(rows: readonly Partial<NewRow<'openings'>>[]): Promise<void> {
    const { site, cloud } = world;
    const common = { account_id: site.harbour, lot_id: site.north, product_id: 901, gateway_id: null, given_by: null };
    const rest = {
      operation: 'open',
      cause: 'camera',
      outcome: 'succeeded',
      error_type: null,
      event_id: null,
    } as const;
    const none = { plate_reading_id: null, plate_sighting_id: null, updated_at: 0 };
    await cloud.store.change(async (tx) => {
      for (const row of rows)
        await tx
          .insertInto('openings')
          .values({ ...common, ...rest, ...none, at: 0, ...row })
          .execute();
    });
  }

  it('are by product and hour, of the clocks of the lot', async () => {
    // The night in which the clocks of Zagreb were put forward, from 2 to 3.
    const one = Date.UTC(2026, 2, 29, 0, 30);
    await addOpenings([
      { at: one },
      { at: one + 60_000, outcome: 'failed' },
      { at: one + HOUR_MS },
      { at: one + HOUR_MS, product_id: 902, cause: 'person' },
    ]);
    const days = 'from=2026-03-29&to=2026-03-29';
    const of = (product_id: number, start: string, openings_count: number, failed_count = 0) => ({
      product_id,
      period_start: start,
      hour: null,
      openings_count,
      failed_count,
    });
    expect(await count(`group=hour&${days}`)).toEqual({
      timezone: 'Europe/Zagreb',
      counts: [
        of(901, '2026-03-29T00:00:00.000Z', 2, 1),
        of(901, '2026-03-29T01:00:00.000Z', 1),
        of(902, '2026-03-29T01:00:00.000Z', 1),
      ],
    });
    const { counts } = await count(`group=hour_of_day&${days}&filter=product_id:eq:901`);
    expect(counts).toEqual([
      { product_id: 901, period_start: null, hour: 1, openings_count: 2, failed_count: 1 },
      { product_id: 901, period_start: null, hour: 3, openings_count: 1, failed_count: 0 },
    ]);
    const { counts: byPeople } = await count(`${days}&filter=cause:eq:person`);
    expect(byPeople).toEqual([of(902, '2026-03-29T01:00:00.000Z', 1)]);
  });

  it('add up the days of a year by the hour that clocks showed', async () => {
    const noon = [Date.UTC(2026, 0, 5, 11), Date.UTC(2026, 6, 5, 10), Date.UTC(2026, 10, 5, 11)];
    await addOpenings(noon.map((at) => ({ at, product_id: 903 })));
    const { counts } = await count('group=hour_of_day&from=2026-01-01&to=2026-12-31&filter=product_id:eq:903');
    expect(counts).toMatchObject([{ hour: 12, openings_count: 3 }]);
  });

  it('are of a bounded time, and so many that a person can look at them', async () => {
    const refused = (query: string) => world.refused('GET', `/v2/openings/counts?${query}`);
    expect(await refused('group=hour&from=2026-01-01&to=2026-03-01')).toEqual([422, '23 from']);
    expect(await refused('group=hour_of_day&from=2024-01-01&to=2026-03-01')).toEqual([422, '23 from']);
    expect(await refused('from=2026-03-01&to=2026-02-01')).toEqual([422, '23 from']);
    expect(await refused('group=minute')).toEqual([422, '23 group']);
    const from = Date.UTC(2025, 4, 1);
    const hours = Array.from({ length: 30 }, (_, product) => product);
    await world.cloud.store.change(async (tx) => {
      for (const product of hours) {
        const rows = Array.from({ length: 700 }, (_, at) => ({ product_id: 2_000 + product, at: from + at * HOUR_MS }));
        const common = { account_id: world.site.harbour, lot_id: world.site.north, updated_at: 0 };
        const rest = { operation: 'open', cause: 'camera', outcome: 'succeeded' } as const;
        await tx
          .insertInto('openings')
          .values(rows.map((row) => ({ ...common, ...rest, ...row })))
          .execute();
      }
    });
    const month = `from=${new Date(from).toISOString()}&to=${new Date(from + 30 * DAY_MS).toISOString()}`;
    expect(await refused(`group=hour&${month}`)).toEqual([422, '23 from']);
    const { counts } = await count(`group=hour_of_day&${month}`);
    expect(counts).toHaveLength(hours.length * 24);
    expect(counts.length).toBeLessThan(COUNTS_MAX);
  });
});
