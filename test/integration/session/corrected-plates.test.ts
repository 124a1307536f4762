/** A reading that is corrected changes the plate by which the session that it began is found, counted and matched. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import type { JournalEvent } from '../../../cloud/kernel/store/cloud-store.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { insertPlateReading } from '../../../cloud/traffic/reading/reading-queries.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readingRow } from './reading-rows.js';

let world: RestWorld;
let journaled: JournalEvent[];
let made = 0;
/** What a camera read, and what the plate is. Every test has its own. */
let wrong: string;
let right: string;

beforeAll(async () => {
  world = await startRestWorld();
  world.cloud.store.onEvents((events) => journaled.push(...events));
});
afterAll(() => world.cloud.close());
beforeEach(() => {
  journaled = [];
  made += 1;
  wrong = `ZG${made}8`;
  right = `ZG${made}B`;
});

const begin = (plate: string, changed: object = {}) =>
  world.post<Session>('/v2/sessions', { zone_id: world.site.zone, entry_license_plate: plate, ...changed });
const readingOf = ({ entry_license_plate }: Session) => entry_license_plate?.id ?? 0;
const correct = (session: Session, changed: object) =>
  world.patch<{ plate: string }>(`/v2/plate-readings/${readingOf(session)}`, changed);
const found = (plate: string) => world.ids(`/v2/sessions?filter=plate:eq:${plate}`);
const visits = async (plate: string) =>
  (
    await world.get<{ plate: string; visits_count: number }[]>(
      `/v2/sessions/vehicle-analytics?filter=plate:eq:${plate}`,
    )
  ).map(({ plate: written, visits_count }) => `${written} ${visits_count}`);

describe('a correction of an open session', () => {
  it('is the plate by which it is found and counted; gateways hear of it, and nobody else', async () => {
    const begun = await begin(wrong);
    await world.cloud.clock.advance(1_000);
    journaled = [];
    world.notified();
    await correct(begun, { plate: right.toLowerCase() });
    expect(await found(wrong)).toEqual([]);
    expect(await found(right)).toEqual([begun.id]);
    expect(await visits(wrong)).toEqual([]);
    expect(await visits(right)).toEqual([`${right} 1`]);
    const shown = await world.get<Session>(`/v2/sessions/${begun.id}`);
    expect(shown.entry_license_plate).toMatchObject({ id: readingOf(begun), plate: right });
    expect(shown.updated_at > begun.updated_at).toBe(true);
    expect(world.notified()).toEqual([world.site.north]);
    expect(journaled).toEqual([]);
  });

  it('keeps a second session from beginning, and frees the plate that was wrong', async () => {
    const begun = await begin(wrong);
    await correct(begun, { plate: right });
    const again = { zone_id: world.site.zone, entry_license_plate: right };
    expect(await world.refused('POST', '/v2/sessions', again)).toEqual([422, '23 entry_license_plate']);
    await begin(wrong);
  });

  it('is refused when the plate has an open session in the lot, and nothing is written', async () => {
    const begun = await begin(wrong);
    const other = await begin(right);
    const path = `/v2/plate-readings/${readingOf(begun)}`;
    const before = await world.get(path);
    expect(await world.refused('PATCH', path, { plate: `${right} `, make: 'Skoda' })).toEqual([422, '23 plate']);
    expect(await world.get(path)).toEqual(before);
    expect(await found(right)).toEqual([other.id]);
    await world.post(`/v2/sessions/${other.id}/close`, {});
    await correct(begun, { plate: right });
    expect(await found(right)).toEqual([other.id, begun.id].toSorted((a, b) => b - a));
  });

  it('to the same plate in another spelling is no other plate', async () => {
    const begun = await begin(wrong);
    expect(await correct(begun, { plate: `${wrong.slice(0, 2)}-${wrong.slice(2)}` })).toMatchObject({
      plate: `ZG-${wrong.slice(2)}`,
    });
    expect(await found(wrong)).toEqual([begun.id]);
  });

  it('is priced by the tariff of the right plate, unless something was paid', async () => {
    const { site } = world;
    const { id } = await world.post<{ id: number }>('/v2/members', { name: 'Mia', license_plate: right });
    const group = { name: `Group ${made}`, member_ids: [id], zone_ids: [site.zone], tariff_ids: [site.yen] };
    await world.post('/v2/groups', group);
    const begun = await begin(wrong);
    await correct(begun, { plate: right });
    expect(await world.get(`/v2/sessions/${begun.id}`)).toMatchObject({ tariff_id: site.yen, currency: 'JPY' });
    const paid = await begin(wrong);
    await world.post(`/v2/sessions/${begun.id}/close`, {});
    await world.post(`/v2/sessions/${paid.id}/payments`, { amount: 1, overpays: true });
    await correct(paid, { plate: right });
    expect(await world.get(`/v2/sessions/${paid.id}`)).toMatchObject({ tariff_id: site.tariff, currency: 'EUR' });
  });

  it('by a hundred at once gives the plate to one session', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, (_, index) => begin(`${wrong}X${index}`)));
    const answers = await Promise.all(
      sessions.map((session) => world.refused('PATCH', `/v2/plate-readings/${readingOf(session)}`, { plate: right })),
    );
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.join() === '422,23 plate')).toHaveLength(19);
    expect(await found(right)).toHaveLength(1);
  });
});

it('a correction of anything but the plate of the reading leaves the session as it is', async () => {
  const begun = await begin(wrong);
  world.notified();
  await world.cloud.clock.advance(1_000);
  await correct(begun, { make: 'Skoda', plate: wrong });
  expect(await world.get(`/v2/sessions/${begun.id}`)).toMatchObject({ updated_at: begun.updated_at });
  expect(world.notified()).toEqual([]);
});

it('a correction of an ended session is found and counted by the right plate, and its price stays', async () => {
  const created_at = new Date(world.cloud.clock.now() - 2 * 3_600_000).toISOString();
  const begun = await begin(wrong, { created_at });
  const closed = await world.post<Session>(`/v2/sessions/${begun.id}/close`, { exit_license_plate: wrong });
  const open = await begin(right);
  await correct(begun, { plate: right });
  expect(await found(right)).toEqual([open.id, begun.id]);
  expect(await visits(right)).toEqual([`${right} 2`]);
  expect(await world.get(`/v2/sessions/${begun.id}`)).toMatchObject({ amount_due: closed.amount_due, currency: 'EUR' });
  // The exit is a reading of its own, which began no session; the session shows it.
  await world.cloud.clock.advance(1_000);
  await world.patch(`/v2/plate-readings/${closed.exit_license_plate?.id}`, { plate: 'KA1' });
  expect(await found('KA1')).toEqual([]);
  const shown = await world.get<Session>(`/v2/sessions/${begun.id}`);
  expect(shown.exit_license_plate).toMatchObject({ plate: 'KA1' });
  expect(Date.parse(shown.updated_at)).toBe(world.cloud.clock.now());
  const since = encodeURIComponent(`updated_at:gte:${shown.updated_at}`);
  expect(await world.ids(`/v2/sessions?filter=${since}&sort=updated_at:asc`)).toEqual([begun.id]);
});

describe('a correction of an exit that was refused', () => {
  const MINUTE = 60_000;
  interface Corrected {
    plate: string;
    session_id: number | null;
    fits_session_id: number | null;
  }
  /** A camera read `plate` at the exit `minutes` ago, and opened nothing. */
  const refuseExit = (plate: string, minutes = 1, changed: Partial<NewRow<'plate_readings'>> = {}): Promise<number> =>
    world.cloud.store.change(async (tx) => {
      const { harbour: account_id, north: lot_id, zone: zone_id } = world.site;
      const at = world.cloud.clock.now() - minutes * MINUTE;
      const of = { account_id, lot_id, zone_id, at, plate, plate_normalised: plate, direction: 'out' as const };
      const denied = { access_decision: 'denied', access_decision_reason: 'no_active_session' } as const;
      const row = await insertPlateReading(tx, readingRow({ ...of, ...denied, lpr_camera_id: 7, ...changed }));
      return row.id;
    });
  const beginAgo = (minutes: number, plate = right) =>
    begin(plate, { created_at: new Date(world.cloud.clock.now() - minutes * MINUTE).toISOString() });
  const correctExit = (id: number, changed: object) => world.patch<Corrected>(`/v2/plate-readings/${id}`, changed);
  const refusal = (id: number, changed: object) => world.refused('PATCH', `/v2/plate-readings/${id}`, changed);

  it('names the session that it fits, and ends it as of the reading when it is asked to', async () => {
    const stay = await beginAgo(60);
    const id = await refuseExit(wrong, 3);
    const corrected = await correctExit(id, { plate: right.toLowerCase() });
    expect(corrected).toMatchObject({ plate: right, session_id: null, fits_session_id: stay.id });
    expect(await world.get(`/v2/sessions/${stay.id}`)).toMatchObject({ ended_at: null });
    expect(journaled.map(({ event }) => event)).toEqual(['session_create']);
    journaled = [];
    world.notified();
    const ended = await correctExit(id, { plate: right, end_session: true });
    expect(ended).toMatchObject({ session_id: stay.id, fits_session_id: null });
    const left = new Date(world.cloud.clock.now() - 3 * MINUTE).toISOString();
    const shown = await world.get<Session>(`/v2/sessions/${stay.id}`);
    expect(shown).toMatchObject({ ended_at: left, duration: 57 * 60, exit_license_plate: { id, plate: right } });
    expect(shown.exit).toEqual({ type: 'attendant', id: world.site.owner });
    expect(Date.parse(shown.updated_at)).toBe(world.cloud.clock.now());
    expect(journaled.map(({ event }) => event)).toEqual(['session_update']);
    expect(world.notified()).toContain(world.site.north);
    expect(await refusal(id, { end_session: true })).toEqual([422, '23 end_session']);
  });

  it('ends it at once, with the correction', async () => {
    const stay = await beginAgo(60);
    const id = await refuseExit(wrong);
    expect(await correctExit(id, { plate: right, end_session: true })).toMatchObject({ session_id: stay.id });
  });

  it('fits no session that began later, has ended, or has another plate', async () => {
    const [late, gone] = [await refuseExit(wrong, 10), await refuseExit(wrong, 1)];
    const stay = await beginAgo(5);
    expect(await correctExit(late, { plate: right })).toMatchObject({ fits_session_id: null });
    expect(await refusal(late, { plate: right, end_session: true })).toEqual([422, '23 end_session']);
    await world.post(`/v2/sessions/${stay.id}/close`, {});
    expect(await refusal(gone, { plate: right, end_session: true })).toEqual([422, '23 end_session']);
    // What is refused leaves nothing.
    expect(await world.get(`/v2/plate-readings/${gone}`)).toMatchObject({ plate: wrong, original_plate: null });
  });

  it('fits none where several would do', async () => {
    const [stay, other] = [await beginAgo(60), await beginAgo(50, `${right}2`)];
    // What gateways told late may have left two of a plate.
    await world.cloud.store.change((tx) =>
      tx.updateTable('sessions').set({ plate_normalised: right }).where('id', '=', other.id).execute(),
    );
    const id = await refuseExit(wrong);
    expect(await correctExit(id, { plate: right })).toMatchObject({ fits_session_id: null });
    expect(await refusal(id, { end_session: true })).toEqual([422, '23 end_session']);
    expect(await world.get(`/v2/sessions/${stay.id}`)).toMatchObject({ ended_at: null });
  });

  it.each([
    ['an entry', { direction: 'in' as const }],
    ['an exit that was let out', { access_decision: 'triggered' as const }],
  ])('is none for %s', async (_, changed) => {
    await beginAgo(60);
    const id = await refuseExit(wrong, 1, changed);
    expect(await correctExit(id, { plate: right })).toMatchObject({ fits_session_id: null });
    expect(await refusal(id, { end_session: true })).toEqual([422, '23 end_session']);
  });

  it('by two at once ends it once', async () => {
    const stay = await beginAgo(60);
    const exits = [await refuseExit(wrong, 3), await refuseExit(wrong, 2)];
    const answers = await Promise.all(exits.map((id) => refusal(id, { plate: right, end_session: true })));
    expect(answers.toSorted()).toEqual([[200], [422, '23 end_session']]);
    expect(await world.get(`/v2/sessions/${stay.id}`)).toMatchObject({ exit_license_plate: { plate: right } });
  });
});
