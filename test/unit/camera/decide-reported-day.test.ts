import { describe, expect, it } from 'vitest';
import { decideReportedDay, SILENCE_MAX_MS } from '../../../cloud/equipment/camera/decide-reported-day.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const known = { lpr_camera_id: 1, day: 20_468, offline_ms: 0, clock_drift_ms: null, reported_at: NOW - MINUTE };
const report = { lpr_camera_id: 1, day: 20_468, wasOffline: false, isOffline: false, clock_drift_ms: null, now: NOW };

describe('the day of a camera after a report', () => {
  it('stays as it is while the camera works', () => {
    expect(decideReportedDay(undefined, report)).toBeNull();
    expect(decideReportedDay(known, report)).toBeNull();
    expect(decideReportedDay({ ...known, clock_drift_ms: -900 }, { ...report, clock_drift_ms: 800 })).toBeNull();
  });

  it('counts the time since the last report of a camera that was offline', () => {
    const first = decideReportedDay(undefined, { ...report, isOffline: true });
    expect(first).toEqual({ ...known, reported_at: NOW });
    const second = { ...report, wasOffline: true, isOffline: true };
    expect(decideReportedDay(known, second)).toMatchObject({ offline_ms: MINUTE, reported_at: NOW });
    expect(decideReportedDay(known, { ...report, wasOffline: true })).toMatchObject({ offline_ms: MINUTE });
  });

  it('counts no silence in which nobody knows', () => {
    const before = { ...known, reported_at: NOW - SILENCE_MAX_MS - 1 };
    expect(decideReportedDay(before, { ...report, wasOffline: true })).toBeNull();
    const later = { ...known, reported_at: NOW + MINUTE };
    expect(decideReportedDay(later, { ...report, wasOffline: true })).toBeNull();
  });

  it('begins a new day at midnight, which has what is left of the night', () => {
    const next = { ...report, day: known.day + 1, wasOffline: true, isOffline: true };
    expect(decideReportedDay({ ...known, offline_ms: 5 }, next)).toMatchObject({
      day: known.day + 1,
      offline_ms: MINUTE,
    });
  });

  it('keeps the largest drift, with its sign', () => {
    expect(decideReportedDay(known, { ...report, clock_drift_ms: 40 })).toMatchObject({ clock_drift_ms: 40 });
    const before = { ...known, clock_drift_ms: 40 };
    expect(decideReportedDay(before, { ...report, clock_drift_ms: -90 })).toMatchObject({ clock_drift_ms: -90 });
  });
});
