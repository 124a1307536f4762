/** When a read is of now: by the clocks of cameras, which may be wrong, lost, or put right, and by what cameras send late. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import type { CameraDriver, CameraRead } from '../../../agent/lpr/camera.js';
import { parseCameraTime } from '../../../agent/lpr/formats/camera-time-parser.js';
import {
  type CameraClock,
  judgeRead,
  keptOf,
  type StatedTime,
  UNKNOWN_CLOCK,
} from '../../../agent/lpr/presence/camera-clock-machine.js';
import { camera, plateWorld, type PlateWorld, type WorldOptions } from './plate-world.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 5, 15, 12);

/** A gateway that hears one camera. Seconds count from its start. */
function gateway(options: { kept?: CameraClock['kept']; ok?: boolean } = {}) {
  let clock: CameraClock = { ...UNKNOWN_CLOCK, kept: options.kept ?? null };
  const own = { ok: options.ok ?? true, behind_ms: 0 };
  const arrivalAt = (at: number) => ({
    wall_ms: START + at * SECOND - own.behind_ms,
    mono_ms: 7_000 + at * SECOND,
    is_clock_known: own.ok,
  });
  return {
    own,
    kept: (at: number) => keptOf(clock, arrivalAt(at)),
    /** @param age how many seconds before its arrival the vehicle was seen @param behind of the camera's clock, in seconds */
    hears(
      at: number,
      { age = 0, behind = 0, mark = null }: { age?: number; behind?: number; mark?: StatedTime['mark'] },
    ) {
      return this.stated(at, { camera_ms: START + (at - age - behind) * SECOND, mark });
    },
    stated(at: number, stated: StatedTime) {
      const { judged, clock: next } = judgeRead(clock, stated, arrivalAt(at));
      clock = next;
      return judged.is_late ? 'late' : 'now';
    },
  };
}

describe('a read', () => {
  it.each<[string, StatedTime['mark'], number | null, string]>([
    ['no time', null, null, 'now'],
    ['a time that cannot be', null, Date.UTC(2025, 11, 31, 23, 59), 'now'],
    ['1970', null, 12_000, 'now'],
    ['a time in the future', null, START + HOUR, 'now'],
    ['a time 30 s ago', null, START - 30 * SECOND, 'now'],
    ['a time 31 s ago', null, START - 31 * SECOND, 'late'],
    ['a retransmission of no time', 'retransmission', null, 'late'],
    ['a retransmission of 1970', 'retransmission', 12_000, 'late'],
    ['a retransmission of 30 s ago', 'retransmission', START - 30 * SECOND, 'now'],
    ['a retransmission of 31 s ago', 'retransmission', START - 31 * SECOND, 'late'],
    ['a retransmission of the future', 'retransmission', START + 31 * SECOND, 'late'],
    ['history of now', 'history', START, 'late'],
    ['history of no time', 'history', null, 'late'],
  ])('is judged when it tells %s, the first of its camera', (_, mark, camera_ms, expected) => {
    expect(gateway().stated(0, { camera_ms, mark })).toBe(expected);
  });

  it.each([-8 * HOUR, -40 * SECOND, 0, 25 * SECOND, HOUR, 8 * HOUR])(
    'is late by 31 s against a clock that is known to be %d ms behind',
    (behind_ms) => {
      const pi = gateway({ kept: { behind_ms, confirmed_ms: START - HOUR } });
      const behind = behind_ms / SECOND;
      expect(pi.hears(0, { behind, age: 31 })).toBe('late');
      expect(pi.hears(1, { behind, age: 30 })).toBe('now');
      expect(pi.hears(2, { behind, age: 31, mark: 'retransmission' })).toBe('late');
      expect(pi.hears(3, { behind, age: 29, mark: 'retransmission' })).toBe('now');
      expect(pi.hears(4, { behind, mark: 'history' })).toBe('late');
    },
  );
});

describe('the error of a clock', () => {
  it('is settled by a second read, 30 s later, that agrees within 30 s', () => {
    const pi = gateway();
    expect(pi.hears(0, { behind: 3_600 })).toBe('late');
    expect(pi.hears(29, { behind: 3_600 })).toBe('late');
    expect(pi.hears(30, { behind: 3_600, age: 20 })).toBe('now');
    expect(pi.hears(31, { behind: 3_600, age: 51 })).toBe('late');
    expect(pi.hears(32, { behind: 3_600 })).toBe('now');
  });

  it('is not settled by a read that is sent again, nor by a buffer that is sent at once', () => {
    const again = gateway();
    for (const at of [0, 10, 30, 31, 60, 600])
      expect(again.stated(at, { camera_ms: START - HOUR, mark: null })).toBe('late');
    const buffer = gateway();
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect(buffer.hears(n, { age: 3_600 - 60 * n }), `of the buffer ${n}`).toBe('late');
    expect(buffer.hears(40, {})).toBe('now');
  });

  it('is the smallest difference that is seen, at once', () => {
    const pi = gateway();
    expect(pi.hears(0, { behind: 3_600 })).toBe('late');
    expect(pi.hears(40, { behind: 3_600 })).toBe('now');
    expect(pi.hears(50, {})).toBe('now');
    expect(pi.hears(60, { age: 3_600 })).toBe('late');
    expect(pi.kept(60)).toEqual({ behind_ms: 0, confirmed_ms: START + 50 * SECOND });
  });

  it('follows a clock that drifts by 20 s a day', () => {
    const pi = gateway();
    for (let hour = 0; hour < 24 * 30; hour += 3)
      expect(pi.hears(hour * 3_600, { behind: (hour * 20) / 24 }), `hour ${hour}`).toBe('now');
  });

  it('locks nobody out for longer than ten minutes when the clock falls back by an hour, and lets no buffer in', () => {
    const pi = gateway();
    expect(pi.hears(0, {})).toBe('now');
    const heard = [1, 41, 300, 599, 601, 602].map((at) => pi.hears(at, { behind: 3_600 }));
    expect(heard).toEqual(['late', 'late', 'late', 'late', 'now', 'now']);
    const other = gateway();
    expect(other.hears(0, {})).toBe('now');
    expect([1, 41, 300, 500, 590].map((at) => other.hears(at, { age: 3_600 }))).toEqual(Array(5).fill('late'));
    expect(other.hears(595, {})).toBe('now');
    expect([601, 641, 900].map((at) => other.hears(at, { age: 3_600 }))).toEqual(Array(3).fill('late'));
  });

  it('is settled by the second right read when a clock that was ahead is put right', () => {
    const pi = gateway();
    expect(pi.hears(0, { behind: -7_200 })).toBe('now');
    expect(pi.hears(10, { age: 600, behind: -7_200 })).toBe('late');
    expect([20, 51, 52].map((at) => pi.hears(at, {}))).toEqual(['late', 'now', 'now']);
  });

  it('counts from an earlier start, and is doubted when no read agreed for a day', () => {
    const lately = gateway({ kept: { behind_ms: 0, confirmed_ms: START - HOUR } });
    expect([0, 40].map((at) => lately.hears(at, { age: 3_600 }))).toEqual(['late', 'late']);
    const longAgo = gateway({ kept: { behind_ms: 0, confirmed_ms: START - 2 * DAY } });
    expect([0, 40].map((at) => longAgo.hears(at, { behind: 3_600 }))).toEqual(['late', 'now']);
  });
});

describe('while the gateway does not know the time', () => {
  it('nothing is late but what a vendor marks, and what is late against the reads before it', () => {
    const pi = gateway({ ok: false });
    pi.own.behind_ms = 100 * DAY;
    expect(pi.hears(0, { mark: 'retransmission' })).toBe('late');
    expect(pi.hears(0, { mark: 'history' })).toBe('late');
    expect(pi.hears(1, {})).toBe('now');
    expect(pi.hears(2, { age: 31 })).toBe('late');
    expect(pi.hears(3, { age: 29, mark: 'retransmission' })).toBe('now');
    expect(pi.hears(4, {})).toBe('now');
    expect(pi.kept(4)).toBeNull();
  });

  it.each([
    ['right', 0],
    ['an hour behind', 3_600],
    ['two hours ahead', -7_200],
  ])('members get in by a camera whose clock is %s, and so they do when the time is known again', (_, behind) => {
    const pi = gateway({ ok: false, kept: { behind_ms: 0, confirmed_ms: START - HOUR } });
    pi.own.behind_ms = 3 * HOUR;
    expect([0, 60, 120].map((at) => pi.hears(at, { behind }))).toEqual(['now', 'now', 'now']);
    Object.assign(pi.own, { ok: true, behind_ms: 0 });
    expect([180, 240].map((at) => pi.hears(at, { behind }))).toEqual(['now', 'now']);
    expect(pi.hears(300, { behind, age: 40 })).toBe('late');
    expect(pi.kept(300)?.behind_ms).toBe(behind * SECOND);
  });

  it('a clock of the gateway that is taken for right and is an hour behind locks nobody out when it is put right', () => {
    const pi = gateway({ kept: { behind_ms: 0, confirmed_ms: START - DAY / 2 } });
    pi.own.behind_ms = HOUR;
    expect([0, 60].map((at) => pi.hears(at, {}))).toEqual(['now', 'now']);
    pi.own.behind_ms = 0;
    expect([120, 180].map((at) => pi.hears(at, {}))).toEqual(['now', 'now']);
    expect(pi.hears(181, { age: 40 })).toBe('late');
    expect(pi.kept(181)?.behind_ms).toBe(0);
  });
});

it('whatever the clocks show, a read opens as soon as its error is known, and never late', () => {
  const clockErrors = fc.integer({ min: -3 * DAY, max: 3 * DAY });
  const reads = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 6 * HOUR }),
      age: fc.oneof(fc.integer({ min: 0, max: 5 * SECOND }), fc.integer({ min: 35 * SECOND, max: 30 * HOUR })),
      mark: fc.constantFrom<StatedTime['mark']>(null, null, null, 'retransmission', 'history'),
      restarts: fc.boolean(),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(clockErrors, reads, (behind, all) => {
      let clock: CameraClock = { ...UNKNOWN_CLOCK, kept: { behind_ms: behind, confirmed_ms: START } };
      let mono_ms = 100;
      let wall_ms = START;
      for (const { after, age, mark, restarts } of all) {
        mono_ms += after;
        wall_ms += after;
        const arrival = { wall_ms, mono_ms, is_clock_known: true };
        if (restarts) {
          clock = { ...UNKNOWN_CLOCK, kept: keptOf(clock, arrival) ?? clock.kept };
          mono_ms = 100;
        }
        const now = { ...arrival, mono_ms };
        const { judged, clock: next } = judgeRead(clock, { camera_ms: wall_ms - age - behind, mark }, now);
        // Late reads that agree for ten minutes are taken for a clock: a test above shows that.
        clock = { ...next, candidate: null };
        expect(judged.is_late, `${age} ms old, marked ${mark}`).toBe(age > 30 * SECOND || mark === 'history');
      }
    }),
  );
});

/** Members only, so that who opens is a member: `ZG1`. */
function carPark(options: WorldOptions = {}): PlateWorld {
  return plateWorld({
    cameras: [camera('cam', { direction_source: 'position' })],
    zone: { has_tariff: false },
    plates: { ZG1: { zone_ids: [5], product_ids: [] } },
    ...options,
  });
}

/** What is told by a camera whose clock is behind, of a vehicle that it saw a while ago. */
const seen = (world: PlateWorld, ageMs: number, behindMs = 0): Pick<CameraRead, 'camera_time'> => ({
  camera_time: { epoch_ms: world.clock.now() - ageMs - behindMs, offset_min: 0 },
});

const opened = (world: PlateWorld): number => world.commander.commands.length;

describe('a read of long ago', () => {
  it('opens nothing, though its vendor does not mark it, and is accounted when it happened', async () => {
    const world = carPark();
    await world.reads.handle('cam', world.read('ZG2', seen(world, 500)));
    await world.reads.handle('cam', world.read('ZG1', seen(world, 47 * MINUTE)));
    expect(opened(world)).toBe(0);
    const event_ms = world.clock.now() - 47 * MINUTE;
    expect(world.store.reads[1]).toMatchObject({
      record: {
        reading: { plate: 'ZG1', event_ms, time_source: 'device', retransmission: true },
        access_decision: null,
        lot_entry: { is_allowed: true },
        session: { effect: 'begin' },
        opening: null,
        trace: { retransmission: true, age_ms: 47 * MINUTE },
      },
      sessions: [{ began_ms: event_ms }],
    });
    expect(world.states.lateMs('cam')).toBe(47 * MINUTE - 500);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 500)));
    expect([opened(world), world.states.lateMs('cam')]).toEqual([1, null]);
  });

  it('is refined by what waited with it, and opens nothing then', async () => {
    const world = carPark();
    const id = { vendor_event_id: 'car 7' };
    await world.reads.handle('cam', world.read('ZG7', { ...id, ...seen(world, 10 * MINUTE), confidence: 0.5 }));
    await world.reads.handle('cam', world.read('ZG1', { ...id, ...seen(world, 10 * MINUTE - 2_000) }));
    expect(world.store.refinements).toMatchObject([{ record: { reading: { plate: 'ZG1' }, decided: null } }]);
    expect(opened(world)).toBe(0);
  });

  it('is of now by a camera that has lost its clock, in a gateway that has lost its own', async () => {
    const world = carPark();
    world.link.clockOk = false;
    world.clock.jumpWall(-400 * DAY);
    for (const epoch_ms of [20_000, Date.UTC(2000, 0, 1), world.clock.now()]) {
      await world.clock.advance(MINUTE);
      await world.reads.handle('cam', world.read('ZG1', { camera_time: { epoch_ms, offset_min: 0 } }));
    }
    expect(opened(world)).toBe(3);
  });

  it('is known after a restart of the gateway', async () => {
    const before = carPark();
    await before.reads.handle('cam', before.read('ZG1', seen(before, 300, -2 * HOUR)));
    expect(before.store.boot.camera_clocks).toMatchObject([{ device_id: 'cam', behind_ms: 300 - 2 * HOUR }]);
    const after = carPark({ boot: { camera_clocks: before.store.boot.camera_clocks } });
    await after.reads.handle('cam', after.read('ZG1', seen(after, HOUR, -2 * HOUR)));
    expect(opened(after)).toBe(0);
    expect(after.store.reads[0]?.record.reading.event_ms).toBe(after.clock.now() - HOUR + 300);
    await after.reads.handle('cam', after.read('ZG1', seen(after, 0, -2 * HOUR)));
    expect(opened(after)).toBe(1);
  });

  it('is not what a camera tells in the hour that clocks show twice', async () => {
    const world = carPark();
    const at = Date.UTC(2026, 9, 25, 0, 40);
    world.clock.jumpWall(at - world.clock.now());
    const wall = (text: string) => ({ camera_time: parseCameraTime(text, 'Europe/Zagreb') });
    await world.reads.handle('cam', world.read('ZG1', wall('2026-10-25T02:39:58')));
    await world.clock.advance(HOUR);
    await world.reads.handle('cam', world.read('ZG1', wall('2026-10-25T02:39:58')));
    expect(opened(world)).toBe(2);
    await world.reads.handle('cam', world.read('ZG1', wall('2026-10-25T02:10:00')));
    await world.clock.advance(HOUR);
    await world.reads.handle('cam', world.read('ZG1', wall('2026-10-25T03:39:58')));
    expect(opened(world)).toBe(3);
  });
});

describe('a camera that can be asked for its clock', () => {
  /** @param answer the camera's clock, how far it is behind; null: it does not answer */
  function asked(answer: { behind_ms: number | null }) {
    const asks: number[] = [];
    const readClock: CameraDriver['readClock'] = async () => {
      asks.push(world.clock.monotonic());
      if (answer.behind_ms === null) throw new Error('no answer');
      return world.clock.now() - answer.behind_ms;
    };
    const driver: CameraDriver = { push: null, probe: null, readClock };
    const world = carPark({ drivers: new Map([['hikvision', driver]]) });
    return { world, asks };
  }

  it('opens for the first vehicle, though its clock is an hour behind', async () => {
    const { world, asks } = asked({ behind_ms: HOUR });
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect([opened(world), asks.length]).toEqual([1, 1]);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 5 * MINUTE, HOUR)));
    expect([opened(world), asks.length]).toEqual([1, 1]);
  });

  it('opens for no vehicle of before, when its clock is right, and is asked once', async () => {
    const { world, asks } = asked({ behind_ms: 0 });
    const reads = [9, 8, 7].map((age) => world.reads.handle('cam', world.read('ZG1', seen(world, age * MINUTE))));
    await Promise.all(reads);
    expect([opened(world), asks.length]).toEqual([0, 1]);
    expect(world.store.reads.map(({ record }) => record.reading.event_ms - world.clock.now())).toEqual(
      [9, 8, 7].map((age) => -age * MINUTE),
    );
  });

  it('is asked once a minute when it does not answer, and opens nothing until a second read agrees', async () => {
    const answer = { behind_ms: null };
    const { world, asks } = asked(answer);
    for (const _ of [1, 2, 3]) {
      await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
      await world.clock.advance(14_000);
    }
    expect([opened(world), asks.length]).toEqual([0, 1]);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect([opened(world), asks.length]).toEqual([1, 1]);
  });

  it('says at once that its clock fell back, and is not believed where it says something else', async () => {
    const answer = { behind_ms: 0 };
    const { world } = asked(answer);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0)));
    answer.behind_ms = HOUR;
    await world.clock.advance(MINUTE);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 2 * HOUR)));
    await world.clock.advance(MINUTE + 1);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(opened(world)).toBe(1);
    await world.clock.advance(1_000);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(opened(world)).toBe(2);
  });
});

describe('by hand', () => {
  const item = camera('cam', { direction_source: 'position' });

  it('what is known of a clock is forgotten, and the next read that agrees with the last one settles it', async () => {
    const world = carPark();
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0)));
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(await world.clocks.measure(item, { isLastLive: false })).toEqual({
      was_behind_ms: 0,
      behind_ms: null,
      by: null,
    });
    expect(world.store.boot.camera_clocks).toEqual([]);
    await world.clock.advance(31_000);
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(opened(world)).toBe(2);
  });

  it('the last read that seemed late is taken for one of now', async () => {
    const world = carPark();
    const last = () => world.clocks.measure(item, { isLastLive: true });
    await expect(last()).rejects.toThrow('its last read did not count as late');
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(await last()).toEqual({ was_behind_ms: null, behind_ms: HOUR, by: 'read' });
    await world.reads.handle('cam', world.read('ZG1', seen(world, 0, HOUR)));
    expect(opened(world)).toBe(1);
  });
});
