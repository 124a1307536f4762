/** Who dealt with a vehicle that waited: said once, to everybody, and to the gateways of the lot. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { handledVehicles } from '../../../cloud/traffic/reading/handled-queries.js';
import type { PlateReading } from '../../../cloud/traffic/reading/plate-reading-rest-payload.js';
import type { Sighting } from '../../../cloud/traffic/reading/sighting-payload.js';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readingRow } from '../session/reading-rows.js';

const HOUR_MS = 3_600_000;
const WAITING = { handled_at: null, handled_by: null, handled_how: null };

let world: RestWorld;
let now: number;
let made = 0;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world.cloud.close());
beforeEach(async () => {
  await world.cloud.clock.advance(1_000);
  now = world.cloud.clock.now();
  world.notified();
});

const uidOf = () => `0199a7c0-0000-7000-8000-${String((made += 1)).padStart(12, '0')}`;

function add(table: 'sightings' | 'plate_readings', row: object): Promise<number> {
  return world.cloud.store.change(
    async (tx) =>
      (
        await tx
          .insertInto(table)
          .values(row as never)
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id,
  );
}

const placeOf = () => ({ account_id: world.site.harbour, lot_id: world.site.north, zone_id: world.site.zone });
const addSighting = () =>
  add('sightings', { ...placeOf(), uid: uidOf(), lpr_camera_id: 7, direction: 'in', created_at: now });
const addExit = (plate: string, changed: Partial<NewRow<'plate_readings'>> = {}) =>
  add(
    'plate_readings',
    readingRow({
      ...placeOf(),
      uid: uidOf(),
      plate,
      plate_normalised: plate,
      direction: 'out',
      access_decision: 'denied',
      access_decision_reason: 'no_active_session',
      at: now,
      ...changed,
    }),
  );
const readingOf = (id: number) => world.get<PlateReading>(`/v2/plate-readings/${id}`);
const begin = (plate: string, ago = HOUR_MS) =>
  world.post<Session>('/v2/sessions', {
    zone_id: world.site.zone,
    entry_license_plate: plate,
    created_at: new Date(now - ago).toISOString(),
  });
const nameOf = async (id: number) =>
  (
    await world.cloud.store.reader
      .selectFrom('account_users')
      .select('name')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).name;

describe.each(['sightings', 'plate-readings'] as const)('a vehicle of /v2/%s', (list) => {
  const addOne = () => (list === 'sightings' ? addSighting() : addExit(`PO${(made += 1)}`));

  it('is passed over by whoever sees it, once, and waits again when that is taken back', async () => {
    const id = await addOne();
    const path = `/v2/${list}/${id}`;
    const by = await nameOf(world.site.guard);
    const ignored = { handled_at: new Date(now).toISOString(), handled_by: by, handled_how: 'ignored' };
    expect(await world.patch<Sighting>(path, { handled: 'ignored' }, GUARD_TOKEN)).toMatchObject(ignored);
    expect(world.notified()).toEqual([world.site.north]);
    await world.cloud.clock.advance(1_000);
    expect(await world.patch(path, { handled: 'ignored' })).toMatchObject(ignored);
    expect(await world.ids(`/v2/${list}?filter=handled_how:eq:ignored&filter=id:eq:${id}`)).toEqual([id]);
    expect(await world.ids(`/v2/${list}?filter=handled_at:isnull&filter=id:eq:${id}`)).toEqual([]);
    const since = encodeURIComponent(`handled_at:gte:${new Date(now).toISOString()}`);
    expect(await world.ids(`/v2/${list}?filter=${since}&sort=handled_at:desc&size=1`)).toEqual([id]);
    expect(await world.patch(path, { handled: null })).toMatchObject(WAITING);
    expect(await world.ids(`/v2/${list}?filter=handled_at:isnull&filter=id:eq:${id}`)).toEqual([id]);
  });

  it('is nobody else’s, and is handled in no other way', async () => {
    const path = `/v2/${list}/${await addOne()}`;
    expect(await world.refused('PATCH', path, { handled: 'ignored' }, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('PATCH', path, { handled: 'let_in' })).toEqual([422, '23 handled']);
  });

  it('is let in for ever once it was', async () => {
    const id = await addOne();
    const letIn = { handled_at: now, handled_by: 'North', handled_how: 'let_in' as const };
    const table = list === 'sightings' ? 'sightings' : 'plate_readings';
    await world.cloud.store.change(async (tx) => {
      await tx.updateTable(table).set(letIn).where('id', '=', id).execute();
    });
    for (const handled of ['ignored', null])
      expect(await world.patch(`/v2/${list}/${id}`, { handled })).toMatchObject({
        handled_by: 'North',
        handled_how: 'let_in',
      });
  });
});

describe('a refused exit', () => {
  it('is settled by who ends its stay, by the plate of the stay or of the exit, and others wait on', async () => {
    const stay = await begin('SE1');
    const [own, misread, other, before] = [
      await addExit('SE1'),
      await addExit('SE7'),
      await addExit('SE2'),
      await addExit('SE1', { created_at: now - 2 * HOUR_MS }),
    ];
    world.notified();
    await world.post(`/v2/sessions/${stay.id}/close`, { exit_license_plate: 'SE7' }, GUARD_TOKEN);
    const settled = { handled_by: await nameOf(world.site.guard), handled_how: 'settled' };
    expect([await readingOf(own), await readingOf(misread)]).toMatchObject([settled, settled]);
    expect([await readingOf(other), await readingOf(before)]).toMatchObject([WAITING, WAITING]);
    expect(new Set(world.notified())).toEqual(new Set([world.site.north]));
  });

  it('is settled by a correction, unless its vehicle has a stay under that plate, which has to be ended', async () => {
    const stay = await begin('CO1');
    const [gone, inside] = [await addExit('CO8'), await addExit('COI')];
    expect(await world.patch(`/v2/plate-readings/${gone}`, { plate: 'CO9' })).toMatchObject({ handled_how: 'settled' });
    expect(await world.patch(`/v2/plate-readings/${inside}`, { plate: 'CO1' })).toMatchObject(WAITING);
    await world.post(`/v2/sessions/${stay.id}/close`, {});
    expect(await readingOf(inside)).toMatchObject({ handled_how: 'settled' });
    const entry = await addExit('CO5', { direction: 'in' });
    expect(await world.patch(`/v2/plate-readings/${entry}`, { plate: 'CO6' })).toMatchObject(WAITING);
  });
});

it('is known to the gateways for a day', async () => {
  const id = await addSighting();
  await world.patch(`/v2/sightings/${id}`, { handled: 'ignored' });
  const known = async (since: number) =>
    (await handledVehicles(world.cloud.store.reader, { lot_id: world.site.north, since })).length;
  expect(await known(now)).toBe(1);
  expect(await known(now + 1)).toBe(0);
});
