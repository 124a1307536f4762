import { describe, expect, it } from 'vitest';
import {
  decideEventTime,
  type EventTimeFacts,
  oldestAppliedMs,
  whyTooOld,
} from '../../../cloud/traffic/ingest/load/decide-event-time.js';

const CLOUD_MS = Date.UTC(2026, 0, 15, 12);

function facts(more: Partial<EventTimeFacts>): EventTimeFacts {
  return {
    event_ms: CLOUD_MS - 1_000,
    clock_ok: true,
    mono_ms: 50_000,
    boot_began_ms: CLOUD_MS - 100_000,
    present_boot_began_ms: CLOUD_MS - 100_000,
    cloud_ms: CLOUD_MS,
    ...more,
  };
}

describe('the time of an event', () => {
  it.each([
    ['is what the gateway says when it knows', {}, { at_ms: CLOUD_MS - 1_000, estimated: false }],
    [
      'may be days ago',
      { event_ms: CLOUD_MS - 3 * 86_400_000 },
      { at_ms: CLOUD_MS - 3 * 86_400_000, estimated: false },
    ],
    ['may run ahead a little', { event_ms: CLOUD_MS + 299_000 }, { at_ms: CLOUD_MS + 299_000, estimated: false }],
    ['is never years ahead', { event_ms: CLOUD_MS + 10 * 365 * 86_400_000 }, { at_ms: CLOUD_MS, estimated: true }],
    [
      'is when the gateway heard of it, where it did not judge what a camera told of 1970',
      { event_ms: 451_000, made_ms: CLOUD_MS - 5_000 },
      { at_ms: CLOUD_MS - 5_000, estimated: true },
    ],
    [
      'is what a gateway judged to be right, were it days before',
      { event_ms: CLOUD_MS - 3 * 86_400_000, made_ms: CLOUD_MS, time_source: 'device' as const },
      { at_ms: CLOUD_MS - 3 * 86_400_000, estimated: false },
    ],
    [
      'is placed by the boot of a gateway at 1970',
      { event_ms: 5_000, clock_ok: false },
      { at_ms: CLOUD_MS - 50_000, estimated: true },
    ],
    [
      'is no later than the present boot when its own is unknown',
      { clock_ok: false, boot_began_ms: null },
      { at_ms: CLOUD_MS - 100_000, estimated: true },
    ],
    [
      'is now when nothing is known',
      { clock_ok: false, boot_began_ms: null, present_boot_began_ms: null },
      { at_ms: CLOUD_MS, estimated: true },
    ],
    [
      'is not in the future for a monotonic clock that runs fast',
      { clock_ok: false, mono_ms: 200_000 },
      { at_ms: CLOUD_MS, estimated: true },
    ],
  ])('%s', (_what, more, expected) => {
    expect(decideEventTime(facts(more))).toEqual(expected);
  });

  const DAY = 86_400_000;
  const oldest_ms = CLOUD_MS - 38 * DAY;
  const stale = { wall: CLOUD_MS - 60 * DAY, late: CLOUD_MS - 60 * DAY + 3_000 };
  it.each([
    [
      'follows the boot when the wall clock had stood still while the gateway was off',
      { event_ms: stale.wall, made_ms: stale.late, oldest_ms },
      { at_ms: CLOUD_MS - 50_000 - 3_000, estimated: true },
    ],
    [
      'stays as it is when nobody knows the boot',
      { event_ms: stale.wall, made_ms: stale.late, boot_began_ms: null, oldest_ms, time_source: 'device' as const },
      { at_ms: stale.wall, estimated: false },
    ],
    [
      'stays as it is when the wall clock was right, were the event long ago',
      { event_ms: 1_000, made_ms: CLOUD_MS - 50_000, oldest_ms, time_source: 'device' as const },
      { at_ms: 1_000, estimated: false },
    ],
    [
      'is not that of the boot when it is recent enough to be applied as it is',
      { event_ms: CLOUD_MS - 20 * DAY, made_ms: CLOUD_MS - 20 * DAY, oldest_ms },
      { at_ms: CLOUD_MS - 20 * DAY, estimated: false },
    ],
  ])('%s', (_what, more, expected) => {
    expect(decideEventTime(facts(more))).toEqual(expected);
  });
});

describe('how old a record may be', () => {
  const DAY = 86_400_000;
  const bounds = { autonomy_days: 31, claimed_ms: CLOUD_MS - 100 * DAY, cloud_ms: CLOUD_MS };
  const why = (at_ms: number, more: object = {}) => whyTooOld({ at_ms, estimated: false }, { ...bounds, ...more });

  it('is the autonomy of its lot and seven days', () => {
    expect(oldestAppliedMs(bounds)).toBe(CLOUD_MS - 38 * DAY);
    expect(why(CLOUD_MS - 38 * DAY)).toBeNull();
    expect(why(CLOUD_MS - 38 * DAY - 1)).toBe('of 2025-12-08T11:59:59.999Z, older than the 31 days of autonomy and 7');
    expect(why(CLOUD_MS - 38 * DAY - 1, { autonomy_days: 32 })).toBeNull();
  });

  it('reaches back to 26 hours before the claim of its gateway, because the clock of a camera may be wrong by a day', () => {
    const claimed_ms = CLOUD_MS - DAY;
    const earliest_ms = claimed_ms - 26 * 3_600_000;
    expect(why(claimed_ms - 7 * 60_000, { claimed_ms })).toBeNull();
    expect(why(earliest_ms, { claimed_ms })).toBeNull();
    expect(why(earliest_ms - 1, { claimed_ms })).toBe(
      'of 2026-01-13T09:59:59.999Z, more than 26 hours before the gateway was claimed',
    );
    expect(why(earliest_ms - 1, { claimed_ms: null })).toBeNull();
  });
});
