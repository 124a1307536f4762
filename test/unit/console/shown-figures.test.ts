import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../cloud/console/drawing/spark-line.js';
import { clockText } from '../../../cloud/console/wording/clock-text.js';
import { CONSOLE_WORDS } from '../../../cloud/console/wording/en.js';
import { releaseLines } from '../../../cloud/console/wording/lot-release.js';
import { hasLinkEnded } from '../../../cloud/console/wording/picture-link.js';
import { changedStatus } from '../../../cloud/console/wording/changed-status.js';

describe('the status that an event tells', () => {
  it('is news only between there and not there: conditions of a camera stay', () => {
    expect([
      changedStatus('online', 'online'),
      changedStatus('auth', 'online'),
      changedStatus('offline', 'offline'),
    ]).toEqual([null, null, null]);
    expect([changedStatus('auth', 'offline'), changedStatus('offline', 'online')]).toEqual(['offline', 'online']);
  });
});

describe('a link to a picture', () => {
  it('ends at its time, and a little before as fetching takes time', () => {
    const url = 'https://parking.example/v2/images/1?expires=1000&signature=x';
    expect([hasLinkEnded(url, 994_000), hasLinkEnded(url, 996_000)]).toEqual([false, true]);
    expect([hasLinkEnded(null, 0), hasLinkEnded('/v2/images/1', 1e15)]).toEqual([true, false]);
  });
});

describe('times of a lot', () => {
  const at = new Date('2026-11-25T22:30:00Z');
  const options = { hour: '2-digit', minute: '2-digit' } as const;
  const text = (timezone: string | undefined, own: string) =>
    clockText(at, options, { locale: 'en-GB', timezone, own });

  it('are those of its clocks, with the name of its zone where the person has another time', () => {
    expect(text('Europe/Zagreb', 'Europe/Zagreb')).toBe('23:30');
    expect(text('Europe/Zagreb', 'Europe/Vienna')).toBe('23:30');
    expect(text(undefined, 'America/New_York')).toBe('17:30');
    expect(text('Europe/Zagreb', 'America/New_York')).toMatch(/^23:30 (CET|GMT\+1)$/);
  });

  it('begin a day at its midnight, which has 23, 24 or 25 hours', () => {
    const hoursOf = (iso: string, timezone: string) => {
      const { start, end, hours } = dayOf(Date.parse(iso), timezone);
      return [
        new Date(start).toISOString(),
        (end - start) / 3_600_000,
        hours.map((share) => Math.round((share * (end - start)) / 360_000) / 10),
      ];
    };
    expect(hoursOf('2026-11-25T23:30:00Z', 'Europe/Zagreb')).toEqual([
      '2026-11-25T23:00:00.000Z',
      24,
      [0, 6, 12, 18, 24],
    ]);
    expect(hoursOf('2026-10-25T12:00:00Z', 'Europe/Zagreb')).toEqual([
      '2026-10-24T22:00:00.000Z',
      25,
      [0, 7, 13, 19, 25],
    ]);
    expect(hoursOf('2026-03-29T12:00:00Z', 'Europe/Zagreb')).toEqual([
      '2026-03-28T23:00:00.000Z',
      23,
      [0, 5, 11, 17, 23],
    ]);
  });
});

describe('the progress of a release', () => {
  const command = (product_id: number, status: string, operation = 'stay_open') => ({
    eventId: `0000000${product_id}`,
    operation,
    record: { product_id, status, gateway_error: status === 'failed' ? { type: 5 } : null },
    refusal: null,
  });
  const name = (id: number): string | undefined => ['', 'Exit', 'Gate', 'Entry'][id];
  const lines = (...commands: Parameters<typeof releaseLines>[0]) =>
    releaseLines(commands, name, CONSOLE_WORDS).map((each) => [each.name, each.state, each.sentence]);

  it('has what failed first with its reason, then what has not answered, and only what moved as done', () => {
    const unknown = { ...command(9, 'pending'), record: null };
    const refused = { ...unknown, refusal: { status: 404, errors: [] } };
    expect(lines(command(1, 'succeeded'), command(2, 'pending'), command(3, 'failed'), unknown, refused)).toEqual([
      ['…', 'failed', 'failed: This is not there any more.'],
      ['Entry', 'failed', 'failed: it is jammed. Look whether something blocks it.'],
      ['…', 'waiting', 'waiting for its answer'],
      ['Gate', 'waiting', 'waiting for its answer'],
      ['Exit', 'done', 'open'],
    ]);
  });

  it('says of its end that nothing is held open any more, as that closes nothing', () => {
    expect(lines(command(2, 'succeeded', 'clear_stay_open'))).toEqual([['Gate', 'done', 'no longer held open']]);
  });
});
