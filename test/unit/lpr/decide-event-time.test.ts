import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideEventTime } from '../../../agent/lpr/reads/decide-event-time.js';

const NOW = Date.UTC(2026, 0, 15, 12);

function decide(camera_ms: number | null, retransmission = false, clock_ok = true) {
  return decideEventTime({ camera_ms, received_ms: NOW, retransmission, clock_ok });
}

describe('decideEventTime', () => {
  it.each([
    [
      'the camera is right',
      NOW - 800,
      { event_ms: NOW - 800, time_source: 'device', age_ms: 800, camera_behind_ms: 800, is_drifting: false },
    ],
    [
      'it is a little ahead',
      NOW + 50_000,
      { event_ms: NOW + 50_000, time_source: 'device', age_ms: 0, camera_behind_ms: -50_000, is_drifting: false },
    ],
    [
      'it is an hour behind',
      NOW - 3_600_000,
      { event_ms: NOW, time_source: 'arrival', age_ms: 0, camera_behind_ms: 3_600_000, is_drifting: true },
    ],
    [
      'it is eight hours ahead',
      NOW + 28_800_000,
      { event_ms: NOW, time_source: 'arrival', age_ms: 0, camera_behind_ms: -28_800_000, is_drifting: true },
    ],
    [
      'it tells no time',
      null,
      { event_ms: NOW, time_source: 'arrival', age_ms: 0, camera_behind_ms: null, is_drifting: false },
    ],
  ])('of a live read, when %s', (_, camera_ms, expected) => {
    expect(decide(camera_ms)).toEqual(expected);
  });

  it('blames no camera while the gateway does not know the time', () => {
    expect(decide(NOW + 1e11, false, false)).toMatchObject({ event_ms: NOW, is_drifting: false });
  });

  it.each([
    ['an hour old', NOW - 3_600_000, { event_ms: NOW - 3_600_000, age_ms: 3_600_000 }],
    ['just now', NOW - 5_000, { event_ms: NOW - 5_000, age_ms: 5_000 }],
    ['a little ahead', NOW + 10_000, { event_ms: NOW, age_ms: 0 }],
    ['far ahead: nobody knows when', NOW + 3_600_000, { event_ms: NOW, age_ms: Infinity }],
    ['without a time', null, { event_ms: NOW, age_ms: Infinity }],
  ])('of a retransmission that is %s', (_, camera_ms, expected) => {
    expect(decide(camera_ms, true)).toMatchObject({ ...expected, camera_behind_ms: null, is_drifting: false });
  });

  it('believes no age while the gateway does not know the time, but keeps what the camera says', () => {
    expect(decide(NOW - 1_000, true, false)).toMatchObject({ event_ms: NOW - 1_000, age_ms: Infinity });
    expect(decide(null, true, false)).toMatchObject({ event_ms: NOW, age_ms: Infinity });
  });

  it('never gives a time that cannot be stored', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: -1e14, max: 1e14 })),
        fc.boolean(),
        fc.boolean(),
        (camera_ms, again, ok) => {
          const time = decide(camera_ms, again, ok);
          expect(time.event_ms).toBeGreaterThanOrEqual(0);
          expect(time.age_ms).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
