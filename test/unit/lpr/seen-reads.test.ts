import { beforeEach, describe, expect, it } from 'vitest';
import { createSeenReads, type SeenReads } from '../../../agent/lpr/reads/seen-reads.js';
import type { Uid } from '../../../shared/ids.js';
import { FakeClock } from '../../world/fake-clock.js';
import { plateWorld, type PlateWorld, uidOf } from './plate-world.js';

let clock: FakeClock;
let world: PlateWorld;
let seen: SeenReads;
let made: number;
let isClockKnown: boolean;

beforeEach(() => {
  clock = new FakeClock();
  world = plateWorld();
  seen = createSeenReads({ clock, isClockKnown: () => isClockKnown });
  made = 0;
  isClockKnown = true;
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
