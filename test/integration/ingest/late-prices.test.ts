/** What stays cost of which the cloud hears late: their tariff counts as it was when they began. */
import { expect, it } from 'vitest';
import { deleteThing } from '../../world/delete-thing.js';
import { updateRow } from '../../../cloud/kernel/store/row-queries.js';
import { keepTariffVersion } from '../../../cloud/traffic/tariff/tariff-version-queries.js';
import type { RecordPayload } from '../../../shared/uplink.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { entryRead, exitRead, NOON_MS, sessionOf } from './gateway-records.js';

const HOUR = 3_600_000;

const world = storeWorld('for each test');
const sendLane = senderOf(world);
const send = (...payloads: RecordPayload[]) => sendLane(0, ...payloads);

/** As an edit over REST, or by a site file, at this time. */
const editTariff = (changed: object, at: number) =>
  world.store.change(async (tx) => {
    await updateRow(tx, 'tariffs', { id: world.site.tariff, set: { ...changed, updated_at: at } });
    await keepTariffVersion(tx, world.site.tariff);
  });
const hoursAgo = (hours: number) => NOON_MS - hours * HOUR;
const entry = (plate: string, event_ms: number) => entryRead(world.site, { reading: { plate, event_ms } });
const exit = (read: ReturnType<typeof entryRead>, event_ms: number) =>
  exitRead(world.site, sessionOf(read), { reading: { plate: read.reading.plate, event_ms } });

const sessions = () =>
  world.store.reader
    .selectFrom('sessions')
    .leftJoin('tariff_versions', 'tariff_versions.id', 'sessions.tariff_version_id')
    .select([
      'sessions.price_minor',
      'sessions.currency',
      'tariff_versions.price_minor as step_minor',
      'sessions.tariff_id',
    ])
    .orderBy('sessions.id')
    .execute();

it('each stay has the version of its beginning, also in one batch', async () => {
  const { tariff } = world.site;
  await editTariff({ price_minor: 500 }, hoursAgo(6));
  await editTariff({ price_minor: 9_000, currency: 'JPY' }, hoursAgo(2));
  const reads = [
    entry('ZG1', hoursAgo(9)),
    entry('ZG2', hoursAgo(6)),
    entry('ZG3', hoursAgo(2) - 1),
    entry('ZG4', hoursAgo(1)),
  ];
  await send(...reads);
  expect((await sessions()).map(({ step_minor, currency }) => [step_minor, currency])).toEqual([
    [150, 'EUR'],
    [500, 'EUR'],
    [500, 'EUR'],
    [9_000, 'JPY'],
  ]);
  await send(...reads.map((read) => exit(read, NOON_MS - 1_000)));
  expect(await sessions()).toMatchObject([
    { price_minor: 9 * 150, currency: 'EUR', tariff_id: tariff },
    { price_minor: 6 * 500 },
    { price_minor: 2 * 500 },
    { price_minor: 9_000, currency: 'JPY' },
  ]);
});

it('a stay that begins and ends in one batch has its price', async () => {
  const read = entry('ZG1', hoursAgo(3));
  await send(read, exit(read, hoursAgo(1)));
  expect(await sessions()).toMatchObject([{ price_minor: 300, currency: 'EUR' }]);
});

it('a stay whose entry comes after its exit has its price', async () => {
  const read = entry('ZG1', hoursAgo(3));
  await send(exitRead(world.site, null, { reading: { plate: 'ZG1', event_ms: hoursAgo(1) } }), read);
  expect(await sessions()).toMatchObject([{ price_minor: 300 }]);
});

it('a stay in a deleted zone has the price of its tariff, which was deleted too', async () => {
  const { zone, tariff } = world.site;
  await world.store.change(async (tx) => {
    await deleteThing(tx, 'zones', { id: zone, now: hoursAgo(1) });
    await deleteThing(tx, 'tariffs', { id: tariff, now: hoursAgo(1) });
  });
  const read = entry('ZG1', hoursAgo(3));
  await send(read, exit(read, hoursAgo(1)));
  expect(await sessions()).toMatchObject([{ price_minor: 300, currency: 'EUR', tariff_id: tariff }]);
});
