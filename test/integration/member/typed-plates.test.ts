/** The rule of plates in every body of REST and in site files; `test/unit/console/member-file.test.ts` has it of the import. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import { someOf } from '../../depth.js';
import { NO_PLATES, PLATES } from '../../unit/plate/typed-plates.js';
import { LEAST_THINGS } from '../http/least-things.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Place {
  method: string;
  path: string;
  body: (plate: string) => object;
  field: string;
}

describe('a plate', () => {
  let world: RestWorld;
  let places: Place[];
  beforeAll(async () => {
    world = await startRestWorld();
    const { zone } = world.site;
    const product = { zone_id: zone, ...LEAST_THINGS.get('/v2/products')?.values(1) };
    const { id: product_id } = await world.post<{ id: number }>('/v2/products', product);
    const member = await world.post<{ id: number }>('/v2/members', { name: 'Mia' });
    const alert = await world.post<{ id: number }>('/v2/license-plate-alerts', { name: 'Sold' });
    const stay = { zone_id: zone, entry_license_plate: 'KA1' };
    const session = await world.post<{ id: number; entry_license_plate: { id: number } }>('/v2/sessions', stay);
    const key = { product_id, name: 'Ana', receiver_identifier_type: 'license_plate' };
    const start_time = new Date(world.cloud.clock.now()).toISOString();
    const place = (method: string, path: string, field: string, body: Place['body']): Place => ({
      method,
      path,
      field,
      body,
    });
    places = [
      place('POST', '/v2/members', 'license_plate', (license_plate) => ({ name: 'Ana', license_plate })),
      place('PATCH', `/v2/members/${member.id}`, 'license_plate', (license_plate) => ({ license_plate })),
      place('PATCH', `/v2/members/${member.id}`, 'plates.1', (plate) => ({ plates: ['KA77', plate] })),
      place('POST', '/v2/license-plate-alerts', 'plates.0', (plate) => ({ name: 'x', plates: [plate] })),
      place('PATCH', `/v2/license-plate-alerts/${alert.id}`, 'plates.1', (plate) => ({ plates: ['KA77', plate] })),
      place('POST', `/v2/products/${product_id}/bound-licenses`, 'license_plate', (license_plate) => ({
        license_plate,
      })),
      place('POST', '/v2/key-logs', 'receiver_identifier', (receiver_identifier) => ({
        ...key,
        start_time,
        receiver_identifier,
      })),
      place('POST', '/v2/sessions', 'entry_license_plate', (plate) => ({ ...stay, entry_license_plate: plate })),
      place('PATCH', `/v2/sessions/${session.id}`, 'entry_license_plate', (plate) => ({ entry_license_plate: plate })),
      place('POST', `/v2/sessions/${session.id}/close`, 'exit_license_plate', (plate) => ({
        exit_license_plate: plate,
      })),
      place('PATCH', `/v2/plate-readings/${session.entry_license_plate.id}`, 'plate', (plate) => ({ plate })),
    ];
  });
  afterAll(() => world.cloud.close());

  it.each(NO_PLATES)('is refused by every body of REST where it is none: %s', async (_, text) => {
    const answers = await Promise.all(
      places.map(async ({ method, path, body, field }) => [
        `${method} ${path} ${field}`,
        await world.refused(method, path, body(text)),
      ]),
    );
    expect(answers).toEqual(
      places.map(({ method, path, field }) => [`${method} ${path} ${field}`, [422, `23 ${field}`]]),
    );
  });

  it('is refused with the reason', async () => {
    const messageOf = async (license_plate: string) => {
      const { body } = await world.cloud.ask('POST', '/v2/members', {
        json: { name: 'Ana', license_plate },
        token: OWNER_TOKEN,
      });
      return body.errors?.map(({ message }) => message);
    };
    expect(await messageOf('ZG1234AB, ST55CD')).toEqual(['Must be one plate, not 2: send each by itself']);
    expect(await messageOf('X'.repeat(60))).toEqual(['Must have at most 15 letters and digits']);
    const sign = 'Must be letters and digits, between them only blanks, "-", "." and "·": not ';
    expect(await messageOf('<b>')).toEqual([`${sign}"<"`]);
    expect(await messageOf('ZG\u200b1')).toEqual([`${sign}U+200B`]);
  });

  it.each(someOf(PLATES, 6))('in any script is accepted, and stays as it is written: %s', async (_, text) => {
    const { id, ...made } = await world.post<{ id: number }>('/v2/members', { name: text, license_plate: ` ${text} ` });
    expect(made).toMatchObject({ license_plate: text, plates: [text] });
    expect(await world.ids(`/v2/members?filter=license_plate:eq:${encodeURIComponent(text.toLowerCase())}`)).toContain(
      id,
    );
  });

  const problemsOf = (account: object): readonly string[] => {
    const text = JSON.stringify({ version: 1, accounts: [{ name: 'Harbour', ...account }] });
    try {
      readSiteFile('site.yaml', text);
      return [];
    } catch (error) {
      if (error instanceof SiteFileError) return error.problems;
      throw error;
    }
  };
  const inFile = (plate: string) =>
    problemsOf({
      members: [
        { name: 'Mia', license_plate: plate },
        { name: 'Ivo', plates: ['ZG1', plate] },
      ],
      license_plate_alerts: [{ name: 'Sold', plates: [plate] }],
    });

  it.each(NO_PLATES)('is refused by a site file where it is none: %s', (_, text) => {
    const problems = inFile(text).join('\n');
    for (const path of ['members[0].license_plate', 'members[1].plates[1]', 'license_plate_alerts[0].plates[0]'])
      expect(problems).toContain(`accounts[0].${path}: must`);
  });

  it.each(PLATES)('is accepted by a site file: %s', (_, text) => {
    expect(inFile(text)).toEqual([]);
  });
});
