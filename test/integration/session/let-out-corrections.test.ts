/** A vehicle was let out at an exit that had refused it: what a person corrects afterwards finds the stay that it left. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { insertPlateReading } from '../../../cloud/traffic/reading/reading-queries.js';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readingRow } from './reading-rows.js';

const MINUTE_MS = 60_000;

let world: RestWorld;
let made = 0;
let wrong: string;
let right: string;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world.cloud.close());
beforeEach(() => {
  made += 1;
  wrong = `KA${made}77XX`;
  right = `RI${made}55YY`;
});

/** The exit refused the plate three minutes ago, and somebody let its vehicle out. */
const letOut = (plate: string, changed: Partial<NewRow<'plate_readings'>> = {}): Promise<number> =>
  world.cloud.store.change(async (tx) => {
    const { harbour: account_id, north: lot_id, zone: zone_id } = world.site;
    const at = world.cloud.clock.now() - 3 * MINUTE_MS;
    const of = { account_id, lot_id, zone_id, at, plate, plate_normalised: plate, direction: 'out' as const };
    const denied = {
      access_decision: 'denied',
      access_decision_reason: 'no_active_session',
      lpr_camera_id: 7,
    } as const;
    const handled = { handled_at: at, handled_by: 'South', handled_how: 'let_in' } as const;
    return (await insertPlateReading(tx, readingRow({ ...of, ...denied, ...handled, ...changed }))).id;
  });
const begin = (plate: string) =>
  world.post<Session>('/v2/sessions', {
    zone_id: world.site.zone,
    entry_license_plate: plate,
    created_at: new Date(world.cloud.clock.now() - 60 * MINUTE_MS).toISOString(),
  });
const stayOf = ({ id }: Session) => world.get<Session>(`/v2/sessions/${id}`);
const left = () => new Date(world.cloud.clock.now() - 3 * MINUTE_MS).toISOString();

it('the plate at the exit was misread: its correction ends the stay, without being asked to', async () => {
  const stay = await begin(right);
  const id = await letOut(wrong);
  world.notified();
  const corrected = await world.patch(`/v2/plate-readings/${id}`, { plate: right });
  expect(corrected).toMatchObject({ session_id: stay.id, fits_session_id: null, handled_how: 'let_in' });
  expect(await stayOf(stay)).toMatchObject({
    ended_at: left(),
    exit: { type: 'lpr_camera', id: 7 },
    exit_license_plate: { id, plate: right },
  });
  expect(world.notified()).toContain(world.site.north);
});

it.each([
  [
    'the reading',
    (stay: Session) => world.patch(`/v2/plate-readings/${stay.entry_license_plate?.id}`, { plate: right }),
  ],
  ['the stay', (stay: Session) => world.patch(`/v2/sessions/${stay.id}`, { entry_license_plate: right })],
])('the plate at the entry was misread: its correction at %s ends the stay', async (_, correct) => {
  const stay = await begin(wrong);
  const id = await letOut(right);
  await correct(stay);
  expect(await stayOf(stay)).toMatchObject({ ended_at: left(), exit_license_plate: { id } });
});

it('a correction that fits none ends none, and a vehicle that waits still has to be asked for', async () => {
  const [stay, other] = [await begin(right), await begin(`HR${made}33ZZ`)];
  const id = await letOut(wrong);
  expect(await world.patch(`/v2/plate-readings/${id}`, { plate: `BJ${made}11QQ` })).toMatchObject({ session_id: null });
  const waiting = await letOut(wrong, { handled_at: null, handled_by: null, handled_how: null });
  expect(await world.patch(`/v2/plate-readings/${waiting}`, { plate: right })).toMatchObject({
    fits_session_id: stay.id,
  });
  expect([await stayOf(stay), await stayOf(other)]).toMatchObject([{ ended_at: null }, { ended_at: null }]);
});
