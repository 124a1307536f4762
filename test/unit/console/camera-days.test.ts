import { describe, expect, it } from 'vitest';
import { cameraBars, type CameraDayFacts, cameraFigures } from '../../../cloud/console/wording/camera-days.js';

const day = (date: string, changed: Partial<CameraDayFacts> = {}): CameraDayFacts => ({
  date,
  reads_count: 0,
  unreadable_count: 0,
  offline_seconds: 0,
  clock_drift_ms: null,
  ...changed,
});

describe('the figures of a camera', () => {
  it('are of what it saw, and of its clock', () => {
    const figures = cameraFigures([
      day('2026-03-01', { reads_count: 90, unreadable_count: 10, clock_drift_ms: 1_000 }),
      day('2026-03-02', { offline_seconds: 3_600 }),
      ...Array.from({ length: 6 }, (_, at) => day(`2026-03-0${at + 3}`)),
      day('2026-03-09', { reads_count: 10, unreadable_count: 10, clock_drift_ms: 9_000 }),
    ]);
    expect(figures).toEqual({
      reads: 100,
      perDay: 50,
      unreadableShare: 20 / 120,
      unreadableLately: 0.5,
      offlineSeconds: 3_600,
      driftMs: 9_000,
      driftPerDayMs: 1_000,
    });
  });

  it('are unknown where nothing was seen or told', () => {
    expect(cameraFigures([day('2026-03-01'), day('2026-03-02', { clock_drift_ms: 0 })])).toMatchObject({
      perDay: 0,
      unreadableShare: null,
      unreadableLately: null,
      driftMs: 0,
      driftPerDayMs: null,
    });
    expect(cameraFigures([])).toMatchObject({ reads: 0, driftMs: null });
  });
});

describe('the bars of a camera', () => {
  it('stand on the ground, unreadable plates upon the read ones, as high as the most', () => {
    const bars = cameraBars([day('a', { reads_count: 6, unreadable_count: 2 }), day('b', { reads_count: 4 })], {
      width: 200,
      height: 80,
    });
    expect(bars).toEqual([
      { date: 'a', x: 15, width: 70, read: { y: 20, height: 60 }, unreadable: { y: 0, height: 20 } },
      { date: 'b', x: 115, width: 70, read: { y: 40, height: 40 }, unreadable: { y: 40, height: 0 } },
    ]);
  });
});
