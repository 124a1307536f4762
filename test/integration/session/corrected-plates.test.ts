/** A reading that is corrected changes the plate by which the session that it began is found, counted and matched. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import type { JournalEvent } from '../../../cloud/kernel/store/cloud-store.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

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
    expect(await visits(right)).toEqual([`${right.toLowerCase()} 1`]);
    const shown = await world.get<Session>(`/v2/sessions/${begun.id}`);
    expect(shown.entry_license_plate).toMatchObject({ id: readingOf(begun), plate: right.toLowerCase() });
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
  // The exit is a reading of its own, which began no session.
  await world.patch(`/v2/plate-readings/${closed.exit_license_plate?.id}`, { plate: 'KA1' });
  expect(await found('KA1')).toEqual([]);
});
