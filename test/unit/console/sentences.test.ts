import { describe, expect, it } from 'vitest';
import { VIEW_PATHS, lotPath, placeOf } from '../../../cloud/console/console-paths.js';
import { MEMBER_FILE_WORDS as MEMBER_FILE_HR } from '../../../cloud/console/wording/hr/member-file.js';
import { CONSOLE_WORDS as de } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { findEntries } from '../../../cloud/console/wording/find-entries.js';
import { emailsIn, inviteFaults } from '../../../cloud/console/wording/form-checks.js';
import { keyTimesBody, keyTimesFaults, newKeyTimes, startInput } from '../../../cloud/console/wording/key-times.js';
import { CONSOLE_WORDS as hr } from '../../../cloud/console/wording/hr.js';
import { CONSOLE_WORDS as hu } from '../../../cloud/console/wording/hu.js';
import {
  endsHold,
  errorOf,
  type Operation,
  operationsOf,
  formerStateOf,
  passStateOf,
  type ProductFacts,
  rowOperationOf,
} from '../../../cloud/console/wording/product-view.js';
import { isSameDay } from '../../../cloud/console/wording/clock-text.js';
import {
  curlOf,
  decisionSentence,
  failureSentence,
  isRefused,
  refusalSentence,
  spanOf,
} from '../../../cloud/console/wording/sentences.js';
import { ERROR_TABLE, GATEWAY_ERROR_MESSAGES } from '../../../shared/errors.js';
import { NO_ERROR, PRODUCT_RECORD } from './lot-facts.js';

const read = (direction: string, access_decision: string | null, access_decision_reason: string | null) => ({
  direction,
  access_decision,
  access_decision_reason,
});

/** Where a word stands: `audit.verbs.create`. */
const placesIn = (words: object, before = ''): string[] =>
  Object.entries(words).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? placesIn(value, `${before}${key}.`) : [`${before}${key}`],
  );

describe('the sentences of the console', () => {
  it('are there in every language, also where the compiler does not ask for them', () => {
    for (const words of [de, hr, hu]) expect(placesIn(words)).toEqual(expect.arrayContaining(placesIn(en)));
  });

  it('have one Croatian word for a plate, which is not that for a table, and one for a gateway', () => {
    const texts = (words: object): string[] =>
      Object.values(words).flatMap((value: unknown) =>
        typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? texts(value) : [],
      );
    const { plots, ...others } = hr;
    expect(texts(plots).filter((text) => text.startsWith('Tablica')).length).toBeGreaterThan(0);
    expect(MEMBER_FILE_HR.chooseHint).toContain('tablice');
    expect(texts(others).filter((text) => /tablic|gateway/i.test(text))).toEqual([]);
  });

  it('tell a decision with its reason', () => {
    expect(decisionSentence(read('in', 'triggered', 'tariff'), en)).toBe('Let in: parks for a fee.');
    expect(decisionSentence(read('out', 'triggered', 'session_exit'), en)).toBe('Let out: its stay ended.');
    expect(decisionSentence(read('in', 'denied', 'max_capacity'), en)).toBe('Refused: the zone is full.');
    expect(decisionSentence(read('in', 'denied', 'of a later version'), en)).toBe('Refused.');
    expect(decisionSentence(read('undefined', null, null), en)).toBe('Seen, nothing to decide.');
    expect(isRefused(read('in', 'denied', 'no_tariff'))).toBe(true);
    expect(isRefused(read('in', 'denied', 'debounce'))).toBe(false);
  });

  it('tell every failure of a command in every language', () => {
    for (const words of [en, de, hr, hu])
      for (const type of [...Object.keys(GATEWAY_ERROR_MESSAGES), 'Timeout'])
        expect([type, failureSentence(type, words)]).not.toEqual([type, words.unknownFailure]);
  });

  it('explain a refusal: by its code, by its field, by its status', () => {
    const refused = (status: number, ...errors: { code: number; message: string; field?: string }[]) =>
      refusalSentence({ status, errors }, en);
    for (const code of [214, 704, 30] as const)
      expect(refused(403, { code, message: ERROR_TABLE[code].message })).toBe(en.errors.codes[code]);
    expect(refused(403, { code: 8, message: '' })).toBe('E-mail or password is wrong.');
    expect(refused(403, { code: 4, message: '' })).toBe('Your role does not allow this.');
    expect(refused(422, { code: 23, message: 'Too long', field: 'plate' })).toBe('Too long');
    expect(refused(0)).toBe(en.errors.noAnswer);
    expect(refused(429, { code: 429, message: '' })).toBe(en.errors.tooMany);
    expect(refused(502)).toBe(en.errors.internal);
  });

  it('tell how long somebody stayed', () => {
    expect([59, 7_500, 180_000].map((seconds) => spanOf(seconds, en))).toEqual(['0 min', '2 h 5 min', '2 d 2 h']);
  });

  it('leave out the day of a time of today alone, by the clocks that it is read by', () => {
    const [late, early] = [new Date('2026-11-23T22:30:00Z'), new Date('2026-11-23T23:30:00Z')];
    expect(isSameDay(late, early, 'UTC')).toBe(true);
    expect(isSameDay(late, early, 'Europe/Zagreb')).toBe(false);
    // The same day of the month is another day.
    expect(isSameDay(new Date('2026-12-23T22:30:00Z'), late, 'UTC')).toBe(false);
    expect(isSameDay(new Date('2025-11-23T22:30:00Z'), late, 'UTC')).toBe(false);
    expect(isSameDay(late, new Date(late.getTime() + 1))).toBe(true);
  });

  it('count in Croatian', () => {
    expect([1, 3, 5, 11, 21, 22].map((count) => hr.sessions.inside(count))).toEqual([
      'Unutra: 1 vozilo.',
      'Unutra: 3 vozila.',
      'Unutra: 5 vozila.',
      'Unutra: 11 vozila.',
      'Unutra: 21 vozilo.',
      'Unutra: 22 vozila.',
    ]);
  });

  it('write a call for a terminal, without the token, whatever stands in it', () => {
    expect(curlOf({ method: 'POST', path: '/v2/x', body: { name: "Mia's" } }, 'https://p.example')).toBe(
      `curl -X POST 'https://p.example/v2/x' \\\n  -H "authorization: Bearer $TOKEN" \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Mia'\\''s"}'`,
    );
  });
});

describe('a product as people see it', () => {
  const barrier = { state: 'opened', is_car_on_top: 0 };
  const product: ProductFacts = { ...PRODUCT_RECORD, gate: undefined, barrier };

  it('is passable or blocked, never up or down', () => {
    expect(passStateOf(product)).toBe('passable');
    expect(passStateOf({ ...product, barrier: { ...barrier, state: 'closed' } })).toBe('blocked');
    expect(
      passStateOf({ ...product, barrier: undefined, gate: { state: 'reserved', permanent_position: 'disabled' } }),
    ).toBe('unknown');
    expect(
      passStateOf({ ...product, barrier: undefined, gate: { state: 'error', permanent_position: 'disabled' } }),
    ).toBe('error');
  });

  it('opens by the first button in every state, and offers to end only a stay that it has', () => {
    const gate = (permanent_position: string) => ({
      ...product,
      barrier: undefined,
      gate: { state: 'opened', permanent_position },
    });
    expect(operationsOf(product).slice(0, 4)).toEqual(['open', 'close', 'clear_stay_open', 'clear_stay_close']);
    expect(operationsOf(gate('disabled'))).toEqual(['open', 'close', 'stay_open', 'stay_close', 'force_close']);
    expect(operationsOf(gate('stay_open'))).toEqual(['open', 'close', 'clear_stay_open', 'stay_close', 'force_close']);
  });

  it('has one button in a short list: to close what is open, to open all else', () => {
    const inState = (state: string) => rowOperationOf({ ...product, barrier: { ...barrier, state } });
    expect(['opened', 'closed', 'error', 'unknown'].map(inState)).toEqual(['close', 'open', 'open', 'open']);
  });

  it('is no longer held open in an emergency after what closes it, and after the end of its hold', () => {
    const all = ['open', 'close', 'force_close', 'stay_open', 'stay_close', 'clear_stay_open', 'clear_stay_close'];
    expect((all as Operation[]).filter(endsHold)).toEqual(['close', 'force_close', 'stay_close', 'clear_stay_open']);
  });

  it('names an error that it does not know', () => {
    expect(errorOf({ ...product, product_error: NO_ERROR })).toBe('other');
    expect(errorOf(product)).toBeNull();
  });

  it('is not known of one that no gateway hears, only how it was', () => {
    const lost = { ...product, status: 'offline' };
    expect(passStateOf(lost)).toBe('unknown');
    expect(formerStateOf(lost)).toEqual({ state: 'passable', at: product.last_seen });
    expect(formerStateOf({ ...lost, last_seen: null })).toBeNull();
    expect(formerStateOf(product)).toBeNull();
    const error = { state: 'error', permanent_position: 'disabled' };
    expect(formerStateOf({ ...lost, barrier: undefined, gate: error })).toBeNull();
  });
});

describe('addresses of the console', () => {
  it('name a view, or none', () => {
    expect(placeOf('/')).toEqual({ view: 'overview' });
    expect(placeOf(lotPath(12))).toEqual({ view: 'lot', id: 12 });
    expect(placeOf('/live/')).toEqual({ view: 'live' });
    for (const path of ['/lots', '/lots/0', '/lots/x', '/lots/{id}', '/nowhere', `/lots/${'9'.repeat(30)}`])
      expect(placeOf(path)).toBeNull();
    expect(Object.values(VIEW_PATHS)).toHaveLength(new Set(Object.values(VIEW_PATHS)).size);
  });
});

describe('what a form says before it is sent', () => {
  const form = { emails: 'a@b.example, c@d.example;e@f.example', products: ['1'] };

  it('is nothing when all is there', () => {
    expect(inviteFaults(form, en)).toEqual({});
    expect(emailsIn(form.emails)).toHaveLength(3);
  });

  it('names what is wrong at its field', () => {
    expect(inviteFaults({ emails: 'a@b.example mia', products: [] }, en)).toEqual({
      receiver_emails: 'mia is no e-mail address.',
      products: 'Choose at least one barrier or gate.',
    });
  });

  it('takes the times of a key by the clocks of its lot, and begins with when the form was opened', () => {
    const opened = newKeyTimes(Date.parse('2026-07-01T08:00:59.500Z'));
    expect([startInput(opened, 'Europe/Zagreb'), startInput(opened, 'America/New_York')]).toEqual([
      '2026-07-01T10:00',
      '2026-07-01T04:00',
    ]);
    expect(keyTimesBody(opened, 'Europe/Zagreb')).toEqual({ start_time: '2026-07-01T08:00:00.000Z' });
    const typed = { ...opened, start: '2026-12-01T08:00', end: '2026-12-01T09:00' };
    expect(keyTimesFaults(typed, 'Europe/Zagreb', en)).toEqual({});
    expect(keyTimesBody(typed, 'Europe/Zagreb')).toEqual({
      start_time: '2026-12-01T07:00:00.000Z',
      end_time: '2026-12-01T08:00:00.000Z',
    });
    expect(keyTimesFaults({ ...opened, start: '' }, 'UTC', en)).toEqual({ start_time: 'Please fill in this field.' });
    expect(keyTimesFaults({ ...opened, end: '2026-07-01T10:00' }, 'Europe/Zagreb', en)).toEqual({
      end_time: 'The end has to be after the beginning.',
    });
    expect(keyTimesFaults({ ...opened, end: '2026-07-01T10:00' }, 'UTC', en)).toEqual({});
  });
});

describe('what the palette finds', () => {
  const known = {
    views: [{ view: 'live' as const, name: 'Live' }],
    lots: [{ id: 1, name: 'Šibenik Harbour' }],
    products: [{ id: 7, name: 'Exit gate', lot_id: 1 }],
    forms: [{ name: 'New member', path: '/members?edit=new' }],
    people: [
      { kind: 'member' as const, id: 3, name: 'Ana Horvat', email: '' },
      { kind: 'user' as const, id: 4, name: 'Olga', email: 'olga@harbour.example' },
    ],
  };
  const names = (text: string) => findEntries(text, known, en).map(({ name }) => name);

  it('is by the beginnings of words, whatever their accents, and plates by their shape', () => {
    expect(names('sib')).toEqual(['Šibenik Harbour', 'Open everything in Šibenik Harbour …']);
    expect(names('gate ex')).toEqual(['Exit gate', 'Open Exit gate', 'Close Exit gate']);
    expect(names('open')).toEqual(['Open Exit gate', 'Open everything in Šibenik Harbour …']);
    expect(names('close')).toEqual(['Close Exit gate']);
    expect(names('sign')).toEqual(['Sign out']);
    expect(names('ZG 1234-AB')).toEqual(['Sessions of ZG 1234-AB', 'Search reads for ZG 1234-AB']);
    expect(names('')).toHaveLength(10);
    expect(names('horvat a')).toEqual(['Ana Horvat']);
    expect(names('olga harbour')).toEqual(['Olga (olga@harbour.example)']);
    expect(names('new mem')).toEqual(['New member']);
    expect(names('[(*')).toHaveLength(10);
  });

  it('offers the members of a plate to who may see members, and asks for none meanwhile', () => {
    const views = [{ view: 'members' as const, name: 'Members' }];
    const found = findEntries('ZG 1234-AB', { ...known, views }, en);
    expect(found.map(({ target }) => target)).toEqual([
      { plate: 'ZG 1234-AB' },
      { path: '/reads?plate=ZG%201234-AB' },
      { path: '/members?find=ZG%201234-AB' },
    ]);
  });
});
