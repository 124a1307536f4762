/** The order of troubles, their sentences and their ages. */
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';
import { ageText, formerText, sinceText } from '../../../shared/troubles/age.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { byUrgency, needsPerson, type Trouble, trouble } from '../../../shared/troubles/trouble.js';
import { GATE_WORDS as DE } from '../../../shared/wording/de.js';
import { GATE_WORDS as EN } from '../../../shared/wording/en.js';
import { GATE_WORDS as HR } from '../../../shared/wording/hr.js';
import { GATE_WORDS as HU } from '../../../shared/wording/hu.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('the list', () => {
  it('begins with what nobody passes by, and of equal kinds with the oldest', () => {
    const about = { kind: 'product', id: 1, name: 'Gate' } as const;
    const troubles: Trouble[] = [
      trouble('awaited', about, {}, 5),
      trouble('battery_low', about, { percent: 9 }),
      trouble('product_unheard', about, { was_heard: true }, 20),
      trouble('product_unheard', about, { was_heard: true }, 10),
      trouble('product_error', about, { error: 'jammed' }),
    ];
    expect(troubles.sort(byUrgency).map(({ kind, since_ms }) => [kind, since_ms])).toEqual([
      ['product_error', null],
      ['product_unheard', 10],
      ['product_unheard', 20],
      ['battery_low', null],
      ['awaited', 5],
    ]);
    expect(troubles.filter((each) => !needsPerson(each))).toHaveLength(1);
    const unpaired = (was_paired: boolean) => needsPerson(trouble('product_unpaired', about, { was_paired }));
    expect([unpaired(false), unpaired(true)]).toEqual([false, true]);
  });

  it.each([
    ['English', EN, 'for 2 h, since T', 'was closed 12 min ago', 'just now'],
    ['German', DE, 'seit 2 h, ab T', 'war vor 12 min geschlossen', 'eben'],
    ['Croatian', HR, 'već 2 h, od T', 'prije 12 min: zatvoreno', 'upravo'],
    ['Hungarian', HU, '2 órája, T óta', '12 perce: zárva', 'éppen most'],
  ])('is told in %s with its age', (language, words, since, was, now) => {
    const about = { kind: 'gateway', id: 1, name: 'Pi' } as const;
    const text = (each: Trouble) => sinceText(each, words.ages, { nowMs: NOW, timeOf: () => 'T' });
    expect(text(trouble('gateway_alone', about, { was_connected: true }, NOW - 2 * HOUR_MS))).toBe(since);
    expect(text(trouble('radio_off', about, { state: 'off', adapters: [] }))).toBe(words.ages.sinceUnknown);
    expect(text(trouble('battery_low', about, { percent: 9 }))).toBeNull();
    const former = (ageMs: number) => formerText(words.formerly.blocked, { ageMs, words: words.ages });
    expect(former(12 * MINUTE_MS)).toBe(was);
    expect(former(MINUTE_MS - 1)).toContain(now);
    const ages = [MINUTE_MS, 2 * HOUR_MS - 1, 2 * HOUR_MS, 2 * DAY_MS - 1, 2 * DAY_MS].map((ms) =>
      ageText(ms, words.ages),
    );
    expect(ages.slice(0, 4)).toEqual(
      language === 'Hungarian' ? ['1 perc', '119 perc', '2 óra', '47 óra'] : ['1 min', '119 min', '2 h', '47 h'],
    );
    expect(ages[4]).toMatch(/^2 (days|Tagen|dana|nap)$/);
  });

  it('says a problem in brackets, and names what does not work', () => {
    const pi = { kind: 'gateway', id: 1, name: 'Pi' } as const;
    const cam = { kind: 'camera', id: 1, name: 'Cam' } as const;
    const adapters = [{ name: 'hci1', state: 'off' }] as const;
    expect(sentenceOf(trouble('radio_off', pi, { state: 'on', adapters }), EN)).toBe(
      'Bluetooth of Pi does not work: hci1 off.',
    );
    expect(sentenceOf(trouble('radio_off', pi, { state: 'off', adapters: [] }), DE)).toContain('ist aus');
    expect(sentenceOf(trouble('camera_silent', cam, { problem: 'no answer' }), EN)).toBe(
      'Cam is silent: plates are not read there (no answer).',
    );
    expect(sentenceOf(trouble('camera_silent', cam, { problem: null }), HR)).toBe(
      'Cam šuti: ondje se registracije ne čitaju.',
    );
  });
});
