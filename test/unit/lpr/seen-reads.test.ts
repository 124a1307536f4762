import { beforeEach, describe, expect, it } from 'vitest';
import { createSeenReads, type SeenReads } from '../../../agent/lpr/reads/seen-reads.js';
import { createHandledVehicles } from '../../../agent/access/handled-vehicles.js';
import { isLatest, type LatestRecord } from '../../../agent/store/latest-records.js';
import type { EventId, Uid } from '../../../shared/ids.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { readingOf, sightingEntry } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';
import { plateWorld, type PlateWorld, uidOf } from './plate-world.js';

let clock: FakeClock;
let world: PlateWorld;
let seen: SeenReads;
let made: number;
let isClockKnown: boolean;
let dealtWith: Set<Uid>;

beforeEach(() => {
  clock = new FakeClock();
  world = plateWorld();
  seen = createSeenReads({ clock, isClockKnown: () => isClockKnown, isHandled: (uid) => dealtWith.has(uid) });
  made = 0;
  isClockKnown = true;
  dealtWith = new Set();
});

/** A vehicle without a plate at a camera. Returns its uid. */
function sight(device_id: string, { full }: { full?: Uint8Array } = {}): Uid {
  const [camera] = world.rules.cameras();
  if (camera === undefined) throw new Error('no camera');
  const read = world.read('');
  const uid = uidOf((made += 1));
  const time = {
    event_ms: clock.now(),
    time_source: 'arrival' as const,
    is_late: false,
    age_ms: 0,
    camera_behind_ms: null,
    is_drifting: false,
  };
  seen.note({ uid, camera: { ...camera, device_id }, read, time, decided: null });
  if (full !== undefined) seen.notePicture(uid, { role: 'full', jpeg: full, thumbnail: null });
  return uid;
}

const jpeg = (bytes: number) => new Uint8Array(bytes).fill(0xff);

describe('what cameras saw last', () => {
  it('is known with its time, direction and picture', async () => {
    const uid = sight('cam-in', { full: jpeg(1_000) });
    await clock.advance(60_000);
    expect(seen.sightings()).toMatchObject([{ uid, age_ms: 60_000, decided: null, has_picture: true }]);
    expect(seen.last('cam-in')).toMatchObject({ uid });
    expect(seen.sighting(uid)).toMatchObject({ uid });
    expect(seen.picture(uid)).toHaveLength(1_000);
    expect([seen.last('cam-out'), seen.sighting('nobody'), seen.picture('nobody')]).toEqual([null, null, null]);
  });

  it('is of the last 24 vehicles, and one camera does not push out the others', () => {
    const other = sight('cam-out');
    for (let index = 0; index < 500; index++) sight('cam-in');
    const kept = seen.sightings();
    expect(kept).toHaveLength(13);
    expect(kept.at(-1)).toMatchObject({ uid: other });
    for (let index = 0; index < 500; index++) sight(`cam-${index}`);
    expect(seen.sightings()).toHaveLength(24);
    expect(seen.last('cam-499')).not.toBeNull();
    expect(seen.last('cam-0')).toBeNull();
  });

  it('has few bytes of pictures: the oldest go first, and of a large one its small copy is kept', () => {
    const uids = Array.from({ length: 24 }, (_, index) => sight(`cam-${index % 4}`, { full: jpeg(400 * 1024) }));
    const bytes = uids.reduce((sum, uid) => sum + (seen.picture(uid)?.length ?? 0), 0);
    expect(bytes).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect(seen.picture(uids.at(-1) ?? '')).not.toBeNull();
    expect(seen.sighting(uids[0] ?? '')).toMatchObject({ has_picture: false });
    const large = sight('cam-in');
    seen.notePicture(large, { role: 'full', jpeg: jpeg(2 * 1024 * 1024), thumbnail: jpeg(5_000) });
    expect(seen.picture(large)).toHaveLength(5_000);
    expect(seen.picture(sight('cam-in', { full: jpeg(2 * 1024 * 1024) }))).toBeNull();
  });

  it('has its picture when that comes, rather the one of the vehicle than the one of its plate', () => {
    const uid = sight('cam-in');
    expect(seen.last('cam-in')).toMatchObject({ uid, has_picture: false });
    const plate = { role: 'cropped', jpeg: jpeg(10), thumbnail: null } as const;
    seen.notePicture(uid, plate);
    expect(seen.picture(uid)).toHaveLength(10);
    seen.notePicture(uid, { role: 'full', jpeg: jpeg(1_000), thumbnail: null });
    seen.notePicture(uid, plate);
    expect(seen.last('cam-in')).toMatchObject({ uid, has_picture: true });
    expect(seen.picture(uid)).toHaveLength(1_000);
  });

  it('has no picture of what is not remembered', () => {
    const gone = uidOf(9_999);
    seen.notePicture(gone, { role: 'full', jpeg: jpeg(1_000), thumbnail: null });
    expect(seen.picture(gone)).toBeNull();
    const uid = sight('cam-in', { full: jpeg(1_000) });
    for (let index = 0; index < 13; index++) sight('cam-in');
    expect(seen.picture(uid)).toBeNull();
  });

  it('keeps no more of a push than its picture', () => {
    const whole = new Uint8Array(8 * 1024 * 1024);
    const uid = sight('cam-in', { full: whole.subarray(10, 1_010) });
    expect(seen.picture(uid)?.buffer.byteLength).toBe(1_000);
  });
});

describe('refused vehicles', () => {
  const REFUSED = { decision: 'denied', reason: 'no_tariff', opens_product_id: null };
  const record = (plate: string, decided: Partial<PlateReadRecord> = {}): PlateReadRecord => ({
    kind: 'plate_read',
    reading: readingOf({ lpr_camera_id: 11, plate, event_ms: clock.now() }),
    access_decision: 'denied',
    access_decision_reason: 'no_tariff',
    session: null,
    lot_entry: { is_allowed: false },
    opening: null,
    ...decided,
  });
  const ADMITTED = { access_decision: 'triggered', access_decision_reason: 'tariff' } as const;
  const load = (...payloads: LatestRecord['payload'][]) => {
    const latest = payloads.map((payload) => ({
      uid: uidOf((made += 1)),
      mono_ms: 0,
      wall_ms: clock.now(),
      clock_ok: true,
      payload,
    }));
    const [camera] = world.rules.cameras();
    seen.load(latest, () => camera);
    return latest.map(({ uid }) => uid);
  };
  const plates = () => seen.refused().map(({ decided }) => decided?.plate);

  it('are known after a restart, each once, until a later read or refinement lets them through', () => {
    const [first = uidOf(0)] = load(record('ZG1'), record('zg 2'), record('ZG3'), record('ZG2'));
    expect(plates()).toEqual(['ZG2', 'ZG3', 'ZG1']);
    expect(seen.refusedRead(first)).toMatchObject({ decided: { plate: 'ZG1', ...REFUSED }, age_ms: 0 });
    load(record('ZG3', ADMITTED), record('ZG2', { access_decision_reason: 'debounce' }));
    expect(plates()).toEqual(['ZG2', 'ZG1']);
    const { reading } = record('ZGI');
    const decided = { ...ADMITTED, session: null, lot_entry: null, opening: null };
    seen.noteRefined({ kind: 'plate_refined', reading_uid: first, refinement: 1, reading, decided });
    expect(plates()).toEqual(['ZG2']);
  });

  it('are as old as the wall clock says, and of unknown age while that is not known', async () => {
    const [uid = uidOf(0)] = load(record('ZG1'));
    await clock.advance(60_000);
    expect(seen.refusedRead(uid)?.age_ms).toBe(60_000);
    isClockKnown = false;
    expect(seen.refusedRead(uid)?.age_ms).toBe(Infinity);
  });

  it('stay when somebody dealt with them, whatever is read of them later', () => {
    const [first = uidOf(0), other = uidOf(0)] = load(record('ZG1'), record('ZG2'));
    dealtWith.add(first);
    load(record('ZG1'), record('ZG1', ADMITTED), record('ZG2', ADMITTED));
    expect(plates()).toEqual(['ZG1']);
    expect([seen.refusedRead(first)?.uid, seen.refusedRead(other)]).toEqual([first, null]);
  });

  it('are at most 500', () => {
    load(...Array.from({ length: 520 }, (_, index) => record(`ZG${index}`)));
    expect(seen.refused()).toHaveLength(500);
  });
});

it('a sighting is known after a restart, and that it was let in at the gateway', () => {
  const at_ms = clock.now();
  const [camera] = world.rules.cameras();
  const { payload: sighting } = sightingEntry(at_ms);
  const letIn = (sighting_uid: Uid, outcome: 'succeeded' | 'failed') =>
    ({
      kind: 'local_action',
      action: 'let_in',
      by: 'console',
      address: '',
      at_ms,
      product_id: 1,
      operation: 'open',
      event_id: null,
      plate: null,
      sighting_uid,
      reading_uid: null,
      outcome,
      gateway_error_type: null,
      was_cut_off: true,
      count: 1,
    }) as const;
  const payloads = [sighting, sighting, letIn(uidOf(0), 'succeeded'), letIn(uidOf(1), 'failed')];
  const latest = payloads
    .map((payload, index) => ({ uid: uidOf(index), mono_ms: 0, wall_ms: at_ms, clock_ok: true, payload }))
    .filter(isLatest);
  seen.load(latest, () => camera);
  expect(seen.sightings().map(({ uid }) => uid)).toEqual([uidOf(1), uidOf(0)]);
  const handled = createHandledVehicles({ rules: world.rules, latest, openings: [] });
  expect(handled.of(uidOf(0))).toEqual({ how: 'let_in', by: 'Entrance Pi', at_ms });
  expect(handled.of(uidOf(1))).toBeNull();
});

it('an opening that nobody saw end is unknown after the restart, and after the next one', () => {
  const result = (reading_uid: Uid, outcome: 'unknown' | 'succeeded') =>
    ({
      kind: 'opening_result',
      reading_uid,
      event_id: 'deadbee8' as EventId,
      product_id: 1,
      outcome,
      gateway_error_type: null,
    }) as const;
  const latest = [result(uidOf(0), 'unknown'), result(uidOf(1), 'succeeded')]
    .map((payload, index) => ({ uid: uidOf(index), mono_ms: 0, wall_ms: 0, clock_ok: true, payload }))
    .filter(isLatest);
  const openings = [{ reading_uid: uidOf(2) }];
  const handled = createHandledVehicles({ rules: world.rules, latest, openings });
  expect([0, 1, 2].map((index) => handled.isOpeningUnknown(uidOf(index)))).toEqual([true, false, true]);
});
