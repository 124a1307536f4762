import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { PRODUCT_ANSWER } from '../../../cloud/equipment/product/product-resource.js';
import { plateReadingSchema } from '../../../cloud/traffic/reading/plate-reading-rest-payload.js';
import { sessionWithReadingsSchema } from '../../../cloud/traffic/session/session-rest-payload.js';
import { insertRow } from '../../../cloud/kernel/store/row-queries.js';
import { keepTariffVersion } from '../../../cloud/traffic/tariff/tariff-version-queries.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import type { Uid } from '../../../shared/ids.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { readingRow } from '../session/reading-rows.js';

const FULL = '0199a7c0-0000-7000-8000-0000000000f1' as Uid;
const CROPPED = '0199a7c0-0000-7000-8000-0000000000c1' as Uid;
const LATE = '0199a7c0-0000-7000-8000-0000000000c2' as Uid;
const LOST = '0199a7c0-0000-7000-8000-0000000000c3' as Uid;
const ENTRY_UID = '0199a7c0-0000-7000-8000-000000000001';
const MINUTE = 60_000;

const changedLink = (link: string, change: (url: URL) => void) => {
  const url = new URL(link);
  change(url);
  return url.href;
};

const statusOf = async (link: string) => {
  const response = await fetchChecked(link);
  return [response.status, response.headers.get('retry-after')];
};

describe('single records', () => {
  let cloud: CloudWorld;
  let site: Site;
  /** The cloud's present: the sessions began an hour and a half before. */
  let now: number;
  let began: number;

  beforeAll(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
    now = cloud.clock.now();
    began = now - 90 * MINUTE;
    await cloud.store.change(async (tx) => {
      await tx.insertInto('zones').values(zoneRow()).execute();
      await tx
        .insertInto('products')
        .values([productRow(1, 1), productRow(2, 2), productRow(3, 2)])
        .execute();
      await tx.updateTable('products').set({ lot_id: site.south }).where('id', '=', 2).execute();
      await tx.updateTable('products').set({ lot_id: null }).where('id', '=', 3).execute();
      await tx
        .insertInto('product_blocks')
        .values([blockRow(1), blockRow(2)])
        .execute();
      await tx.insertInto('product_errors').values(errorRow(2)).execute();
      await keepTariffVersion(tx, await insertRow(tx, 'tariffs', tariffRow()));
      await tx.insertInto('plate_readings').values([1, 2, 3].map(cameraReadingRow)).execute();
      await tx.updateTable('plate_readings').set({ uid: ENTRY_UID }).where('id', '=', 1).execute();
      const rest = { lpr_camera_id: null, plate_side: null, lpr_camera_direction: null, original_plate: 'ZG1' };
      const corrected = { corrected_by: site.guard, corrected_at: began };
      await tx
        .updateTable('plate_readings')
        .set({ ...rest, ...corrected })
        .where('id', '=', 3)
        .execute();
      await tx
        .insertInto('images')
        .values([imageRow(FULL, 'full', began), imageRow(CROPPED, 'cropped', null)])
        .execute();
      await tx
        .insertInto('images')
        .values({ ...imageRow(LOST, 'full', began), owner_uid: 'other' })
        .execute();
      await tx
        .insertInto('images')
        .values({ ...imageRow(LATE, 'full', null), owner_uid: 'other' })
        .execute();
      await tx
        .insertInto('sessions')
        .values([sessionRow(1), { ...sessionRow(2), ...endedColumns() }])
        .execute();
    });
    await cloud.images.put(FULL, { jpeg: Buffer.from('a jpeg'), thumbnail: Buffer.from('a small jpeg') });
  });
  afterAll(() => cloud.close());

  const statusWith = async (authorization: string) =>
    (await cloud.ask('GET', '/v2/products/1', { headers: { authorization } })).status;
  const get = (path: string, token: string | undefined = OWNER_TOKEN) => cloud.ask('GET', path, { token });

  function productRow(id: number, product_type_id: number): NewRow<'products'> {
    return {
      id,
      account_id: site.harbour,
      lot_id: site.north,
      zone_id: 1,
      device_id: `a4c13800000${id}`,
      name: `Product ${id}`,
      power_type: 'battery',
      product_type_id,
      hardware_version: '1',
      firmware_version: '2',
      latitude: null,
      longitude: 16.5,
      status: 'online',
      advertisement_data: 'ff',
      battery_status: 80,
      rssi: -60,
      pairing_epoch: 1,
      master_key_sealed: 'sealed',
      seen_at: began,
      created_at: began,
      updated_at: began,
    };
  }
  const zoneRow = (): NewRow<'zones'> => ({
    id: 1,
    account_id: site.harbour,
    lot_id: site.north,
    name: 'Level 0',
    description: '',
    spot_count: 0,
    occupancy_max_hours: 72,
    created_at: began,
    updated_at: began,
  });
  const blockRow = (product_id: number): NewRow<'product_blocks'> => ({
    product_id,
    state: 'closed',
    is_autoclose: 1,
    autoclose_time: 10,
    is_car_on_top: 0,
    permanent_position: 'stay_open',
    created_at: began,
    updated_at: began,
  });
  const errorRow = (product_id: number): NewRow<'product_errors'> => ({
    product_id,
    error_code: '1',
    jammed: 1,
    sensor_dirty: 0,
    pin_broken: 0,
    rtcc_invalid: 0,
    battery_empty: 0,
    master_key_not_set: 0,
    created_at: began,
    updated_at: began,
  });
  const tariffRow = (): NewRow<'tariffs'> => ({
    id: 1,
    account_id: site.harbour,
    name: 'Public',
    currency: 'EUR',
    vat: '25',
    free_minutes: 10,
    price_minor: 150,
    step_minutes: 60,
    daily_max_minor: 1_200,
    windows: '[]',
    created_at: began,
    updated_at: began,
  });
  const cameraReadingRow = (id: number): NewRow<'plate_readings'> =>
    readingRow({
      id,
      account_id: site.harbour,
      lot_id: site.north,
      zone_id: 1,
      gateway_id: 1,
      lpr_camera_id: 7,
      plate: `ZG${id}`,
      plate_normalised: `ZG${id}`,
      raw_plate: `ZG-${id}`,
      confidence: 0.9,
      type: 'car',
      country_code: 'HR',
      plate_side: 'front',
      lpr_camera_direction: 'in',
      session_id: id === 3 ? 2 : null,
      access_decision: 'triggered',
      access_decision_reason: 'tariff',
      at: began + id,
    });
  const imageRow = (uid: string, role: 'full' | 'cropped', arrived_at: number | null): NewRow<'images'> => ({
    uid,
    account_id: site.harbour,
    lot_id: site.north,
    owner_uid: ENTRY_UID,
    role,
    created_at: began,
    arrived_at,
  });
  const sessionRow = (id: number): NewRow<'sessions'> => ({
    id,
    uid: `session-${id}`,
    public_id: `ABCDEFGHI${id}`,
    account_id: site.harbour,
    lot_id: site.north,
    zone_id: 1,
    tariff_id: 1,
    tariff_version_id: 1,
    currency: 'EUR',
    plate_normalised: 'ZG1',
    entry_reading_id: 1,
    exit_reading_id: null,
    entry_type: 'lpr_camera' as const,
    entry_source_id: 7,
    exit_type: null,
    exit_source_id: null,
    ended_at: null,
    ended_by_look_alike: 0,
    discount_time: null,
    amount_paid_minor: 100,
    possibly_exited: null,
    created_at: began,
    updated_at: began,
  });
  const endedColumns = () => ({
    entry_reading_id: null,
    exit_reading_id: 2,
    exit_type: 'lpr_camera' as const,
    exit_source_id: 8,
    ended_at: began + 30_500,
    possibly_exited: 1,
    discount_time: -1,
    tariff_id: null,
    tariff_version_id: null,
    currency: null,
    amount_paid_minor: 0,
  });

  it('shows a barrier with the block of its type alone', async () => {
    const { body } = await get('/v2/products/1');
    const times = { created_at: new Date(began).toISOString(), updated_at: new Date(began).toISOString() };
    expect(body).toEqual({
      success: true,
      data: {
        id: 1,
        device_id: 'a4c138000001',
        name: 'Product 1',
        power_type: 'battery',
        lot_id: site.north,
        zone_id: 1,
        product_type_id: 1,
        hardware_version: '1',
        firmware_version: '2',
        latitude: null,
        longitude: 16.5,
        status: 'online',
        advertisement_data: 'ff',
        battery_status: 80,
        product_error_id: null,
        product_error: null,
        rssi: -60,
        is_paired: 1,
        last_moved: null,
        last_seen: '2026-01-15T10:30:00.000Z',
        ...times,
        barrier: {
          id: 1,
          product_id: 1,
          state: 'closed',
          is_autoclose: 1,
          is_car_on_top: 0,
          autoclose_time: 10,
          ...times,
        },
      },
    });
  });

  it('shows a gate with its error', async () => {
    const { body } = await get('/v2/products/2');
    const product = PRODUCT_ANSWER.schema.parse(body.data);
    expect(product.product_error).toMatchObject({ id: product.product_error_id, jammed: 1, sensor_dirty: 0 });
    expect(product.gate).toMatchObject({ state: 'closed', permanent_position: 'stay_open', deleted_at: null });
    expect(Object.keys(product)).not.toContain('barrier');
  });

  it('shows a product without a lot to its account', async () => {
    expect(PRODUCT_ANSWER.schema.parse((await get('/v2/products/3', GUARD_TOKEN)).body.data)).toMatchObject({
      id: 3,
      lot_id: null,
    });
    expect((await get('/v2/products/3', RIVAL_TOKEN)).status).toBe(404);
  });

  it('shows a plate reading with signed links that open its pictures', async () => {
    const { body } = await get('/v2/plate-readings/1');
    const reading = plateReadingSchema.parse(body.data);
    expect(reading).toMatchObject({ plate: 'ZG1', confidence: 0.9, original_plate: null, corrected_at: null });
    const picture = await fetchChecked(reading.image_url ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(picture.headers.get('cache-control')).toMatch(/^private, max-age=9\d\d$/);
    expect(await picture.text()).toBe('a jpeg');
    const announced = await fetchChecked(reading.cropped_image_url ?? '');
    expect([announced.status, announced.headers.get('retry-after')]).toEqual([404, '5']);
    expect(await announced.json()).toMatchObject({ errors: [{ code: 6 }] });
  });

  it('sends links anew to who has an old answer, in which they may have expired', async () => {
    const ask = (headers: Record<string, string> = {}) =>
      cloud.ask('GET', '/v2/plate-readings/1', { token: OWNER_TOKEN, headers });
    const etag = (await ask()).headers.get('etag') ?? '';
    const { status, headers } = await ask({ 'if-none-match': etag });
    expect([status, headers.get('etag'), headers.get('cache-control')]).toEqual([200, etag, 'no-store']);
  });

  it('shows a reading made over REST and corrected', async () => {
    const reading = plateReadingSchema.parse((await get('/v2/plate-readings/3')).body.data);
    expect(reading).toMatchObject({
      image_url: null,
      lpr_camera_id: null,
      plate_side: null,
      lpr_camera_direction: null,
      original_plate: 'ZG1',
      corrected_by: site.guard,
      corrected_at: new Date(began).toISOString(),
    });
  });

  it('shows an open session with what is due now', async () => {
    const session = sessionWithReadingsSchema.parse((await get('/v2/sessions/1')).body.data);
    expect(session).toMatchObject({
      public_id: 'ABCDEFGHI1',
      ended_at: null,
      duration: 90 * 60,
      exit_allowed: true,
      exit: null,
      exit_license_plate: null,
      currency: 'EUR',
      amount_paid: 1,
      amount_due: 2,
      entry: { id: 7, type: 'lpr_camera' },
    });
    expect(session.entry_license_plate).toMatchObject({ id: 1, plate: 'ZG1' });
    expect(session.entry_license_plate?.image_url).toContain(`${cloud.base}/v2/images/${FULL}?`);
    expect(session.plate_readings.map(({ id }) => id)).toEqual([1]);
  });

  it('shows an ended session without a tariff', async () => {
    const session = sessionWithReadingsSchema.parse((await get('/v2/sessions/2')).body.data);
    expect(session).toMatchObject({
      ended_at: new Date(began + 30_500).toISOString(),
      duration: 30,
      discount_time: -1,
      possibly_exited: true,
      exit_allowed: false,
      exit: { id: 8, type: 'lpr_camera' },
      entry_license_plate: null,
      exit_license_plate: { id: 2, plate: 'ZG2', image_url: null, cropped_image_url: null },
      currency: null,
      amount_due: 0,
      amount_paid: 0,
    });
    expect(session.plate_readings.map(({ id }) => id)).toEqual([2, 3]);
  });

  it.each(['/v2/products/', '/v2/plate-readings/', '/v2/sessions/'])('%s: who may see what', async (path) => {
    const status = async (id: string, token?: string) =>
      (await cloud.ask('GET', path + id, token === undefined ? {} : { token })).status;
    expect(await status('1')).toBe(401);
    expect(await status('1', 'wrong')).toBe(401);
    expect(await status('1', OWNER_TOKEN)).toBe(200);
    expect(await status('1', GUARD_TOKEN)).toBe(200);
    expect(await status('1', API_TOKEN)).toBe(200);
    expect(await status('1', RIVAL_TOKEN)).toBe(404);
    for (const id of ['99', '0', '-1', 'abc', '1x', '1.0', '%31%30%30', '9'.repeat(30)]) {
      expect([id, await status(id, OWNER_TOKEN)]).toEqual([id, 404]);
      expect([id, await status(id)]).toEqual([id, 401]);
    }
  });

  it('does not show a lot that is not assigned', async () => {
    expect((await get('/v2/products/2', GUARD_TOKEN)).body).toEqual((await get('/v2/products/99', GUARD_TOKEN)).body);
    expect((await get('/v2/products/2', API_TOKEN)).status).toBe(200);
  });

  it('takes the scheme of the header in any case, and no other scheme', async () => {
    expect(await statusWith(`bearer ${OWNER_TOKEN}`)).toBe(200);
    expect(await statusWith(`Basic ${OWNER_TOKEN}`)).toBe(401);
    expect(await statusWith('Bearer')).toBe(401);
    expect(await statusWith(`Bearer ${'x'.repeat(5_000)}`)).toBe(401);
  });

  describe('image links', () => {
    it.each<[string, (url: URL) => void]>([
      ['another picture', (url) => (url.pathname = `/v2/images/${LOST}`)],
      ['a later expiry', (url) => url.searchParams.set('expires', `${Number(url.searchParams.get('expires')) + 1}`)],
      ['an odd expiry', (url) => url.searchParams.set('expires', ` ${url.searchParams.get('expires')}`)],
      ['no expiry', (url) => url.searchParams.delete('expires')],
      ['no signature', (url) => url.searchParams.delete('signature')],
      ['a shorter signature', (url) => url.searchParams.set('signature', 'AAAA')],
      ['a padded signature', (url) => url.searchParams.set('signature', `${url.searchParams.get('signature')}=`)],
      ['no uid', (url) => (url.pathname = '/v2/images/..%2f..%2fserver-keys.json')],
    ])('with %s is 404', async (_name, changed) => {
      const link = cloud.imageLinks.sign(FULL);
      expect(await statusOf(link)).toEqual([200, null]);
      expect(await statusOf(changedLink(link, changed))).toEqual([404, null]);
    });

    it('opens the small one behind the same signature, and the picture itself where there is none', async () => {
      const small = (link: string) => changedLink(link, (url) => (url.pathname += '/thumbnail'));
      const textOf = async (link: string) => (await fetch(link)).text();
      const link = cloud.imageLinks.sign(FULL);
      expect([await textOf(link), await textOf(small(link))]).toEqual(['a jpeg', 'a small jpeg']);
      await cloud.images.put(FULL, { jpeg: Buffer.from('another'), thumbnail: null });
      await cloud.images.remove(FULL);
      expect(await statusOf(small(link))).toEqual([404, null]);
      await cloud.images.put(FULL, { jpeg: Buffer.from('a jpeg'), thumbnail: null });
      expect(await textOf(small(link))).toBe('a jpeg');
      expect(await statusOf(small(cloud.imageLinks.sign(LATE)))).toEqual([404, '5']);
      expect(await statusOf(changedLink(small(link), (url) => url.searchParams.set('expires', '9999999999')))).toEqual([
        404,
        null,
      ]);
    });

    it('are 404 for a picture that was never announced, or whose file is gone', async () => {
      expect(await statusOf(cloud.imageLinks.sign('0199a7c0-0000-7000-8000-00000000dead'))).toEqual([404, null]);
      expect(await statusOf(cloud.imageLinks.sign(LOST))).toEqual([404, null]);
    });

    it('opens the picture as soon as it has arrived', async () => {
      const link = cloud.imageLinks.sign(LATE);
      expect(await statusOf(link)).toEqual([404, '5']);
      await cloud.images.put(LATE, { jpeg: Buffer.from('late'), thumbnail: null });
      await cloud.store.change(async (tx) => {
        await tx.updateTable('images').set({ arrived_at: now }).where('uid', '=', LATE).execute();
      });
      expect(await statusOf(link)).toEqual([200, null]);
    });

    it('ends after 15 minutes', async () => {
      const link = cloud.imageLinks.sign(FULL);
      cloud.clock.jumpWall(15 * MINUTE - 1);
      expect((await statusOf(link))[0]).toBe(200);
      cloud.clock.jumpWall(1_000);
      expect(await statusOf(link)).toEqual([404, null]);
      cloud.clock.jumpWall(-15 * MINUTE);
    });

    it('are limited by address when they are wrong, and not when they are right', async () => {
      await cloud.clock.advance(MINUTE);
      const link = cloud.imageLinks.sign(FULL);
      const wrong = changedLink(link, (url) => url.searchParams.set('signature', 'A'.repeat(43)));
      for (let times = 1; times <= 10; times++) expect([times, await statusOf(wrong)]).toEqual([times, [404, null]]);
      expect(await statusOf(wrong)).toEqual([429, '60']);
      for (let times = 1; times <= 12; times++) expect([times, await statusOf(link)]).toEqual([times, [200, null]]);
      await cloud.clock.advance(MINUTE);
      expect(await statusOf(wrong)).toEqual([404, null]);
    });
  });
});
