/** The tariff of a stay that a gateway tells of, where its plate is a member's for a time. */
import { expect, it } from 'vitest';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { entryRead, NOON_MS } from '../ingest/gateway-records.js';

const world = storeWorld('for each test');
const send = senderOf(world);

it("is the group's for what its members begin in their time, whenever the cloud hears of it", async () => {
  const { site } = world;
  const ends = NOON_MS - 60_000;
  await world.store.change((tx) => tx.updateTable('members').set({ valid_until: ends }).execute());
  const begunAt = (event_ms: number) => entryRead(site, { reading: { plate: 'ZG-MIA1', event_ms } });
  await send(0, begunAt(ends - 600_000), begunAt(ends));
  const rows = await world.store.reader.selectFrom('sessions').select('tariff_id').orderBy('created_at').execute();
  expect(rows.map(({ tariff_id }) => tariff_id)).toEqual([site.memberTariff, site.tariff]);
});
