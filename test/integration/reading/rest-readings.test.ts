import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lotEntrySchema } from '../../../cloud/traffic/lot-entry/lot-entry-rest-payload.js';
import { correctedReadingSchema } from '../../../cloud/traffic/reading/plate-reading-rest-payload.js';
import { sightingSchema } from '../../../cloud/traffic/reading/sighting-payload.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { proves } from '../../contract/sending-rules.js';
import { GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { lotEntryRow, readingRow } from '../session/reading-rows.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const HOUR = 3_600_000;
const SIGHTING_UID = '0199a7c0-0000-7000-8000-000000000009';

describe('what cameras saw, over REST', () => {
  let world: RestWorld;
  let now: number;
  /** Readings in North, in South and of the rival. */
  let north: number;
  let south: number;
  let rival: number;

  beforeAll(async () => {
    world = await startRestWorld();
    now = world.cloud.clock.now();
    const { site } = world;
    await world.cloud.store.change(async (tx) => {
      const reading = async (changed: Partial<NewRow<'plate_readings'>>) =>
        (
          await tx
            .insertInto('plate_readings')
            .values(cameraReadingRow({ account_id: site.harbour, lot_id: site.north, zone_id: site.zone, ...changed }))
            .returning('id')
            .executeTakeFirstOrThrow()
        ).id;
      north = await reading({ confidence: 80, created_at: now - 2 * HOUR });
      south = await reading({
        lot_id: site.south,
        zone_id: site.southZone,
        direction: 'out',
        access_decision: 'denied',
        access_decision_reason: 'no_tariff',
        plate: 'KA 5',
        plate_normalised: 'KA5',
        created_at: now - HOUR,
      });
      rival = await reading({ account_id: site.rival, lot_id: site.rivalLot, zone_id: site.rivalZone });
      await tx
        .insertInto('lot_entries')
        .values(
          [north, south].map((id, at) =>
            lotEntryRow({
              plate_reading_id: id,
              lot_id: at === 0 ? site.north : site.south,
              account_id: site.harbour,
              lpr_camera_id: 7,
              at: now,
            }),
          ),
        )
        .execute();
      const place = { account_id: site.harbour, lot_id: site.north, zone_id: site.zone };
      await tx
        .insertInto('sightings')
        .values({ ...place, uid: SIGHTING_UID, lpr_camera_id: 7, direction: 'in', created_at: now })
        .execute();
      await tx
        .insertInto('images')
        .values({
          uid: '0199a7c0-0000-7000-8000-0000000000f1',
          account_id: site.harbour,
          lot_id: site.north,
          owner_uid: SIGHTING_UID,
          role: 'full',
          created_at: now,
          arrived_at: now,
        })
        .execute();
    });
  });
  afterAll(() => world.cloud.close());

  /** Decided on by a camera, at the entry. */
  const cameraReadingRow = (
    changed: Partial<NewRow<'plate_readings'>> & { account_id: number; lot_id: number; zone_id: number },
  ): NewRow<'plate_readings'> =>
    readingRow({
      lpr_camera_id: 7,
      plate: 'ZG-1234-AB',
      plate_normalised: 'ZG1234AB',
      raw_plate: 'zg1234ab',
      plate_side: 'front',
      lpr_camera_direction: 'in',
      access_decision: 'triggered',
      access_decision_reason: 'tariff',
      at: now,
      ...changed,
    });

  it('lists plate readings by what the contract names', async () => {
    const { site } = world;
    const found = (query: string) => world.ids(`/v2/plate-readings?${query}`);
    expect(await found('')).toEqual([south, north]);
    expect(await found('filter=plate:eq:zg1234ab')).toEqual([north]);
    expect(await found(`filter=lot_id:eq:${site.south}`)).toEqual([south]);
    expect(await found(`filter=zone_id:eq:${site.zone}`)).toEqual([north]);
    expect(await found('filter=direction:eq:out')).toEqual([south]);
    expect(await found('filter=access_decision:eq:triggered')).toEqual([north]);
    expect(await found('filter=access_decision_reason:in:no_tariff,debounce')).toEqual([south]);
    expect(await found('filter=session_id:isnull&filter=lpr_camera_id:eq:7&sort=confidence:desc')).toEqual([
      north,
      south,
    ]);
    const since = encodeURIComponent(`date_from:eq:${new Date(now - HOUR).toISOString()}`);
    expect(await found(`filter=${since}&sort=created_at:asc`)).toEqual([south]);
    expect(await world.ids('/v2/plate-readings', GUARD_TOKEN)).toEqual([north]);
    expect(await world.ids('/v2/plate-readings', RIVAL_TOKEN)).toEqual([rival]);
  });

  it(
    'corrects a reading, remembers what the camera read, and sends no event',
    proves('plate_reading_update: not_corrected'),
    async () => {
      const { site, cloud } = world;
      const path = `/v2/plate-readings/${north}`;
      const body = {
        plate: 'zg 1234 ac',
        country_code: 'HR',
        direction: 'out',
        type: 'van',
        make: 'Fiat',
        color: null,
      };
      const corrected = correctedReadingSchema.parse(await world.patch(path, body, GUARD_TOKEN));
      expect(corrected).toMatchObject({
        ...body,
        plate: 'ZG 1234 AC',
        original_plate: 'ZG-1234-AB',
        corrected_by: site.guard,
      });
      expect(corrected.corrected_at).toBe(new Date(now).toISOString());
      expect(await world.ids('/v2/plate-readings?filter=plate:eq:ZG1234AC')).toEqual([north]);
      expect(await world.patch(path, { plate: 'ZG9' })).toMatchObject({
        original_plate: 'ZG-1234-AB',
        corrected_by: site.owner,
      });
      expect(await world.patch(path, {}, GUARD_TOKEN)).toMatchObject({ plate: 'ZG9', corrected_by: site.owner });
      expect(await world.refused('PATCH', path, { plate: '', type: 'tank', confidence: 1 })).toEqual([
        422,
        '23 plate',
        '23 type',
        '23 confidence',
      ]);
      expect(await world.refused('PATCH', `/v2/plate-readings/${south}`, { plate: 'A' }, GUARD_TOKEN)).toEqual([
        404,
        '6',
      ]);
      expect(await cloud.store.reader.selectFrom('events').selectAll().execute()).toEqual([]);
    },
  );

  it('lists lot entries and says that they are deprecated', async () => {
    const { status, headers, body } = await world.cloud.ask('GET', '/v2/lot-entries', { token: OWNER_TOKEN });
    expect(status).toBe(200);
    const entries = lotEntrySchema.array().parse(body.data);
    expect(entries).toHaveLength(2);
    expect(headers.get('deprecation')).toBe('@1767225600');
    expect(headers.get('sunset')).toBe('Sat, 01 Jan 2028 00:00:00 GMT');
    expect(headers.get('link')).toBe('</v2/plate-readings>; rel="successor-version"');
    const [first] = await world.ids('/v2/lot-entries', GUARD_TOKEN);
    expect(await world.get(`/v2/lot-entries/${first}`)).toMatchObject({ lot_id: world.site.north, make: 'Fiat' });
    const hidden = entries.find(({ lot_id }) => lot_id === world.site.south);
    const one = await world.cloud.ask('GET', `/v2/lot-entries/${hidden?.id}`, { token: GUARD_TOKEN });
    expect([one.status, one.headers.get('deprecation')]).toEqual([404, '@1767225600']);
  });

  it('lists sightings with their picture', async () => {
    const [sighting] = sightingSchema.array().parse(await world.get('/v2/sightings', GUARD_TOKEN));
    expect(sighting).toMatchObject({ lpr_camera_id: 7, zone_id: world.site.zone, direction: 'in' });
    expect(sighting?.image_url).toMatch(/^http:.*0199a7c0-0000-7000-8000-0000000000f1/);
    expect(await world.ids('/v2/sightings?filter=lpr_camera_id:eq:8')).toEqual([]);
    expect(await world.ids('/v2/sightings', RIVAL_TOKEN)).toEqual([]);
  });
});
