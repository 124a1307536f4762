/**
 * Records that are too old to be true are kept aside, and what a gateway recorded live while its clock was wrong is not. What a read costs
 * does not depend on how often its plate stood in the lot.
 */
import { describe, expect, it } from 'vitest';
import { countKeptAside } from '../../../cloud/equipment/gateway/gateway-health-queries.js';
import { createIngest } from '../../../cloud/traffic/ingest/ingest.js';
import { exitsWithoutSession, lotEntriesOfExits } from '../../../cloud/traffic/lot-entry/lot-entry-queries.js';
import { sessionsOfReads } from '../../../cloud/traffic/session/session-queries.js';
import { DAY_MS } from '../../../shared/durations.js';
import type { UplinkRecord } from '../../../shared/uplink.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import {
  decisionOf,
  entryRead,
  exitRead,
  newOutboxEpoch,
  newUid,
  NOON_MS,
  openingResult,
  recordOf,
  refinementOf,
  sessionOf,
  sighting,
  wireBatch,
} from './gateway-records.js';
import { ingestDeps } from './ingest-deps.js';

const world = storeWorld('for each test');
const sendLane = senderOf(world);

const CLAIMED_MS = NOON_MS - 300 * DAY_MS;
const claimedAt = (claimed_at: number) =>
  world.store.change(async (tx) => {
    await tx.updateTable('gateways').set({ claimed_at, device_since: claimed_at }).execute();
  });

/** Sends the records as one batch. @returns the reasons of those that were kept aside */
async function send(records: readonly UplinkRecord[], lane: 0 | 1 = 0): Promise<string[]> {
  await sendLane(lane, ...records);
  const letters = await world.store.reader.selectFrom('dead_letters').select('reason').orderBy('id').execute();
  expect(await countKeptAside(world.store.reader, world.site.gateway)).toBe(letters.length);
  return letters.map(({ reason }) => reason);
}

const entry = (event_ms: number, plate = 'ZG1') => entryRead(world.site, { reading: { event_ms, plate } });
const beganAt = async () =>
  (await world.store.reader.selectFrom('sessions').select('created_at').orderBy('id').execute()).map(
    ({ created_at }) => created_at,
  );

describe('a record', () => {
  it('is applied up to the autonomy of its lot and seven days, and kept aside with its reason after that', async () => {
    await claimedAt(CLAIMED_MS);
    const [recent, old] = [NOON_MS - 37 * DAY_MS, NOON_MS - 39 * DAY_MS];
    const late = recordOf(2, entry(old, 'ZG2'));
    const reasons = await send([recordOf(1, entry(recent)), late, recordOf(3, openingResult(late.uid, world.site))]);
    const reason = 'of 2025-12-07T12:00:00.000Z, older than the 31 days of autonomy and 7';
    expect(reasons).toEqual([reason, `belongs to ${late.uid}, which was given up: ${reason}`]);
    expect(await beganAt()).toEqual([recent]);
  });

  it('is kept aside when it is more than 26 hours older than the claim of its gateway', async () => {
    await claimedAt(NOON_MS - DAY_MS);
    const minutesSlow = NOON_MS - DAY_MS - 7 * 60_000;
    const reasons = await send([
      recordOf(1, entry(NOON_MS - DAY_MS - 27 * 3_600_000, 'ZG1')),
      recordOf(2, entry(minutesSlow, 'ZG2')),
    ]);
    expect(reasons).toEqual(['of 2026-01-13T09:00:00.000Z, more than 26 hours before the gateway was claimed']);
    expect(await beganAt()).toEqual([minutesSlow]);
  });

  it('is not aged by the claim of the device that has replaced its own', async () => {
    await claimedAt(NOON_MS);
    const event_ms = NOON_MS - 2 * DAY_MS;
    const batch = wireBatch(newOutboxEpoch(), 0, [recordOf(1, entry(event_ms))]);
    expect(await world.ingest.applyFormer(NORTH_GATEWAY, batch)).toMatchObject({ seq: 1 });
    expect([await beganAt(), await countKeptAside(world.store.reader, world.site.gateway)]).toEqual([[event_ms], 0]);
  });

  it('is kept aside whatever it is of', async () => {
    const old = { event_ms: 1_000, time_source: 'device' as const };
    const reasons = await send(
      [
        recordOf(1, { ...sighting(world.site), ...old }),
        recordOf(2, { kind: 'place_change', parking_place_id: 1, occupancy_status: 'occupied', ...old }),
        recordOf(3, { kind: 'parking_gateway_status', parking_gateway_id: 1, status: 'online', event_ms: 1_000 }),
      ],
      1,
    );
    // An old gateway's status has no source of its time: it is judged by when the record was made.
    expect(reasons).toEqual([
      'of 1970-01-01T00:00:01.000Z, older than the 31 days of autonomy and 7',
      'of 1970-01-01T00:00:01.000Z, older than the 31 days of autonomy and 7',
      'parking gateway 1 is not watched by the gateway',
    ]);
  });

  it('is applied when only the clock of its gateway was wrong: one of 1970, and one that stood still for months', async () => {
    const { bootClocks, site, clock } = world;
    const boot_id = newUid();
    bootClocks.note(site.gateway, { boot_id, mono_ms: 600_000 }, clock.now());
    const [wall_ms, mono_ms] = [NOON_MS - 90 * DAY_MS, 540_000];
    const reasons = await send([
      recordOf(1, entry(1_000, 'ZG1'), { boot_id, mono_ms, wall_ms: 1_000, clock_ok: false }),
      recordOf(2, entry(wall_ms - 2_000, 'ZG2'), { boot_id, mono_ms, wall_ms, clock_ok: true }),
    ]);
    expect(reasons).toEqual([]);
    expect(await beganAt()).toEqual([clock.now() - 60_000, clock.now() - 62_000]);
    const rows = await world.store.reader.selectFrom('plate_readings').select('time_estimated').execute();
    expect(rows).toEqual([{ time_estimated: 1 }, { time_estimated: 1 }]);
  });

  it('is refined at the time that its reading was given, whatever the refinement says', async () => {
    const { bootClocks, site, clock } = world;
    const boot_id = newUid();
    bootClocks.note(site.gateway, { boot_id, mono_ms: 600_000 }, clock.now());
    const read = entryRead(site, { reading: { event_ms: 1_000 }, read: { session: null, opening: null } });
    const first = recordOf(1, read, { boot_id, mono_ms: 540_000, wall_ms: 1_000, clock_ok: false });
    const decided = decisionOf(entryRead(site, { read: { opening: null } }));
    const refined = recordOf(2, refinementOf(first.uid, read, { decided }), { boot_id });
    expect(await send([first, refined])).toEqual([]);
    expect(await beganAt()).toEqual([clock.now() - 60_000]);
  });
});

it('counts for the quota of its gateway by what it costs: a change of a place has statements of its own', async () => {
  const counted: number[] = [];
  const countRecords = (_uuid: string, count: number) => void counted.push(count);
  const { apply } = createIngest(ingestDeps(world, { countRecords }));
  const change = { kind: 'place_change', parking_place_id: 1, occupancy_status: 'free', event_ms: NOON_MS };
  const records = [recordOf(1, change), recordOf(2, entry(NOON_MS)), recordOf(3, { kind: 'nobody knows it' })];
  await apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, records));
  expect(counted).toEqual([18]);
});

describe('what is read for a plate', () => {
  const STAYS = 300;
  const HOUR_MS = 3_600_000;
  const began = (stay: number) => NOON_MS - 13 * DAY_MS + stay * HOUR_MS;

  it('are the two stays and the one exit beside each read, of hundreds', async () => {
    const { site } = world;
    for (let first = 0; first < STAYS; first += 50) {
      const reads = Array.from({ length: 50 }, (_, index) => {
        const read = entry(began(first + index));
        const reading = { event_ms: began(first + index) + HOUR_MS / 2, plate: 'ZG1' };
        const exit = exitRead(site, sessionOf(read), { reading });
        const other = exitRead(site, null, { reading: { ...reading, plate: 'ZG2' } });
        return [read, exit, other];
      }).flat();
      for (let from = 0; from < reads.length; from += 75) {
        await send(reads.slice(from, from + 75).map((read, index) => recordOf(index + 1, read)));
      }
    }
    const around = (plate_normalised: string) =>
      [10, 200].map((stay) => ({ lot_id: site.lot, plate_normalised, at: began(stay) + 1 }));
    const sessions = await sessionsOfReads(world.store.reader, { uids: [], open: [], around: around('ZG1') });
    expect(sessions.map(({ created_at }) => created_at).toSorted((a, b) => a - b)).toEqual(
      [10, 11, 200, 201].map(began),
    );
    const exits = await exitsWithoutSession(world.store.reader, around('ZG2'));
    expect(exits.map(({ created_at }) => created_at)).toEqual([10, 200].map((stay) => began(stay) + HOUR_MS / 2));
    const entries = await lotEntriesOfExits(world.store.reader, { reading_ids: [], plates: around('ZG2') });
    expect(entries.map(({ entry: { scan_time } }) => scan_time).toSorted((a, b) => a - b)).toEqual(
      [9, 199].map((stay) => began(stay) + HOUR_MS / 2),
    );
  });
});
