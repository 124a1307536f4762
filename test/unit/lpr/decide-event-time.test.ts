import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { judgeRead, UNKNOWN_CLOCK } from '../../../agent/lpr/presence/camera-clock-machine.js';
import { decideEventTime } from '../../../agent/lpr/reads/decide-event-time.js';

const NOW = Date.UTC(2026, 1, 15, 12);
const HOUR = 3_600_000;

/** The first read of a camera. @param known_ms how far its clock is known to be behind */
function decide(camera_ms: number | null, options: { again?: boolean; ok?: boolean; known_ms?: number } = {}) {
  const { again: retransmission = false, ok: clock_ok = true, known_ms } = options;
  const kept = known_ms === undefined ? null : { behind_ms: known_ms, confirmed_ms: NOW };
  const { judged } = judgeRead(
    { ...UNKNOWN_CLOCK, kept },
    { camera_ms, mark: retransmission ? 'retransmission' : null },
    { wall_ms: NOW, mono_ms: 5_000, is_clock_known: clock_ok },
  );
  return decideEventTime({ judged, received_ms: NOW, retransmission, clock_ok });
}

const live = { is_late: false, age_ms: 0, is_drifting: false };

describe('decideEventTime', () => {
  it.each([
    ['right', NOW - 800, { ...live, event_ms: NOW - 800, time_source: 'device', age_ms: 800, camera_behind_ms: 800 }],
    ['a little ahead', NOW + 50_000, { ...live, event_ms: NOW, time_source: 'device', camera_behind_ms: -50_000 }],
    [
      'eight hours ahead',
      NOW + 8 * HOUR,
      { ...live, event_ms: NOW, time_source: 'device', camera_behind_ms: -8 * HOUR, is_drifting: true },
    ],
    [
      'lost',
      Date.UTC(1970, 0, 2),
      {
        ...live,
        event_ms: NOW,
        time_source: 'arrival',
        camera_behind_ms: NOW - Date.UTC(1970, 0, 2),
        is_drifting: true,
      },
    ],
    ['not told', null, { ...live, event_ms: NOW, time_source: 'arrival', camera_behind_ms: null }],
  ])('judges a read of now by a clock that is %s', (_, camera_ms, expected) => {
    expect(decide(camera_ms)).toEqual(expected);
  });

  it('puts a read of now right to the second by a clock that is known to be an hour behind', () => {
    const read = decide(NOW - HOUR - 4_000, { known_ms: HOUR });
    expect(read).toMatchObject({ event_ms: NOW - 4_000, time_source: 'device', is_late: false, is_drifting: true });
  });

  it.each([
    ['unknown', undefined, NOW - HOUR, { event_ms: NOW - HOUR, late_ms: HOUR }],
    ['known to be right', 200, NOW - HOUR, { event_ms: NOW - HOUR, late_ms: HOUR - 200 }],
    ['an hour behind', HOUR, NOW - 3 * HOUR, { event_ms: NOW - 2 * HOUR, late_ms: 2 * HOUR }],
    ['an hour ahead', -HOUR, NOW, { event_ms: NOW - HOUR, late_ms: HOUR }],
  ])('keeps the own time of a late read, put right by a clock that is %s', (_, known_ms, camera_ms, expected) => {
    const read = decide(camera_ms, known_ms === undefined ? {} : { known_ms });
    expect(read).toMatchObject({ ...expected, is_late: true, time_source: 'device', camera_behind_ms: null });
    expect(read.age_ms).toBe(NOW - read.event_ms);
  });

  it('lets a retransmission of now open by a clock that is a few seconds behind', () => {
    const read = decide(NOW - 26_000 - 8_000, { again: true, known_ms: 8_000 });
    expect(read).toMatchObject({ is_late: false, age_ms: 30_000, event_ms: NOW - 34_000 });
  });

  it('blames no camera while the gateway does not know the time', () => {
    expect(decide(NOW + 1e11, { ok: false })).toMatchObject({ event_ms: NOW, is_drifting: false });
  });

  it.each([
    ['an hour old', NOW - HOUR, { event_ms: NOW - HOUR, age_ms: HOUR, is_late: true }],
    ['just now', NOW - 5_000, { event_ms: NOW - 5_000, age_ms: 5_000, is_late: false }],
    ['a little ahead', NOW + 10_000, { event_ms: NOW + 10_000, age_ms: 0, is_late: false }],
    ['far ahead: nobody knows when', NOW + HOUR, { event_ms: NOW, age_ms: Infinity, is_late: true }],
    ['of a time that cannot be', 5, { event_ms: NOW, age_ms: Infinity, is_late: true }],
    ['without a time', null, { event_ms: NOW, age_ms: Infinity, is_late: true }],
  ])('judges a retransmission that is %s', (_, camera_ms, expected) => {
    expect(decide(camera_ms, { again: true })).toMatchObject({
      ...expected,
      camera_behind_ms: null,
      is_drifting: false,
    });
  });

  it('believes no age while the gateway does not know the time, but keeps what the camera says', () => {
    const unknown = { again: true, ok: false };
    expect(decide(NOW - 1_000, unknown)).toMatchObject({ event_ms: NOW - 1_000, age_ms: Infinity, is_late: true });
    expect(decide(null, unknown)).toMatchObject({ event_ms: NOW, age_ms: Infinity, is_late: true });
  });

  it('never gives a time that cannot be stored', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: -1e14, max: 1e14 })),
        fc.boolean(),
        fc.boolean(),
        (camera_ms, again, ok) => {
          const time = decide(camera_ms, { again, ok });
          expect(time.event_ms).toBeGreaterThanOrEqual(0);
          expect(time.age_ms).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
