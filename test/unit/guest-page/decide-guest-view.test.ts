import { describe, expect, it } from 'vitest';
import {
  decideGuestView,
  faultOfAnswer,
  tokenIn,
  type GuestFacts,
} from '../../../cloud/guests/guest-page/decide-guest-view.js';
import { type GuestPage, phaseOf } from '../../../cloud/guests/guest-page/guest-page-payload.js';
import { PAGE_WORDS as de } from '../../../cloud/site/words/de.js';
import { PAGE_WORDS as en } from '../../../cloud/site/words/en.js';
import { PAGE_WORDS as hr } from '../../../cloud/site/words/hr.js';
import { PAGE_WORDS as hu } from '../../../cloud/site/words/hu.js';
import { GUEST_FAULTS } from '../../../cloud/site/words/words.js';

const PAGE: GuestPage = {
  account: { name: 'Harbour', logo: null, colours: null, contact: { name: '', email: '', phone: '' } },
  product: { name: 'Gate', place: 'North, Quay 1', state: 'closed', is_online: true },
  operations: ['close', 'open'],
  window: { start: 1, end: null, timezone: 'UTC', phase: 'open' },
  last: null,
};
const NOTHING: GuestFacts = { page: null, asking: null, watched: null, isSlow: false, fault: null };
const view = (facts: Partial<GuestFacts>) =>
  decideGuestView({ ...NOTHING, page: PAGE, ...facts }, en, (ms) => `t${ms}`);
const ended = (error_type: number | 'Timeout' | null, operation = 'open') =>
  view({
    watched: 'e1',
    page: {
      ...PAGE,
      last: { event_id: 'e1', operation, status: error_type === null ? 'succeeded' : 'failed', error_type },
    },
  }).message;

describe('what a guest is shown', () => {
  it('is a product, its state and its buttons, to open first', () => {
    expect(view({})).toEqual({
      name: 'Gate',
      place: 'North, Quay 1',
      state: { word: 'Closed', kind: 'closed' },
      hint: '',
      message: null,
      operations: [
        { operation: 'open', label: 'Open', isMain: true },
        { operation: 'close', label: 'Close', isMain: false },
      ],
      isBusy: false,
      validity: 'Valid without an end',
    });
  });

  it('is that something moves', () => {
    const last = { event_id: 'e1', operation: 'stay_close', status: 'pending', error_type: null } as const;
    expect(view({ page: { ...PAGE, last } })).toMatchObject({ isBusy: true, message: { what: 'Closing …' } });
    expect(view({ asking: 'open' })).toMatchObject({ isBusy: true, message: { what: 'Asking …', todo: '' } });
    for (const facts of [{ asking: 'open' }, { page: { ...PAGE, last } }] as const) {
      const todo = 'This may take half a minute. Stay on this page.';
      expect(view({ ...facts, isSlow: true }).message?.todo).toBe(todo);
    }
    expect(view({ isSlow: true }).message).toBeNull();
  });

  it.each([
    [null, 'good', 'Done: it is open.'],
    [5, 'bad', 'It is jammed.'],
    [6, 'bad', 'A vehicle is in the way.'],
    [7, 'bad', 'It cannot see whether the way is clear.'],
    [10, 'bad', 'Somebody else is using it right now.'],
    [3, 'bad', 'It could not be reached.'],
    ['Timeout', 'bad', 'It could not be reached.'],
    [1, 'bad', 'That did not work.'],
    [11, 'bad', 'That did not work.'],
  ] as const)('is how it ended: %s', (type, tone, what) => {
    expect(ended(type)).toMatchObject({ tone, what });
  });

  it('is how the own command ended, whatever a repeat of the press was refused for', () => {
    const last = { event_id: 'e1', operation: 'open', status: 'succeeded', error_type: null } as const;
    const shown = (facts: Partial<GuestFacts>) => view({ page: { ...PAGE, last }, watched: 'e1', ...facts }).message;
    for (const fault of ['busy', 'unreachable', 'too_often', 'refused'] as const) {
      expect(shown({ fault })).toMatchObject({ tone: 'good', what: 'Done: it is open.' });
      expect(shown({ fault, watched: null })).toMatchObject({ tone: 'bad' });
    }
    expect(shown({ fault: 'no_network' })?.what).toBe('There is no connection to the service.');
  });

  it('is nothing of what ended before the page was opened', () => {
    const last = { event_id: 'e0', operation: 'open', status: 'failed', error_type: 5 } as const;
    expect(view({ page: { ...PAGE, last } }).message).toBeNull();
  });

  it('is nothing of a product whose link does not work any more', () => {
    expect(view({ fault: 'link' })).toMatchObject({ name: 'Access', operations: [], state: null });
  });

  it('is when the window begins or ended', () => {
    const outside = (phase: 'before' | 'after') =>
      view({ page: { ...PAGE, operations: [], window: { ...PAGE.window, start: 5, end: 9, phase } } });
    expect(outside('before')).toMatchObject({ state: null, message: { what: 'This link works from t5.' } });
    expect(outside('after')).toMatchObject({
      state: null,
      message: { what: 'This link worked until t9.', todo: 'Ask whoever gave it to you for a new one.' },
    });
    expect([0, 1, 8, 9].map((now) => phaseOf({ start: 1, end: 9 }, now))).toEqual(['before', 'open', 'open', 'after']);
  });

  it.each([
    [404, 6, 'link'],
    [429, 429, 'too_often'],
    [403, 704, 'unreachable'],
    [403, 214, 'busy'],
    [403, 30, 'no_remote_control'],
    [422, 23, 'refused'],
    [503, 500, 'service'],
    [502, undefined, 'service'],
    // Of what stands between: it says nothing about the link.
    [200, undefined, 'service'],
    [403, undefined, 'service'],
    [404, undefined, 'service'],
    [429, undefined, 'too_often'],
  ])('is why it was refused: %i code %s', (status, code, fault) => {
    expect(faultOfAnswer(status, code === undefined ? undefined : { code })).toBe(fault);
  });

  it('is no refusal where another process does what was asked', () => {
    expect(faultOfAnswer(422, { code: 23, field: 'idempotency_key' })).toBe('service');
    expect(faultOfAnswer(422, { code: 23, field: 'operation' })).toBe('refused');
  });

  it('has words for everything in every language, and never says up or down', () => {
    for (const words of [en, de, hr, hu]) {
      for (const fault of GUEST_FAULTS) {
        const { message } = decideGuestView({ ...NOTHING, fault }, words, String);
        expect(message?.what).toMatch(/\S/);
        expect(message?.todo).toMatch(/\S/);
      }
      expect(JSON.stringify(words)).not.toMatch(/\b(up|down|oben|unten|gore|dolje|fent|lent)\b/i);
    }
  });
});

describe("the token in a link's fragment", () => {
  const token = 'Zq-3_'.padEnd(42, 'k') + 'A';

  it.each(['', '.', ')', '&utm_source=mail', '%2E', '_', ' '])('is found with %j behind it', (behind) => {
    expect(tokenIn(`${token}${behind}`)).toBe(token);
  });

  it('is left as it is when it is another text', () => {
    expect(['', 'short.', `${token}x`].map(tokenIn)).toEqual(['', 'short.', `${token}x`]);
  });
});
