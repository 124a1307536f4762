/** The search over all readings: by patterns and look-alikes of plates, by the look of the vehicle, and the same as a file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { looksAlike } from '../../../shared/plate/match-plate.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import * as fc from '../../property.js';
import { runs } from '../../depth.js';
import { OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { readCsv } from '../session/read-csv.js';
import { readingRow } from '../session/reading-rows.js';

const LETTERS = 'ZG2B8O0QDI1L5S';
const PLATES = [
  'ZG 1234-AB',
  'ZG 1234-A8',
  '2G 1234 AB',
  'ZG 9234 AB',
  'ZG 123 AB',
  'ZG 12345 AB',
  'ZG 9934 AB',
  'KA 5',
  'Ж 12',
  '0012',
];

describe('readings', () => {
  let world: RestWorld;
  const all: string[] = [];

  beforeAll(async () => {
    world = await startRestWorld();
    const { site, cloud } = world;
    const random = fc.sample(fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 }), 300);
    const rows = [...PLATES, ...random].map((plate, at): NewRow<'plate_readings'> => {
      all.push(plate);
      const [lot_id, zone_id] = at === 7 ? [site.south, site.southZone] : [site.north, site.zone];
      const of = { account_id: site.harbour, lot_id, zone_id, plate, plate_normalised: normalisePlate(plate) };
      return readingRow({
        ...of,
        at: cloud.clock.now() - at * 60_000,
        color: at === 0 ? 'Dark red' : null,
        make: at === 1 ? 'Škoda' : null,
      });
    });
    await cloud.store.change((tx) => tx.insertInto('plate_readings').values(rows).execute());
  });
  afterAll(() => world.cloud.close());

  const find = async (filter: string, token?: string) => {
    const path = `/v2/plate-readings?size=300&sort=id:asc&filter=${encodeURIComponent(filter)}`;
    return (await world.get<{ plate: string }[]>(path, token)).map(({ plate }) => plate);
  };
  const patternOf = (pattern: string) => new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u');

  it.each(['ZG?234*', 'zg 1234*', '*AB', '*12*', '?A5', 'KA5', 'Ж*', '00??', '???', '*', 'ZG%*'])(
    'are found by the pattern %s',
    async (pattern) => {
      const wanted = patternOf(
        normalisePlate(pattern.replaceAll(/[*?]/g, '')) === ''
          ? pattern
          : pattern.toUpperCase().replaceAll(/[ %]/g, ''),
      );
      const expected = all.filter((plate) => wanted.test(normalisePlate(plate)));
      expect(await find(`plate:match:${pattern}`)).toEqual(expected.slice(0, 300));
    },
  );

  it('are found by what looks like a plate, exactly as an exit would take them for each other', async () => {
    const plates = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 });
    for (const plate of [...PLATES, ...fc.sample(plates, runs(15))]) {
      const expected = all.filter((other) => looksAlike(normalisePlate(plate), normalisePlate(other)));
      expect([plate, await find(`plate:look_alike:${plate}`)]).toEqual([plate, expected.slice(0, 300)]);
    }
  });

  it('are found by the look of the vehicle, whatever its case', async () => {
    expect(await find('color:like:RED')).toEqual(['ZG 1234-AB']);
    expect(await find('make:like:škod')).toEqual(['ZG 1234-A8']);
    expect(await find('make:eq:Škoda')).toEqual(['ZG 1234-A8']);
    expect(await find('model:isnotnull')).toEqual([]);
  });

  it('are shown to those who are assigned to their lot', async () => {
    expect(await find('plate:match:KA?', OWNER_TOKEN)).toEqual(['KA 5']);
    expect(await find('plate:match:KA?', GUARD_TOKEN)).toEqual([]);
    expect(await find('plate:look_alike:KA5', RIVAL_TOKEN)).toEqual([]);
  });

  it('are not looked for unnoticed', async () => {
    await find('plate:match:QQ?');
    await find('plate:look_alike:QQ7');
    const entries = await world.get<{ details: { filter: string[] } }[]>(
      '/v2/audit-log?size=300&filter=action:eq:plate.search',
    );
    const searched = entries.flatMap(({ details }) => details.filter);
    expect(searched).toEqual(expect.arrayContaining(['plate:match:QQ?', 'plate:look_alike:QQ7']));
  });

  it('are refused by a pattern that could be tried in too many ways', async () => {
    for (const value of ['*A'.repeat(9), 'A'.repeat(65)])
      expect(await world.refused('GET', `/v2/plate-readings?filter=plate:match:${value}`)).toEqual([422, '23 filter']);
    // No plate is as long as that.
    expect(await find(`plate:look_alike:${'A'.repeat(2_000)}`)).toEqual([]);
  });

  it('are a file, with whole plates, names and local times, and an entry in the audit log', async () => {
    const path = '/v2/plate-readings/export?text=1&filter=plate:match:??12';
    const { status, headers, text } = await world.cloud.ask('GET', path, { token: OWNER_TOKEN });
    const row = readCsv(text).find(({ plate }) => plate === '="0012"');
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="plate-readings.csv"']);
    expect(row).toMatchObject({
      lot_name: 'North',
      zone_name: 'Level 0',
      direction: 'in',
      read_at_offset: 'UTC+01:00',
    });
    const entries = await world.get<{ details: object }[]>('/v2/audit-log?filter=action:eq:plate_reading.export');
    expect(entries).toMatchObject([{ details: { filter: ['plate:match:??12'] } }]);
    const guards = await world.cloud.ask('GET', '/v2/plate-readings/export', { token: GUARD_TOKEN });
    expect(readCsv(guards.text)).toHaveLength(all.length - 1);
  });
});
