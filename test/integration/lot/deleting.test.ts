/** What is in use is not deleted; what hung on a deleted thing goes with it; history stays. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import type { Row } from '../../../cloud/kernel/store/schema.js';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { endedAt, sessionRow } from '../session/session-site.js';
import { noteHeard } from '../product/note-heard.js';
import { HOUR_MS } from '../../../shared/durations.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';

let world: RestWorld;
beforeEach(async () => {
  world = await startRestWorld();
});
afterEach(() => world.cloud.close());

const made = async (path: string, json: object) => Number((await world.post(path, json)).id);

const product = (name: string, device_id: string, zone_id: number) =>
  made('/v2/products', { zone_id, device_id, name, product_type_id: 1, master_key: 'ab'.repeat(32) });

/** A gateway that has claimed its place and is online. */
async function gatewayIn(lot_id: number, uuid = UUID): Promise<number> {
  const id = await made('/v2/gateways', { lot_id, name: 'Pi', uuid });
  await world.cloud.store.change((tx) =>
    tx
      .updateTable('gateways')
      .set({ status: 'online', mqtt_password_hash: hashToken('password') })
      .where('id', '=', id)
      .execute(),
  );
  return id;
}

async function commandOf(productId: number, gateway_id: number): Promise<string> {
  await noteHeard({ ...world.cloud, ...world.cloud.commandParts }, productId, { gateway_id, rssi: -50 });
  return String((await world.post(`/v2/products/${productId}/state`, { operation: 'open' })).event_id);
}

async function messageOf(method: string, path: string): Promise<string | undefined> {
  return (await world.cloud.ask(method, path, { token: OWNER_TOKEN })).body.errors?.[0]?.message;
}

const statusEvents = async () => {
  const rows = await world.cloud.store.reader
    .selectFrom('events')
    .select(['lot_id', 'payload'])
    .where('event', '=', 'gateway_status')
    .execute();
  return rows.map(({ lot_id, payload }) => ({ lot_id, ...JSON.parse(payload) }));
};

describe('what is in use', () => {
  it('a zone and a lot with open sessions are not deleted, and the answer counts them', async () => {
    const { site } = world;
    const { id } = await world.post('/v2/sessions', { zone_id: site.zone, entry_license_plate: 'ZG 1' });
    await world.post('/v2/sessions', { zone_id: site.zone });
    for (const path of [`/v2/zones/${site.zone}`, `/v2/lots/${site.north}`]) {
      expect([path, await world.refused('DELETE', path)]).toEqual([path, [422, '23 id']]);
      expect(await messageOf('DELETE', path)).toContain('2 open sessions');
      expect(await world.get(path)).toMatchObject({ name: expect.any(String) });
    }
    // The session is of another zone.
    await world.remove(`/v2/zones/${site.freeZone}`);
    await world.post(`/v2/sessions/${id}/close`, {});
    expect(await messageOf('DELETE', `/v2/zones/${site.zone}`)).toContain('1 open session:');
  });

  it('a product with a pending command is not deleted, nor its lot, until the command has ended', async () => {
    const { site, cloud } = world;
    const gateway = await gatewayIn(site.north);
    const barrier = await product('Barrier', 'a4c1380000ff', site.zone);
    await commandOf(barrier, gateway);
    for (const path of [`/v2/products/${barrier}`, `/v2/lots/${site.north}`]) {
      expect([path, await world.refused('DELETE', path)]).toEqual([path, [403, '214']]);
    }
    // A zone is only where the product stands.
    await world.remove(`/v2/zones/${site.zone}`);
    await cloud.clock.advance(31_000);
    await expect.poll(() => world.refused('DELETE', `/v2/products/${barrier}`)).toEqual([200]);
    await world.remove(`/v2/lots/${site.north}?confirm=North`);
  });
});

describe('what goes with a deleted thing', () => {
  it('the answer says when it was deleted, where the record says so at all', async () => {
    const { site, cloud } = world;
    const camera = await made('/v2/lpr-cameras', {
      zone_id: site.zone,
      device_id: 'cam',
      name: 'In',
      driver: 'hikvision',
    });
    const deleted_at = new Date(cloud.clock.now()).toISOString();
    expect(await world.remove(`/v2/lpr-cameras/${camera}`)).toMatchObject({ id: camera, deleted_at });
    expect(await world.remove(`/v2/zones/${site.zone}`)).toMatchObject({ id: site.zone, deleted_at });
    expect(await world.remove(`/v2/lots/${site.north}?confirm=North`)).not.toHaveProperty('deleted_at');
  });

  it('a lot with equipment is named by its name or its version, one without by nothing', async () => {
    const { site, cloud } = world;
    const path = `/v2/lots/${site.north}`;
    const gateway = await gatewayIn(site.north);
    for (const query of ['', '?confirm=', '?confirm=north', '?confirm=South'])
      expect([query, await world.refused('DELETE', `${path}${query}`)]).toEqual([query, [422, '23 confirm']]);
    const stale = { 'if-match': '"other"' };
    expect((await cloud.ask('DELETE', path, { token: OWNER_TOKEN, headers: stale })).status).toBe(412);
    expect(await world.get(`/v2/gateways/${gateway}`)).toMatchObject({ lot_id: site.north });
    const named = { 'if-match': '*' };
    expect((await cloud.ask('DELETE', path, { token: OWNER_TOKEN, headers: named })).status).toBe(200);
    const empty = await made('/v2/lots', { name: 'Empty' });
    await world.remove(`/v2/lots/${empty}`);
    const other = await made('/v2/lots', { name: 'Second lot' });
    await made('/v2/gateways', { lot_id: other, name: 'Alone' });
    await world.remove(`/v2/lots/${other}?confirm=Second%20lot`);
  });

  it('a gateway is cut off, and is told of as offline if it was online', async () => {
    const { site, cloud } = world;
    const gateway = await gatewayIn(site.north);
    const idle = await made('/v2/gateways', { lot_id: site.north, name: 'Spare' });
    await world.remove(`/v2/gateways/${gateway}`);
    await world.remove(`/v2/gateways/${idle}`);
    expect(cloud.notified).toContainEqual({ disconnected: UUID });
    expect(await statusEvents()).toEqual([{ lot_id: site.north, uuid: UUID, status: 'offline' }]);
  });

  it('a lot takes its gateways, zones, places, cameras and displays with it; products stay, in no lot', async () => {
    const { site, cloud } = world;
    const { north: lot_id, zone: zone_id } = site;
    const gateway = await gatewayIn(lot_id);
    const barrier = await product('Barrier', 'a4c1380000ff', zone_id);
    const paths = [
      `/v2/gateways/${gateway}`,
      `/v2/lpr-cameras/${await made('/v2/lpr-cameras', { zone_id, device_id: 'cam', name: 'In', driver: 'hikvision' })}`,
      `/v2/parking-gateways/${await made('/v2/parking-gateways', { lot_id, name: 'Sensors', driver: 'http' })}`,
      `/v2/parking-places/${await made('/v2/parking-places', { zone_id, name: '1' })}`,
      `/v2/rgb-displays/${await made('/v2/rgb-displays', { name: 'Sign', lot_id, gateway_id: gateway })}`,
      `/v2/zones/${zone_id}`,
      `/v2/zones/${site.freeZone}`,
      `/v2/lots/${lot_id}`,
    ];
    await world.remove(`/v2/lots/${lot_id}?confirm=North`);
    for (const path of paths) {
      expect([path, await world.refused('GET', path)]).toEqual([path, [404, '6']]);
      expect([path, await world.refused('DELETE', path)]).toEqual([path, [404, '6']]);
    }
    for (const path of ['/v2/lots', '/v2/zones', '/v2/gateways', '/v2/lpr-cameras', '/v2/parking-places']) {
      expect([path, await world.ids(`${path}?filter=id:neq:${site.south}&filter=id:neq:${site.southZone}`)]).toEqual([
        path,
        [],
      ]);
    }
    expect(await world.get(`/v2/products/${barrier}`)).toMatchObject({ lot_id: null, zone_id: null });
    expect(cloud.notified).toContainEqual({ disconnected: UUID });
    expect(await statusEvents()).toEqual([{ lot_id, uuid: UUID, status: 'offline' }]);
    // An id of what is gone is like one that never was.
    expect(await world.refused('POST', '/v2/zones', { lot_id, name: 'x' })).toEqual([422, '23 lot_id']);
    expect(await world.refused('POST', '/v2/sessions', { zone_id })).toEqual([422, '23 zone_id']);
    expect(await world.refused('PATCH', `/v2/account-users/${site.guard}`, { lot_ids: [lot_id] })).toEqual([
      422,
      '23 lot_ids.0',
    ]);
    // Its uuid is free again.
    await made('/v2/gateways', { lot_id: site.south, name: 'Pi', uuid: UUID });
  });
});

describe.each(['zone', 'lot'] as const)('the history of a deleted %s', (kind) => {
  /** Ended in the lot's zone, with a camera's reading of its entry; the amount is EUR 3. */
  async function seedHistory() {
    const { site, cloud } = world;
    const now = cloud.clock.now();
    const zone_id = site.zone;
    const camera = await made('/v2/lpr-cameras', { zone_id, device_id: 'cam', name: 'In', driver: 'hikvision' });
    const began = now - 2 * HOUR_MS;
    const [reading, session] = await cloud.store.change(async (tx) => {
      const entry: Partial<Row<'plate_readings'>> = {
        uid: 'a0000000-0000-4000-8000-000000000001',
        account_id: site.harbour,
        lot_id: site.north,
        zone_id,
        lpr_camera_id: camera,
        plate: 'ZG7',
        plate_normalised: 'ZG7',
        raw_plate: 'ZG7',
        direction: 'in',
        retransmission: 0,
        time_estimated: 0,
        created_at: began,
        updated_at: began,
      };
      const { id: entry_reading_id } = await tx
        .insertInto('plate_readings')
        .values(entry as Row<'plate_readings'>)
        .returning('id')
        .executeTakeFirstOrThrow();
      const row = sessionRow(site, { created_at: began, entry_reading_id, ...endedAt(now - HOUR_MS) });
      const { id } = await tx
        .insertInto('sessions')
        .values({ ...row, plate_normalised: 'ZG7', amount_paid_minor: 300 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await tx.updateTable('plate_readings').set({ session_id: id }).where('id', '=', entry_reading_id).execute();
      await tx
        .insertInto('lot_entries')
        .values({
          plate_reading_id: entry_reading_id,
          account_id: site.harbour,
          lot_id: site.north,
          lpr_camera_id: camera,
          direction: 'in',
          is_allowed: 1,
          related_lot_entry_id: null,
          duration: null,
          scan_time: began,
          created_at: began,
          updated_at: began,
        })
        .execute();
      tx.journal({
        account_id: site.harbour,
        lot_id: site.north,
        event: 'gateway_status',
        payload: { uuid: UUID, status: 'online' },
      });
      return [entry_reading_id, id];
    });
    return { reading, session, camera };
  }

  /** All that is read of it, as one text each. */
  async function historyOf({ reading, session, camera }: { reading: number; session: number; camera: number }) {
    const { site, cloud } = world;
    const paths = [
      `/v2/sessions/${session}`,
      `/v2/sessions?filter=lot_id:eq:${site.north}`,
      `/v2/sessions?filter=zone_id:eq:${site.zone}`,
      `/v2/sessions/analytics?group_by=month&filter=lot_id:eq:${site.north}`,
      `/v2/sessions/analytics?group_by=month&filter=zone_id:eq:${site.zone}`,
      `/v2/sessions/analytics?group_by=day`,
      `/v2/sessions/vehicle-analytics?filter=lot_id:eq:${site.north}`,
      `/v2/sessions/export?filter=lot_id:eq:${site.north}`,
      `/v2/plate-readings/${reading}`,
      `/v2/plate-readings?filter=lpr_camera_id:eq:${camera}`,
      `/v2/plate-readings?filter=zone_id:eq:${site.zone}`,
      `/v2/lot-entries?filter=lot_id:eq:${site.north}`,
      '/v2/events',
    ];
    const read: Record<string, unknown> = {};
    for (const token of [OWNER_TOKEN, API_TOKEN, GUARD_TOKEN, ADMIN_TOKEN]) {
      for (const path of paths) {
        const { status, text } = await cloud.ask('GET', path, { token });
        expect([path, status]).toEqual([path, 200]);
        read[`${token} ${path}`] = text;
      }
    }
    return read;
  }

  it('is read, filtered and summed up as before, by those to whom the lot was assigned', async () => {
    const { site } = world;
    const known = await seedHistory();
    const before = await historyOf(known);
    expect(JSON.stringify(before)).toContain('Europe/Zagreb');
    await world.remove(kind === 'lot' ? `/v2/lots/${site.north}?confirm=North` : `/v2/zones/${site.zone}`);
    expect(await historyOf(known)).toEqual(before);
  });

  it('can still be corrected and paid back', async () => {
    const { reading, session } = await seedHistory();
    const { north, zone } = world.site;
    await world.remove(kind === 'lot' ? `/v2/lots/${north}?confirm=North` : `/v2/zones/${zone}`);
    expect(await world.post(`/v2/sessions/${session}/payments`, { amount: -1 })).toMatchObject({ amount_paid: 2 });
    expect(await world.patch(`/v2/plate-readings/${reading}`, { plate: 'ZG 8' })).toMatchObject({ plate: 'ZG 8' });
  });
});

it('shows living lots of a user only, and keeps the right to the history when the lots are written', async () => {
  const { site } = world;
  const path = `/v2/account-users/${site.guard}`;
  await world.remove(`/v2/lots/${site.north}?confirm=North`);
  expect(await world.get(path)).toMatchObject({ lots: [] });
  expect(await world.patch(path, { lot_ids: [site.south] })).toMatchObject({ lots: [{ id: site.south }] });
  const { store } = world.cloud;
  const assigned = () =>
    store.reader.selectFrom('account_user_lots').select('lot_id').where('account_user_id', '=', site.guard).execute();
  expect(await assigned()).toEqual([{ lot_id: site.north }, { lot_id: site.south }]);
});

it('keeps which gateway tried a command after the gateway is gone', async () => {
  const { site, cloud } = world;
  const gateway = await gatewayIn(site.north);
  const barrier = await product('Barrier', 'a4c1380000ff', site.zone);
  const event_id = await commandOf(barrier, gateway);
  await cloud.clock.advance(31_000);
  const command = () => world.get(`/v2/commands/${event_id}`);
  await expect.poll(async () => (await command()).status).toBe('failed');
  await world.remove(`/v2/gateways/${gateway}`);
  expect(await command()).toMatchObject({ attempts: [{ gateway_uuid: UUID }] });
});
