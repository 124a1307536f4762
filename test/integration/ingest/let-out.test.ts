/**
 * A vehicle that an exit refused and a person let out leaves one session, ended as of the refused read: whatever is told first, by whom it was let
 * out, and how late the entry is told.
 */
import { describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import type { Caller } from '../../../cloud/kernel/auth/caller.js';
import { letInVehicle } from '../../../cloud/traffic/session/let-in-vehicle.js';
import { createSessionChanges } from '../../../cloud/traffic/session/session-changes.js';
import type { EventId, Uid } from '../../../shared/ids.js';
import type { LocalActionRecord, PlateReadRecord } from '../../../shared/uplink.js';
import { SECOND_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { deniedRead, entryRead, exitRead, newUid, NOON_MS, recordOf } from './gateway-records.js';

const MINUTE_MS = 60_000;
const LEFT_MS = NOON_MS - 5 * MINUTE_MS;

const world = storeWorld('for all tests');
const north = senderOf(world);
const south = senderOf(world, SECOND_GATEWAY);

let made = 0;
/** A vehicle of its own for each case, and how a camera may misread it. */
function newPlates() {
  const [a = '', b = ''] = [made % 23, Math.floor(made / 23)].map((each) => 'ACEFHJKLMNPRTUVWXY346789'[each]);
  made += 1;
  return { own: `R${a}${b}${a}88`, alike: `R${a}${b}${a}B8` };
}

const entry = (plate: string, event_ms: number): PlateReadRecord =>
  entryRead(world.site, { reading: { plate, event_ms } });
/** Somebody opens the stay by hand, and says since when the vehicle is there. @returns when it has ended already */
async function beginByHand(plate: string, created_at: number): Promise<number | null> {
  const { clock, configChanged, site, store } = world;
  const caller = { kind: 'api', account_id: site.account, lot_ids: new Set([site.lot]) } as unknown as Caller;
  const generatePublicId = () => plate.padEnd(10, 'X');
  const changes = createSessionChanges({ clock, configChanged, generatePublicId, generateUid: newUid });
  const asked = { zone_id: site.zone, entry_license_plate: plate, created_at };
  return (await changes.begin(ownChange(store), caller, asked)).session.ended_at;
}

const refusedExit = (plate: string, reason: 'no_active_session' | 'debounce' = 'no_active_session') =>
  exitRead(world.site, null, {
    reading: { plate, event_ms: LEFT_MS },
    read: { ...deniedRead(reason), ...(reason === 'debounce' ? { lot_entry: null } : {}) },
  });

const letOut = (reading_uid: Uid, change: Partial<LocalActionRecord> = {}): LocalActionRecord => ({
  kind: 'local_action',
  action: 'let_in',
  by: 'console',
  address: '192.168.1.20',
  at_ms: LEFT_MS + MINUTE_MS,
  was_cut_off: true,
  plate: null,
  product_id: world.site.gate,
  operation: 'open',
  event_id: 'deadbee7' as EventId,
  sighting_uid: null,
  reading_uid,
  outcome: 'succeeded',
  gateway_error_type: null,
  count: 1,
  ...change,
});

const readingId = async (uid: Uid) =>
  (await world.store.reader.selectFrom('plate_readings').select('id').where('uid', '=', uid).executeTakeFirstOrThrow())
    .id;

/** A command of the cloud that names the read has opened. */
async function letOutByCloud(uid: Uid): Promise<void> {
  const plate_reading_id = await readingId(uid);
  const { configChanged } = world;
  await world.store.change((tx) =>
    letInVehicle({ configChanged })(tx, { vehicle: { plate_reading_id }, by: 'Ana', at: NOON_MS }),
  );
}

async function sessionsOf(plates: { own: string; alike: string }) {
  const sessions = await world.store.reader
    .selectFrom('sessions')
    .leftJoin('plate_readings as exit', 'exit.id', 'sessions.exit_reading_id')
    .select(['sessions.created_at', 'sessions.ended_at', 'sessions.ended_by_look_alike', 'exit.uid as exit_uid'])
    .where('sessions.plate_normalised', 'in', [plates.own, plates.alike])
    .orderBy('sessions.created_at')
    .execute();
  return sessions.map(({ created_at, ended_at, ended_by_look_alike: alike, exit_uid }) => ({
    began: created_at,
    ended: ended_at,
    alike: alike === 1,
    exit_uid,
  }));
}

/** The entry, the refusal, the letting out and a second try, in the order in which they come; what stands together comes at once. */
const ORDERS = ['E R L', 'R E L', 'R L E', 'R L 2 E', 'R L E 2', 'E RL', 'R LE', 'ERL', 'RL E', 'RL2 E'];

const CASES = ORDERS.flatMap((order) =>
  (['the gateway', 'the cloud'] as const).flatMap((by) =>
    (['its plate', 'a plate that looks like it'] as const).flatMap((read) =>
      (['a camera', 'a person'] as const).flatMap((entered) =>
        ([10, 30 * 60] as const).map((minutes) => ({ order, by, read, entered, minutes })),
      ),
    ),
  ),
).filter(({ order, by }) => by === 'the gateway' || /^\S( \S)*$/.test(order));

describe('one session, ended as of the read', () => {
  const entryBy = {
    'a camera': (plate: string, began: number): Promise<unknown> => north(0, entry(plate, began)),
    'a person': beginByHand,
  };

  it.each(CASES)(
    'in the order $order, let out by $by, read as $read, entry told by $entered, $minutes min',
    async (each) => {
      const plates = newPlates();
      const began = LEFT_MS - each.minutes * MINUTE_MS;
      const isAlike = each.read !== 'its plate';
      const uid = newUid();
      const refusal = recordOf(1, refusedExit(isAlike ? plates.alike : plates.own), { uid });
      for (const together of each.order.split(' ')) {
        const steps = [...together];
        const isByCloud = each.by === 'the cloud' && /[L2]/.test(together);
        const records: object[] = steps.flatMap((step) => (step === 'R' ? refusal : step === 'E' ? [] : letOut(uid)));
        await Promise.all([
          steps.includes('E') ? entryBy[each.entered](plates.own, began) : null,
          isByCloud ? letOutByCloud(uid) : records.length > 0 ? south(0, ...records) : null,
        ]);
      }
      expect(await sessionsOf(plates)).toEqual([{ began, ended: LEFT_MS, alike: isAlike, exit_uid: uid }]);
    },
  );
});

describe('a vehicle that was let out', () => {
  const send = async (plates: { own: string }, ...more: object[]) => {
    const uid = newUid();
    await south(0, recordOf(1, refusedExit(plates.own), { uid }), ...more);
    return uid;
  };

  it('has its session told as ended, once, with the exit’s camera and all that its end means', async () => {
    const plates = newPlates();
    await north(0, entry(plates.own, LEFT_MS - 10 * MINUTE_MS));
    const uid = await send(plates);
    const events = await south(0, letOut(uid), letOut(uid));
    expect(events.map(({ event }) => event)).toEqual(['session_update']);
    expect(events[0]?.payload).toMatchObject({
      duration: 600,
      possibly_exited: true,
      exit: { type: 'lpr_camera', id: world.site.exitCamera },
    });
    const stale = world.staleConfig.filter(({ sections }) => sections.includes('sessions'));
    expect(stale.length).toBeGreaterThan(0);
  });

  it('has no stay that anybody knows: none is made, and its next one goes on', async () => {
    const plates = newPlates();
    const uid = await send(plates);
    await south(0, letOut(uid));
    expect(await sessionsOf(plates)).toEqual([]);
    await north(0, entry(plates.own, LEFT_MS + 3 * MINUTE_MS));
    expect(await sessionsOf(plates)).toMatchObject([{ ended: null }]);
  });

  it('ends no stay that ended otherwise, nor another one that began later', async () => {
    const plates = newPlates();
    const began = LEFT_MS - 10 * MINUTE_MS;
    await north(0, entry(plates.own, began));
    const ended_at = LEFT_MS + MINUTE_MS;
    await world.store.change((tx) =>
      tx.updateTable('sessions').set({ ended_at }).where('plate_normalised', '=', plates.own).execute(),
    );
    await north(0, entry(plates.own, LEFT_MS + 2 * MINUTE_MS));
    const uid = await send(plates);
    await south(0, letOut(uid));
    expect(await sessionsOf(plates)).toMatchObject([
      { began, ended: ended_at, exit_uid: null },
      { ended: null, exit_uid: null },
    ]);
  });

  it.each(['R L M', 'M R L', 'R M L'])('ends no stay that a person says began after it: %s', async (order) => {
    const plates = newPlates();
    const uid = newUid();
    for (const step of order.split(' ')) {
      if (step === 'M') expect(await beginByHand(plates.own, LEFT_MS + 2 * MINUTE_MS)).toBeNull();
      else await south(0, step === 'R' ? recordOf(1, refusedExit(plates.own), { uid }) : letOut(uid));
    }
    expect(await sessionsOf(plates)).toMatchObject([{ began: LEFT_MS + 2 * MINUTE_MS, ended: null }]);
  });

  it('is told as gone to the person who opens its stay by hand', async () => {
    const plates = newPlates();
    const uid = await send(plates);
    await south(0, letOut(uid));
    expect(await beginByHand(plates.own, LEFT_MS - MINUTE_MS)).toBe(LEFT_MS);
  });

  it('ends none of two that look like it', async () => {
    const plates = newPlates();
    for (const last of ['S', '6']) await north(0, entry(`${plates.own.slice(0, -1)}${last}`, LEFT_MS - 10 * MINUTE_MS));
    const uid = await send(plates);
    await south(0, letOut(uid));
    const open = await world.store.reader
      .selectFrom('sessions')
      .select('ended_at')
      .where('plate_normalised', 'like', `${plates.own.slice(0, -1)}%`)
      .execute();
    expect(open).toEqual([{ ended_at: null }, { ended_at: null }]);
  });

  it('was not let out where the product did not open, or nobody knows whether it did', async () => {
    const plates = newPlates();
    await north(0, entry(plates.own, LEFT_MS - 10 * MINUTE_MS));
    const uid = await send(plates);
    await south(0, letOut(uid, { outcome: 'failed', gateway_error_type: 5 }), {
      kind: 'opening_result',
      reading_uid: uid,
      event_id: 'deadbee8',
      product_id: world.site.gate,
      outcome: 'unknown',
      gateway_error_type: null,
      is_on_site: true,
    });
    expect(await sessionsOf(plates)).toMatchObject([{ ended: null }]);
    const opening = await world.store.reader
      .selectFrom('openings')
      .select(['cause', 'outcome', 'plate_reading_id'])
      .where('event_id', '=', 'deadbee8')
      .execute();
    expect(opening).toEqual([{ cause: 'on_site', outcome: 'unknown', plate_reading_id: await readingId(uid) }]);
    const reading = await world.store.reader
      .selectFrom('plate_readings')
      .select(['handled_how', 'opening_outcome'])
      .where('uid', '=', uid)
      .execute();
    expect(reading).toEqual([{ handled_how: null, opening_outcome: 'unknown' }]);
  });

  it('may have been read twice: the read that was a repeat counts as well', async () => {
    const plates = newPlates();
    await north(0, entry(plates.own, LEFT_MS - 10 * MINUTE_MS));
    await send(plates);
    const uid = newUid();
    await south(0, recordOf(1, refusedExit(plates.own, 'debounce'), { uid }), letOut(uid));
    expect(await sessionsOf(plates)).toMatchObject([{ ended: LEFT_MS, exit_uid: uid }]);
  });

  it.each(['E R L A', 'E RLA', 'E R LA', 'E R L2A', 'R LA E', 'RLA E', 'RE LA'])(
    'tried again and has one session, though the gate opened for its second read by itself: %s',
    async (order) => {
      const plates = newPlates();
      const began = LEFT_MS - 10 * MINUTE_MS;
      const uid = newUid();
      const again = exitRead(world.site, null, { reading: { plate: plates.own, event_ms: LEFT_MS + 2 * MINUTE_MS } });
      for (const together of order.split(' ')) {
        if (together.includes('E')) await north(0, entry(plates.own, began));
        const records = [...together].flatMap((step): object[] => {
          if (step === 'E') return [];
          if (step === 'R') return [recordOf(1, refusedExit(plates.own), { uid })];
          return [step === 'A' ? again : letOut(uid)];
        });
        if (records.length > 0) await south(0, ...records);
      }
      expect(await sessionsOf(plates)).toEqual([{ began, ended: LEFT_MS, alike: false, exit_uid: uid }]);
    },
  );
});
