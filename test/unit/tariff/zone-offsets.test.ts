import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import { localOffset } from './local-time.js';
import { runs } from '../../depth.js';

const ZONES = [
  'UTC',
  'Europe/Zagreb',
  'Europe/Dublin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];

describe('the offsets of a time zone', () => {
  it('are those of the time zone database, and hold until they say', () => {
    const anyTime = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2060, 0) });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        anyTime,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (timezone, at, share) => {
          const { offset_ms, until_ms } = zoneOffsets(timezone)(at);
          expect(offset_ms).toBe(localOffset(at, timezone));
          expect(until_ms).toBeGreaterThan(at);
          const later = Math.floor(at + (until_ms - 1 - at) * share);
          expect(localOffset(later, timezone)).toBe(offset_ms);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['Europe/Zagreb', Date.UTC(2026, 2, 29, 1), 3_600_000],
    ['Europe/Zagreb', Date.UTC(2026, 9, 25, 1), -3_600_000],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15), -1_800_000],
  ])('change to the millisecond in %s', (timezone, at, change) => {
    const offsets = zoneOffsets(timezone);
    expect(offsets(at).offset_ms - offsets(at - 1).offset_ms).toBe(change);
    expect(offsets(at - 1).until_ms).toBe(at);
  });

  it('are those of UTC for one that this machine does not know, for ever', () => {
    expect(zoneOffsets('Mars/Base')(Date.UTC(2026, 6, 1)).offset_ms).toBe(0);
  });
});
