import { describe, expect, it } from 'vitest';
import { decideEventTime, type EventTimeFacts } from '../../../cloud/traffic/ingest/load/decide-event-time.js';

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
      'is when an older gateway heard of it, where a camera told 1970',
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
});
