/** Sessions are put together from records that come in any order, from gateways that do not know of each other. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countsOfLot } from '../../../cloud/site/zone/occupancy-queries.js';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { wireBatch, entryRead, exitRead, newOutboxEpoch, newUid, NOON_MS, recordOf } from './gateway-records.js';
import { insertId, NORTH_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: StoreWorld;
const ENTRY = { uuid: NORTH_GATEWAY, epoch: newOutboxEpoch(), seq: 0 };
const EXIT = { uuid: SECOND_GATEWAY, epoch: newOutboxEpoch(), seq: 0 };

beforeEach(async () => {
  world = await createStoreWorld();
  ENTRY.seq = 0;
  EXIT.seq = 0;
});
afterEach(() => world.close());

const apply = (gateway: typeof ENTRY, read: PlateReadRecord) => {
  gateway.seq += 1;
  return world.ingest.apply(gateway.uuid, wireBatch(gateway.epoch, 0, [recordOf(gateway.seq, read)]));
};

/** Applies one read. @returns the names of the session events that were pushed */
async function send(gateway: typeof ENTRY, read: PlateReadRecord): Promise<EventName[]> {
  world.pushed.length = 0;
  const ack = await apply(gateway, read);
  expect(ack).toMatchObject({ seq: gateway.seq, gap: false });
  for (const { event, payload } of world.pushed) expect(EVENT_SCHEMAS[event].safeParse(payload).error).toBeUndefined();
  return world.pushed.map(({ event }) => event).filter((event) => event.startsWith('session'));
}

const at = (event_ms: number, changed: object = {}) => ({ event_ms, ...changed });
const entry = (event_ms: number, changed: object = {}, read: object = {}) =>
  entryRead(world.site, { reading: at(event_ms, changed), read });
/** Let out without a session. */
const cutOffExit = (event_ms: number, read: object = {}) => exitRead(world.site, null, { reading: at(event_ms), read });
const exitOf = (session_uid: Uid, event_ms: number, look_alike = false, plate = 'ZG1234AB') =>
  exitRead(world.site, null, {
    reading: at(event_ms, { plate }),
    read: { session: { effect: 'end', session_uid, look_alike } },
  });
const uidOf = (read: PlateReadRecord): Uid => {
  if (read.session?.effect !== 'begin') throw new Error('the read begins no session');
  return read.session.session_uid;
};

/** The sessions, oldest first, in minutes from the beginning of the first. */
async function sessions() {
  const rows = await world.store.reader
    .selectFrom('sessions')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const zero = rows[0]?.created_at ?? 0;
  const minutes = (ms: number | null) => (ms === null ? null : (ms - zero) / MINUTE);
  return rows.map((row) => [minutes(row.created_at), minutes(row.ended_at)]);
}
const readings = async () =>
  world.store.reader.selectFrom('plate_readings').select('session_id').orderBy('id').execute();

describe('a vehicle that one gateway let in and another let out', () => {
  const came = NOON_MS - 3 * HOUR;
  const left = NOON_MS - HOUR;

  it('has one session, from the one to the other', async () => {
    expect(await send(ENTRY, entry(came))).toEqual(['session_create']);
    expect(await send(EXIT, cutOffExit(left))).toEqual(['session_update']);
    expect(await sessions()).toEqual([[0, 120]]);
    expect(world.pushed.find(({ event }) => event === 'session_update')?.payload).toMatchObject({
      possibly_exited: true,
      exit: { id: world.site.exitCamera, type: 'lpr_camera' },
      duration: 7_200,
    });
    expect(await readings()).toEqual([{ session_id: 1 }, { session_id: 1 }]);
  });

  it('has the same session when the exit is heard of first', async () => {
    expect(await send(EXIT, cutOffExit(left))).toEqual([]);
    expect(await send(ENTRY, entry(came))).toEqual(['session_create', 'session_update']);
    expect(await sessions()).toEqual([[0, 120]]);
    expect(await readings()).toEqual([{ session_id: 1 }, { session_id: 1 }]);
    const row = await world.store.reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ entry_reading_id: 2, exit_reading_id: 1, exit_source_id: world.site.exitCamera });
  });

  it('has the same session when the exit was whitelisted, or accounted late', async () => {
    for (const read of [
      { access_decision_reason: 'whitelist' },
      { access_decision: null, access_decision_reason: null },
    ]) {
      await send(ENTRY, entry(came));
      expect(await send(EXIT, cutOffExit(left, read))).toEqual(['session_update']);
      await world.store.change(async (tx) => {
        await tx.deleteFrom('sessions').execute();
      });
    }
  });

  it('has one session for each day, in whatever order the records of several days come', async () => {
    const days = [0, 1, 2].map((day) => NOON_MS - 72 * HOUR + day * 24 * HOUR);
    for (const day of days) await send(EXIT, cutOffExit(day + 2 * HOUR));
    for (const day of [days[1], days[2], days[0]]) await send(ENTRY, entry(day ?? 0));
    expect(await sessions()).toEqual([
      [0, 120],
      [1_440, 1_560],
      [2_880, 3_000],
    ]);
  });

  it('keeps its session when it was not let out, or had left before', async () => {
    await send(ENTRY, entry(came));
    const denied = {
      access_decision: 'denied',
      access_decision_reason: 'no_active_session',
      lot_entry: { is_allowed: false },
    };
    expect(await send(EXIT, cutOffExit(left, denied))).toEqual([]);
    expect(await send(EXIT, cutOffExit(came - 1))).toEqual([]);
    expect(await send(EXIT, exitRead(world.site, null, { reading: at(left, { plate: 'ZG1234A8' }) }))).toEqual([]);
    expect(await sessions()).toEqual([[0, null]]);
  });
});

describe('a vehicle that came again', () => {
  it('within five minutes by another gateway keeps its session', async () => {
    const first = entry(NOON_MS - 10 * MINUTE);
    await send(ENTRY, first);
    expect(await send(EXIT, entry(NOON_MS - 5 * MINUTE))).toEqual([]);
    expect(await sessions()).toEqual([[0, null]]);
    expect(await readings()).toEqual([{ session_id: 1 }, { session_id: 1 }]);
    expect(await send(ENTRY, entry(NOON_MS - 5 * MINUTE + 1))).toEqual(['session_update', 'session_create']);
    expect((await sessions()).map(([, ended]) => ended === null)).toEqual([false, true]);
  });

  it('and is let out by the gateway whose session was not made', async () => {
    await send(ENTRY, entry(NOON_MS - 10 * MINUTE));
    const phantom = entry(NOON_MS - 8 * MINUTE);
    await send(EXIT, phantom);
    const kept = { session: { effect: 'keep', session_uid: uidOf(phantom) } };
    await send(EXIT, entry(NOON_MS - 7 * MINUTE, {}, kept));
    expect(await send(EXIT, exitOf(uidOf(phantom), NOON_MS - MINUTE))).toEqual(['session_update']);
    expect(await sessions()).toEqual([[0, 9]]);
    expect(await readings()).toEqual([1, 1, 1, 1].map((session_id) => ({ session_id })));
  });

  it('ends the session that is heard of late, though the later one has ended', async () => {
    const later = entry(NOON_MS - HOUR);
    await send(ENTRY, later);
    await send(EXIT, exitOf(uidOf(later), NOON_MS - 30 * MINUTE));
    expect(await send(ENTRY, entry(NOON_MS - 3 * HOUR))).toEqual(['session_create', 'session_update']);
    expect(await sessions()).toEqual([
      [0, 120],
      [120, 150],
    ]);
  });

  it('by a read that is heard of after the session has ended begins no second session', async () => {
    const first = entry(NOON_MS - 3 * HOUR);
    await send(ENTRY, first);
    await send(EXIT, exitOf(uidOf(first), NOON_MS - HOUR));
    const late = { access_decision: null, access_decision_reason: null, opening: null };
    expect(await send(ENTRY, entry(NOON_MS - 2 * HOUR, { retransmission: true }, late))).toEqual([]);
    expect(await sessions()).toEqual([[0, 120]]);
  });

  it('leaves by the exit that knew its first session only', async () => {
    const first = entry(NOON_MS - 3 * HOUR);
    await send(ENTRY, first);
    await send(ENTRY, entry(NOON_MS - 2 * HOUR));
    expect(await send(EXIT, exitOf(uidOf(first), NOON_MS - HOUR))).toEqual(['session_update']);
    expect(await sessions()).toEqual([
      [0, 60],
      [60, 120],
    ]);
  });
});

describe('a look-alike', () => {
  const came = NOON_MS - 2 * HOUR;

  it('ends the only session that looks like it', async () => {
    const other = entry(came, { plate: 'ZG1234A8' });
    await send(ENTRY, other);
    expect(await send(EXIT, exitOf(uidOf(other), NOON_MS - HOUR, true))).toEqual(['session_update']);
    const row = await world.store.reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ ended_by_look_alike: 1, ended_at: NOON_MS - HOUR });
  });

  it('never goes before the plate’s own session, which the gateway did not know', async () => {
    const other = entry(came, { plate: 'ZG1234A8' });
    await send(ENTRY, other);
    await send(ENTRY, entry(came + MINUTE));
    expect(await send(EXIT, exitOf(uidOf(other), NOON_MS - HOUR, true))).toEqual(['session_update']);
    const rows = await world.store.reader
      .selectFrom('sessions')
      .select(['plate_normalised', 'ended_at', 'ended_by_look_alike'])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { plate_normalised: 'ZG1234A8', ended_at: null, ended_by_look_alike: 0 },
      { plate_normalised: 'ZG1234AB', ended_at: NOON_MS - HOUR, ended_by_look_alike: 0 },
    ]);
  });

  it('lets the plate whose session it ended leave without one', async () => {
    const own = entry(came);
    await send(ENTRY, own);
    await send(EXIT, exitOf(uidOf(own), NOON_MS - HOUR, true, 'ZG1234A8'));
    expect(await send(EXIT, cutOffExit(NOON_MS - 30 * MINUTE))).toEqual([]);
    expect(await sessions()).toEqual([[0, 60]]);
  });
});

describe('how full a zone is', () => {
  const parkingGateway = {
    gateway_id: null,
    name: 'Guidance',
    driver: 'modbus-tcp',
    address: '127.0.0.1:1502',
    unit: 1,
    poll_ms: 1_000,
    heartbeat_s: 30,
    register: null,
    application: null,
    status: 'offline' as const,
    last_seen: null,
  };
  const counts = async () => {
    const { lot: lot_id, zone, lowerZone } = world.site;
    const found = await countsOfLot(world.store.reader, { lot_id, now: world.clock.now() });
    return [zone, lowerZone].map((id) => found.get(id)?.sensors ?? found.get(id)?.sessions ?? 0);
  };

  it('is how many sessions are open, as long as they may count', async () => {
    expect(await counts()).toEqual([0, 0]);
    const first = entry(NOON_MS - HOUR);
    await send(ENTRY, first);
    await send(ENTRY, entry(NOON_MS - 72 * HOUR + 1, { plate: 'ZG2' }));
    await send(ENTRY, entry(NOON_MS - 72 * HOUR, { plate: 'ZG3' }));
    expect(await counts()).toEqual([2, 0]);
    await send(EXIT, exitOf(uidOf(first), NOON_MS - MINUTE));
    expect(await counts()).toEqual([1, 0]);
    // Too old to count, still open for its exit.
    expect(await send(EXIT, exitRead(world.site, null, { reading: at(NOON_MS, { plate: 'ZG3' }) }))).toEqual([
      'session_update',
    ]);
  });

  it('is what its sensors say where its places have any', async () => {
    await send(ENTRY, entry(NOON_MS - HOUR));
    const { account: account_id, lot: lot_id, zone: zone_id } = world.site;
    const place = { account_id, lot_id, zone_id, codec: null, occupied_below_mm: null, hysteresis_mm: null };
    const times = { created_at: NOON_MS, updated_at: NOON_MS };
    const parking_gateway_id = await world.store.change((tx) =>
      insertId(tx, 'parking_gateways', { ...parkingGateway, account_id, lot_id, ...times }),
    );
    const insert = (name: string, occupancy_status: 'free' | 'occupied', sensor: string | null) =>
      world.store.change((tx) => {
        const watched = { sensor, parking_gateway_id: sensor === null ? null : parking_gateway_id };
        return insertId(tx, 'parking_places', {
          ...place,
          ...watched,
          name,
          occupancy_status,
          changed_at: null,
          ...times,
        });
      });
    await insert('without', 'occupied', null);
    expect(await counts()).toEqual([1, 0]);
    await insert('A', 'occupied', '1');
    await insert('B', 'occupied', '2');
    await insert('C', 'free', '3');
    expect(await counts()).toEqual([2, 0]);
  });
});

it('marks the gateways’ sessions stale, even when nothing came of a decision, and zones when a vehicle left without one', async () => {
  await apply(ENTRY, exitOf(newUid(), NOON_MS, false, 'ZG9999ZZ'));
  // Somebody may have counted that vehicle.
  expect(world.staleConfig).toEqual([{ lot_id: world.site.lot, sections: ['sessions', 'zones'] }]);
});
