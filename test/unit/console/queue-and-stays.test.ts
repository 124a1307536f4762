import { describe, expect, it } from 'vitest';
import { sparkLine, sumOf } from '../../../cloud/console/drawing/spark-line.js';
import { mostAlike } from '../../../cloud/console/wording/alike-plates.js';
import { inputAt, momentAt, showSame } from '../../../cloud/console/wording/lot-time.js';
import { isWithinStay, lostExitsOf, mergeCalls, splitCalls } from '../../../cloud/console/wording/stay-changes.js';
import { waitingOf } from '../../../cloud/console/wording/waiting.js';

const reading = (id: number, plate: string, reason: string, direction = 'in') => ({
  id,
  plate,
  direction,
  lpr_camera_id: 1,
  access_decision: ['tariff', 'whitelist', 'session_exit'].includes(reason) ? 'triggered' : 'denied',
  access_decision_reason: reason,
  handled_at: null as string | null,
  created_at: new Date(id * 1_000).toISOString(),
});

const handledNow = <Each extends object>(each: Each) => ({ ...each, handled_at: '2026-03-01T08:00:00.000Z' });

describe('the queue of refused vehicles', () => {
  it('has each vehicle once, until it is let through or somebody dealt with it', () => {
    const newestFirst = [
      reading(9, 'ZG-1', 'no_tariff'),
      reading(8, 'ZG 1', 'no_tariff'),
      reading(7, 'ZG 2', 'whitelist'),
      reading(6, 'ZG 2', 'no_tariff'),
      reading(5, 'ZG 3', 'debounce'),
      reading(4, 'ZG 3', 'max_capacity'),
      reading(3, 'ZG 4', 'no_tariff'),
    ];
    expect(waitingOf(newestFirst).map(({ id }) => id)).toEqual([9, 4, 3]);
    const handled = newestFirst.map((each) => ([9, 3].includes(each.id) ? handledNow(each) : each));
    expect(waitingOf(handled).map(({ id }) => id)).toEqual([4]);
  });
});

describe('stays that were counted wrongly', () => {
  const early = { id: 1, zone_id: 5, created_at: '2026-03-01T08:00:00.000Z', plate: 'ZG 1' };
  const late = { id: 2, zone_id: 5, created_at: '2026-03-01T09:00:00.000Z', plate: 'ZG I' };

  it('are split at a time', () => {
    expect(splitCalls(early, { at: '2026-03-01T08:30:00.000Z', plate: 'ZG 9' })).toEqual([
      { kind: 'close', id: 1, body: { ended_at: '2026-03-01T08:30:00.000Z' } },
      { kind: 'begin', body: { zone_id: 5, entry_license_plate: 'ZG 9', created_at: '2026-03-01T08:30:00.000Z' } },
    ]);
  });

  it('are merged: the later one ends as it began, the first goes on under the right plate', () => {
    const close = { kind: 'close', id: 2, body: { ended_at: late.created_at } };
    expect(mergeCalls([late, early], 'ZG 1')).toEqual([close]);
    expect(mergeCalls([early, late], 'ZG I')).toEqual([
      close,
      { kind: 'rename', id: 1, body: { entry_license_plate: 'ZG I' } },
    ]);
  });

  it('end between their beginning and now', () => {
    const at = Date.parse(early.created_at);
    expect([at - 1, at, at + 10, at + 11, Number.NaN].map((each) => isWithinStay(each, early, at + 10))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('are missed at exits, each vehicle once, unless it was let out after all or somebody dealt with it', () => {
    const all = [
      reading(5, 'ZG 1', 'no_active_session', 'out'),
      reading(6, 'ZG 1', 'no_active_session', 'out'),
      reading(7, 'ZG 2', 'no_active_session', 'out'),
      reading(8, 'ZG 2', 'session_exit', 'out'),
      reading(2, 'ZG 3', 'no_active_session', 'out'),
      reading(9, 'ZG 4', 'no_tariff', 'in'),
      reading(10, 'ZG 5', 'no_active_session', 'out'),
      handledNow(reading(11, 'ZG 5', 'no_active_session', 'out')),
    ];
    expect(lostExitsOf(all, 3_000).map(({ id }) => id)).toEqual([6]);
  });
});

describe('times at a lot', () => {
  it('are those of its clocks, also around a change of them', () => {
    expect(momentAt('2026-11-29T02:00', 'Europe/Zagreb')).toBe('2026-11-29T01:00:00.000Z');
    expect(momentAt('2026-07-01T02:00', 'Europe/Zagreb')).toBe('2026-07-01T00:00:00.000Z');
    expect(momentAt('2026-03-29T03:30', 'Europe/Zagreb')).toBe('2026-03-29T01:30:00.000Z');
    expect(momentAt('2026-10-25T01:30', 'Europe/Zagreb')).toBe('2026-10-24T23:30:00.000Z');
    expect(momentAt('2026-10-25T03:30', 'Europe/Zagreb')).toBe('2026-10-25T02:30:00.000Z');
    expect(momentAt('', 'Europe/Zagreb')).toBeNull();
  });

  it('are shown as they are typed, and two zones show the same as long as their clocks do', () => {
    const [winter, summer] = [Date.parse('2026-01-01T12:00:00Z'), Date.parse('2026-07-01T12:00:00Z')];
    expect([inputAt(winter, 'Europe/Zagreb'), inputAt(summer, 'Europe/Zagreb')]).toEqual([
      '2026-01-01T13:00',
      '2026-07-01T14:00',
    ]);
    expect(momentAt(inputAt(summer, 'America/New_York'), 'America/New_York')).toBe('2026-07-01T12:00:00.000Z');
    expect([showSame(winter, 'Europe/London', 'UTC'), showSame(summer, 'Europe/London', 'UTC')]).toEqual([true, false]);
  });
});

describe('a stay that is looked for among many', () => {
  const plates = ['ZG 1-A', 'OS 200 B', 'OS 2O0 B', 'ST 99 X', 'OS 300 C'];
  const find = (plate: string, most: number) => mostAlike(plates, { plateOf: (each) => each, plate, most });

  it('is among the plates that are most alike, the best first', () => {
    expect(find('os200b', 2)).toEqual(['OS 200 B', 'OS 2O0 B']);
    expect(find('0S 300C', 1)).toEqual(['OS 300 C']);
    expect(find('99', 1)).toEqual(['ST 99 X']);
  });

  it('stays in its order where all can be shown', () => {
    expect(find('99', plates.length)).toEqual(plates);
  });
});

describe('the day as a small plot', () => {
  const HOUR_MS = 3_600_000;
  const period = (hour: number, mean_occupied: number) => ({
    period_start: new Date(hour * HOUR_MS).toISOString(),
    mean_occupied,
    max_occupied: mean_occupied,
  });
  const day = { start: 0, end: 24 * HOUR_MS };
  const box = { width: 240, height: 40 };

  it('adds up zones, and draws the hours that have been', () => {
    const sums = sumOf([
      [period(0, 1), period(6, 3)],
      [period(0, 1), period(6, 5), period(12, 4)],
    ]);
    expect(sums.map(({ mean_occupied }) => mean_occupied)).toEqual([2, 8, 4]);
    const drawn = sparkLine(sums, { day, box, spots: 10 });
    expect(drawn.line).toBe('M0 32L60 8L120 24');
    expect(drawn.ground).toBe('M0 32L60 8L120 24L120 40L0 40Z');
    expect([drawn.full, drawn.most]).toEqual([0, { count: 8, at: period(6, 0).period_start }]);
  });

  it('is flat while nobody was there, and nothing before the first hour', () => {
    expect(sparkLine([], { day, box, spots: 0 })).toEqual({ line: '', ground: '', full: null, most: null });
    expect(sparkLine([period(0, 0)], { day, box, spots: 0 }).line).toBe('M0 40');
  });
});
