import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  applyReading,
  isSilent,
  newPlaceState,
  type PlaceState,
  settle,
} from '../../../agent/sensor/occupancy-machine.js';
import type { Occupancy, SensorReading } from '../../../agent/sensor/sensor-source.js';

type Reading = Pick<SensorReading, 'occupancy' | 'measured_ms'>;

const UNKNOWN = newPlaceState(null);
const WALL_MS = 1_000_000;

/** Folds readings that arrive a second apart. */
const fold = (readings: Reading[], state = UNKNOWN): PlaceState =>
  readings.reduce<PlaceState>(
    (before, reading, index) =>
      applyReading(before, reading, { wall_ms: WALL_MS + index * 1_000, mono_ms: index * 1_000 }),
    state,
  );

const occupancies = fc.constantFrom('free', 'occupied', null);
/** Of a sensor that says how old its readings are, or not. */
const readings = fc.array(
  fc.record({ occupancy: occupancies, measured_ms: fc.option(fc.integer({ min: 0, max: 2 * WALL_MS })) }),
  { minLength: 1 },
);

describe('the state of a place', () => {
  it('is the newest reading that says one, since when it changed', () => {
    const untimed = fc.array(fc.record({ occupancy: occupancies, measured_ms: fc.constant(null) }), { minLength: 1 });
    fc.assert(
      fc.property(untimed, (sent) => {
        const said = sent.map(({ occupancy }, index) => ({ occupancy, index })).filter((each) => each.occupancy);
        const last = said.at(-1)?.occupancy ?? null;
        const since = said.findLast(
          ({ occupancy }, index) => occupancy === last && said[index - 1]?.occupancy !== last,
        )?.index;
        expect(fold(sent)).toMatchObject({
          occupancy: last,
          changed_ms: since === undefined ? 0 : WALL_MS + since * 1_000,
          heard_mono_ms: (sent.length - 1) * 1_000,
        });
      }),
    );
  });

  it('stays when a sensor only shows that it lives', () => {
    const occupied = fold([{ occupancy: 'occupied', measured_ms: null }]);
    expect(applyReading(occupied, { occupancy: null, measured_ms: null }, { wall_ms: 9, mono_ms: 9 })).toEqual({
      ...occupied,
      heard_mono_ms: 9,
    });
    expect(fold([{ occupancy: null, measured_ms: null }])).toMatchObject({ occupancy: null, heard_mono_ms: 0 });
  });

  it('changed when the sensor saw it, however late that arrives', () => {
    const late = fold([
      { occupancy: 'free', measured_ms: WALL_MS - 60_000 },
      { occupancy: 'occupied', measured_ms: WALL_MS - 30_000 },
    ]);
    expect(late).toMatchObject({ occupancy: 'occupied', changed_ms: WALL_MS - 30_000, heard_mono_ms: 1_000 });
  });

  it('is not undone by a reading that arrives after a newer one', () => {
    const newest = fold([{ occupancy: 'occupied', measured_ms: WALL_MS - 10 }]);
    const now = { wall_ms: WALL_MS + 5_000, mono_ms: 5_000 };
    expect(applyReading(newest, { occupancy: 'free', measured_ms: WALL_MS - 20 }, now)).toMatchObject({
      occupancy: 'occupied',
      measured_ms: WALL_MS - 10,
      // Its sensor lives.
      heard_mono_ms: 5_000,
    });
  });

  it('never changed in the future: a sensor’s clock may be ahead', () => {
    fc.assert(
      fc.property(readings, (sent) => {
        sent.reduce<PlaceState>((before, reading, index) => {
          const now = { wall_ms: WALL_MS + index * 1_000, mono_ms: index * 1_000 };
          const state = applyReading(before, reading, now);
          expect(state.changed_ms).toBeLessThanOrEqual(now.wall_ms);
          expect(state.measured_ms ?? 0).toBeLessThanOrEqual(now.wall_ms);
          if (state.occupancy === before.occupancy) expect(state.changed_ms).toBe(before.changed_ms);
          return state;
        }, UNKNOWN);
      }),
    );
    // One message from the future does not silence what the sensor says once its clock is right again.
    const state = fold([{ occupancy: 'occupied', measured_ms: WALL_MS * 2 }]);
    const now = { wall_ms: WALL_MS + 5_000, mono_ms: 5_000 };
    expect(applyReading(state, { occupancy: 'free', measured_ms: now.wall_ms - 1 }, now).occupancy).toBe('free');
  });
});

describe('a clock that is wrong', () => {
  const HOUR_MS = 3_600_000;
  const YEAR_MS = 365 * 24 * HOUR_MS;
  const NOW_MS = 50 * YEAR_MS;
  /** Readings with their times, and when they arrive. */
  const heard = (sent: [arrived_ms: number, occupancy: Occupancy, measured_ms: number][]) =>
    sent.reduce(
      (state, [mono_ms, occupancy, measured_ms]) =>
        applyReading(state, { occupancy, measured_ms }, { wall_ms: NOW_MS + mono_ms, mono_ms }),
      UNKNOWN,
    );

  it.each([
    ['a year ago', NOW_MS - YEAR_MS],
    ['in 1970', 0],
    ['in an hour', NOW_MS + HOUR_MS],
  ])('measures just now when it measures %s', (_, measured_ms) => {
    const state = heard([
      [0, 'occupied', NOW_MS],
      [60_000, 'free', measured_ms],
    ]);
    expect(state).toMatchObject({ occupancy: 'free', changed_ms: NOW_MS + 60_000, measured_ms: NOW_MS });
  });

  it('freezes its places for one reading when it was set back, not until it is right again', () => {
    const first: Parameters<typeof heard>[0] = [
      [0, 'occupied', NOW_MS],
      [HOUR_MS, 'free', NOW_MS - 2 * HOUR_MS],
    ];
    expect(heard(first)).toMatchObject({ occupancy: 'occupied', heard_mono_ms: HOUR_MS });
    const second = heard([...first, [2 * HOUR_MS, 'free', NOW_MS - HOUR_MS]]);
    expect(second).toMatchObject({
      occupancy: 'free',
      changed_ms: NOW_MS + 2 * HOUR_MS,
      measured_ms: NOW_MS - HOUR_MS,
    });
  });

  it('is not what readings come from that were kept back and are sent late', () => {
    const late = heard([
      [0, 'occupied', NOW_MS],
      [1_000, 'free', NOW_MS - 3 * HOUR_MS],
      [1_100, 'occupied', NOW_MS - 2 * HOUR_MS],
      [1_200, 'free', NOW_MS - HOUR_MS],
      [90_000, 'free', NOW_MS - HOUR_MS],
    ]);
    expect(late).toMatchObject({ occupancy: 'occupied', measured_ms: NOW_MS, heard_mono_ms: 90_000 });
  });
});

describe('silence', () => {
  it('is too long after three heartbeats', () => {
    const heard = (mono_ms: number) => isSilent(5_000, { heartbeat_s: 30, mono_ms });
    expect([heard(5_000), heard(94_999), heard(95_000)]).toEqual([false, false, true]);
  });
});

describe('what counts', () => {
  const LIMITS = { debounce_ms: 0, dwell_ms: 10_000 };
  const SWEEP_MS = 1_000;

  /** Folds readings by when they arrive, with the sweeps between them. Returns when what counts changed. */
  function settledAt(sent: readonly { at: number; occupancy: Occupancy }[], until: number, limits = LIMITS) {
    let state = UNKNOWN;
    const changes: { at: number; occupancy: Occupancy | null }[] = [];
    const look = (mono_ms: number) => {
      const next = settle(state, { ...limits, mono_ms });
      if (next.settled !== state.settled) changes.push({ at: mono_ms, occupancy: next.settled });
      state = next;
    };
    const sweeps = Array.from({ length: Math.floor(until / SWEEP_MS) + 1 }, (_, index) => ({ at: index * SWEEP_MS }));
    for (const each of [...sent, ...sweeps].sort((a, b) => a.at - b.at)) {
      if ('occupancy' in each) {
        const now = { wall_ms: WALL_MS + each.at, mono_ms: each.at };
        state = applyReading(state, { occupancy: each.occupancy as Occupancy, measured_ms: null }, now);
      }
      look(each.at);
    }
    return { state, changes };
  }
  const flapping = (everyMs: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      at: index * everyMs,
      occupancy: index % 2 === 0 ? ('free' as const) : ('occupied' as const),
    }));

  it('changes at once as long as a sensor does not flutter, and then once in a dwell', () => {
    const { changes } = settledAt(flapping(50, 1_200), 60_000);
    expect(changes.slice(0, 6).map(({ at }) => at)).toEqual([0, 50, 100, 150, 200, 250]);
    expect(changes.slice(6).map(({ at }) => Math.round(at / 1_000))).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it('lets a sensor of which nothing was known count at once, and one that repeats itself never again', () => {
    const { changes } = settledAt(
      [0, 500, 900].map((at) => ({ at, occupancy: 'free' as const })),
      5_000,
    );
    expect(changes).toEqual([{ at: 0, occupancy: 'free' }]);
  });

  it('waits for the debounce, and forgets what did not last so long', () => {
    const sent = [
      { at: 0, occupancy: 'free' as const },
      { at: 2_000, occupancy: 'occupied' as const },
      { at: 3_500, occupancy: 'free' as const },
      { at: 6_000, occupancy: 'occupied' as const },
    ];
    const { changes, state } = settledAt(sent, 12_000, { debounce_ms: 3_000, dwell_ms: 10_000 });
    expect(changes).toEqual([
      { at: 0, occupancy: 'free' },
      { at: 9_000, occupancy: 'occupied' },
    ]);
    expect(state.change?.changed_ms).toBe(WALL_MS + 6_000);
  });

  it('is told with the time at which sensors saw it, however close that arrives', () => {
    let state = UNKNOWN;
    const times: number[] = [];
    for (let index = 0; index < 20; index++) {
      const occupancy = index % 2 === 0 ? 'free' : 'occupied';
      const measured_ms = WALL_MS - 800_000 + index * 20_000;
      state = applyReading(state, { occupancy, measured_ms }, { wall_ms: WALL_MS, mono_ms: index });
      state = settle(state, { ...LIMITS, mono_ms: index });
      times.push(state.change?.changed_ms ?? 0);
    }
    expect(times).toEqual(Array.from({ length: 20 }, (_, index) => WALL_MS - 800_000 + index * 20_000));
  });

  it('never changes more than 12 times a minute, and always reaches the last state that lasts', () => {
    const sent = fc.array(
      fc.record({ after: fc.integer({ min: 1, max: 5_000 }), occupancy: fc.constantFrom('free', 'occupied') }),
      { minLength: 1, maxLength: 150 },
    );
    fc.assert(
      fc.property(sent, fc.constantFrom(0, 1_000, 5_000), (heard, debounce_ms) => {
        let at = 0;
        const timed = heard.map(({ after, occupancy }) => ({ at: (at += after), occupancy }));
        const end = at + debounce_ms + LIMITS.dwell_ms + 2 * SWEEP_MS;
        const { state, changes } = settledAt(timed, end, { ...LIMITS, debounce_ms });
        for (const { at: from } of changes) {
          const minute = changes.filter((each) => each.at >= from && each.at < from + 60_000);
          expect(minute.length).toBeLessThanOrEqual(12);
        }
        expect(state.settled).toBe(timed.at(-1)?.occupancy);
      }),
    );
  });
});
