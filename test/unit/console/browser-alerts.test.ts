/** What the browser tells of while nobody looks at the console. */
import { describe, expect, it } from 'vitest';
import {
  type Alert,
  ALERT_KINDS,
  alertsOfRead,
  freshOf,
  frontFrom,
  isInSight,
  isWanted,
  NO_ALERTS,
  offName,
  settingsFrom,
} from '../../../cloud/console/wording/browser-alerts.js';

const alert = (key: string): Alert => ({ key, kind: 'waits', lotId: 1, title: '', text: '', path: '/' });
const MINUTE_MS = 60_000;

describe('what is new', () => {
  it('is told once, and again only when it was gone for long', () => {
    const seen = new Map<string, number>();
    expect(freshOf(seen, [alert('a')], 0).map(({ key }) => key)).toEqual(['a']);
    expect(freshOf(seen, [alert('a'), alert('b')], 1_000).map(({ key }) => key)).toEqual(['b']);
    expect(freshOf(seen, [], 2_000)).toEqual([]);
    expect(freshOf(seen, [alert('a')], 9 * MINUTE_MS)).toEqual([]);
    expect(freshOf(seen, [alert('a')], 20 * MINUTE_MS).map(({ key }) => key)).toEqual(['a']);
  });

  it('keeps nothing of what is long gone', () => {
    const seen = new Map<string, number>();
    freshOf(seen, [alert('a')], 0);
    freshOf(seen, [], 11 * MINUTE_MS);
    expect(seen.size).toBe(0);
  });
});

describe('what somebody sees', () => {
  const front = (view: string, lotId: number | null = null) => ({ view, lotId, at: 0 });

  it.each([
    ['waits', 'overview', true],
    ['waits', 'live', true],
    ['waits', 'profile', false],
    ['trouble', 'overview', true],
    ['trouble', 'live', false],
    ['plate', 'live', true],
    ['plate', 'overview', false],
    ['emergency', 'profile', true],
    ['emergency', 'kiosk', false],
  ] as const)('%s at %s: %s', (kind, view, isSeen) => {
    expect(isInSight({ kind, lotId: 1 }, front(view), 1_000)).toBe(isSeen);
  });

  it('is that of the lot that is shown', () => {
    expect(isInSight({ kind: 'trouble', lotId: 1 }, front('lot', 1), 0)).toBe(true);
    expect(isInSight({ kind: 'trouble', lotId: 2 }, front('lot', 1), 0)).toBe(false);
  });

  it('is nothing where no tab is in front, or one that was closed', () => {
    for (const kind of ALERT_KINDS) {
      expect(isInSight({ kind, lotId: 1 }, null, 0)).toBe(false);
      expect(isInSight({ kind, lotId: 1 }, front('overview'), MINUTE_MS)).toBe(false);
    }
  });
});

describe('what the browser kept', () => {
  it('is read whoever wrote it', () => {
    for (const value of [null, 3, 'x', [], { hasSound: 'yes', off: 4 }]) expect(settingsFrom(value)).toEqual(NO_ALERTS);
    expect(settingsFrom({ hasSound: true, off: ['1 waits', 2] })).toEqual({
      hasNotice: false,
      hasSound: true,
      off: ['1 waits'],
    });
    expect(frontFrom({ view: 'live' })).toBeNull();
    expect(frontFrom({ view: 'lot', lotId: 3, at: 5 })).toEqual({ view: 'lot', lotId: 3, at: 5 });
  });

  it('leaves out single kinds of single lots', () => {
    const settings = { ...NO_ALERTS, off: [offName(1, 'waits'), offName(null, 'trouble')] };
    expect(isWanted({ lotId: 1, kind: 'waits' }, settings)).toBe(false);
    expect(isWanted({ lotId: 2, kind: 'waits' }, settings)).toBe(true);
    expect(isWanted({ lotId: 1, kind: 'trouble' }, settings)).toBe(true);
    expect(isWanted({ lotId: null, kind: 'trouble' }, settings)).toBe(false);
  });
});

it('knows by which alert a plate is watched, in its zone', () => {
  const normalise = (plate: string) => plate.replaceAll(' ', '');
  const alerts = [
    { id: 1, name: 'Everywhere', zone: null, plates: ['AB 1'] },
    { id: 2, name: 'Here', zone: { id: 7 }, plates: ['X', 'AB1'] },
  ];
  const idsOf = (plate: string, zone_id: number | null) =>
    alertsOfRead(alerts, { plate, zone_id }, normalise).map(({ id }) => id);
  expect(idsOf('AB1', 7)).toEqual([1, 2]);
  expect(idsOf('A B1', 8)).toEqual([1]);
  expect(idsOf('ZZ', 7)).toEqual([]);
  expect(idsOf(' ', null)).toEqual([]);
});
