import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyReading,
  decideTold,
  isSilent,
  type PlaceState,
  type ToldChange,
} from '../../../agent/sensor/occupancy-machine.js';
import type { SensorReading } from '../../../agent/sensor/sensor-source.js';

type Reading = Pick<SensorReading, 'occupancy' | 'measured_ms'>;

const UNKNOWN: PlaceState = { occupancy: null, changed_ms: 0, measured_ms: null, heard_mono_ms: null };
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
    expect(applyReading(newest, { occupancy: 'free', measured_ms: WALL_MS - 20 }, now)).toEqual(newest);
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

describe('silence', () => {
  it('is too long after three heartbeats', () => {
    const heard = (mono_ms: number) => isSilent(5_000, { heartbeat_s: 30, mono_ms });
    expect([heard(5_000), heard(94_999), heard(95_000)]).toEqual([false, false, true]);
  });
});

describe('a change is told', () => {
  const told = { changed_ms: WALL_MS, mono_ms: 5_000, quick: 6 };

  it.each<[name: string, changed_ms: number, mono_ms: number, expected: boolean]>([
    ['a second after the last one', WALL_MS + 1_000, 6_000, true],
    ['not while the sensor flutters', WALL_MS + 999, 5_999, false],
    ['when the sensor saw it much later, however close both arrive', WALL_MS + 60_000, 5_001, true],
    ['when the wall clock was set back', WALL_MS - 60_000, 6_000, true],
  ])('%s', (_, changed_ms, mono_ms, expected) => {
    expect(decideTold(told, { changed_ms, mono_ms }) !== null).toBe(expected);
  });

  it('at once as long as a sensor does not flutter, and then once a second', () => {
    let last: ToldChange | null = null;
    const toldAt: number[] = [];
    for (let at = 0; at < 4_000; at += 50) {
      const next = decideTold(last, { changed_ms: WALL_MS + at, mono_ms: at });
      if (next === null) continue;
      last = next;
      toldAt.push(at);
    }
    expect(toldAt).toEqual([0, 50, 100, 150, 200, 250, 300, 1_300, 1_350, 2_350, 2_400, 3_400, 3_450]);
  });
});
