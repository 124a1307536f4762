import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { parseCameraTime } from '../../../agent/lpr/formats/camera-time-parser.js';

describe('parseCameraTime', () => {
  it.each([
    ['2026-01-15T13:00:00+01:00', Date.UTC(2026, 0, 15, 12), 60],
    ['2026-01-15T13:00:00-03:30', Date.UTC(2026, 0, 15, 16, 30), -210],
    ['2026-01-15T13:00:00+0100', Date.UTC(2026, 0, 15, 12), 60],
    ['2026-01-15T13:00:00+1', Date.UTC(2026, 0, 15, 12), 60],
    ['2026-01-15 13:00:00.5Z', Date.UTC(2026, 0, 15, 13, 0, 0, 500), 0],
    ['2026-01-15T13:00:00', Date.UTC(2026, 0, 15, 12), null],
    ['2026-07-15T13:00:00', Date.UTC(2026, 6, 15, 11), null],
    // Skipped in spring: the clocks went from 02:00 to 03:00.
    ['2026-03-29T02:30:00', Date.UTC(2026, 2, 29, 1, 30), null],
  ])('reads %s in Europe/Zagreb', (text, epoch_ms, offset_min) => {
    expect(parseCameraTime(text, 'Europe/Zagreb')).toEqual({ epoch_ms, offset_min });
  });

  it('reads a wall time that clocks showed twice as the earlier moment, and says which the later one is', () => {
    expect(parseCameraTime('2026-10-25T02:30:00', 'Europe/Zagreb')).toEqual({
      epoch_ms: Date.UTC(2026, 9, 25, 0, 30),
      offset_min: null,
      again_ms: Date.UTC(2026, 9, 25, 1, 30),
    });
    // Half an hour is set back there.
    expect(parseCameraTime('2026-04-05T01:45:00', 'Australia/Lord_Howe')).toMatchObject({
      epoch_ms: Date.UTC(2026, 3, 4, 14, 45),
      again_ms: Date.UTC(2026, 3, 4, 15, 15),
    });
    for (const once of ['2026-10-25T01:59:59', '2026-10-25T03:00:00', '2026-03-29T02:30:00'])
      expect(parseCameraTime(once, 'Europe/Zagreb')).not.toHaveProperty('again_ms');
  });

  it.each(['', 'now', '2026-02-30T00:00:00Z', '2026-01-15T13:00:00+99:00', '2026-13-01T00:00:00Z', '1768482000'])(
    'takes %j for no time',
    (text) => {
      expect(parseCameraTime(text, 'UTC')).toBeNull();
    },
  );

  it('takes an unknown zone as UTC', () => {
    expect(parseCameraTime('2026-01-15T13:00:00', 'Mars/Olympus')?.epoch_ms).toBe(Date.UTC(2026, 0, 15, 13));
  });

  it('gives back what toISOString wrote', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (epoch_ms) => {
        expect(parseCameraTime(new Date(epoch_ms).toISOString(), 'Asia/Tokyo')).toEqual({ epoch_ms, offset_min: 0 });
      }),
    );
  });
});
