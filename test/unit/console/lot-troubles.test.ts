import { describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import {
  type LotFacts,
  troublesOf,
  troublesOfAccount,
  worstFirst,
} from '../../../cloud/console/wording/lot-troubles.js';
import { placeViewOf } from '../../../cloud/console/wording/place-view.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import { trouble } from '../../../shared/troubles/trouble.js';
import { GATEWAY_RECORD, HEALTH, LOT_FACTS, NO_ERROR, PRODUCT_RECORD } from './lot-facts.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const facts = (changed: Partial<LotFacts> = {}): LotFacts => ({ ...LOT_FACTS, ...changed });
const LONG_AGO = '2025-01-01T00:00:00.000Z';

describe('what needs a person', () => {
  it('is nothing in a lot that works', () => {
    const healths = new Map([[1, HEALTH]]);
    expect(troublesOf(facts({ products: [PRODUCT_RECORD], gateways: [GATEWAY_RECORD], healths }), NOW)).toEqual([]);
  });

  it('comes the worst first, each in a sentence, and every error of a product', () => {
    const found = troublesOf(
      facts({
        lot: { ...LOT_FACTS.lot, released_at: '2026-03-01T11:00:00Z', released_by: 'Gus' },
        products: [
          { ...PRODUCT_RECORD, battery_status: 12 },
          {
            ...PRODUCT_RECORD,
            id: 2,
            name: 'Exit',
            status: 'offline',
            product_error: { ...NO_ERROR, jammed: 1, sensor_dirty: 1 },
          },
        ],
        gateways: [{ ...GATEWAY_RECORD, status: 'offline' }],
        healths: new Map([
          [
            1,
            {
              ...HEALTH,
              alone_since: '2026-03-01T09:30:00Z',
              token_days_left: 1,
              queue: { depth: 4, oldest_at: '2026-03-01T11:00:00Z' },
              // What one that is away last said of its disk is no news.
              store: { is_ok: 0 },
            },
          ],
        ]),
        cameras: [
          {
            id: 1,
            name: 'Cam',
            zone_id: 1,
            status: 'auth',
            problem: null,
            last_seen: '2026-03-01T10:00:00Z',
            created_at: LONG_AGO,
          },
        ],
        zones: [{ id: 1, name: 'Deck', counts: { sensors: 3, sessions: 9, drift_since: '2026-03-01T10:00:00Z' } }],
        displays: [{ id: 1, name: 'Sign', lot_id: 1, shown_at: LONG_AGO, is_stale: 1, created_at: LONG_AGO }],
      }),
      NOW,
    );
    expect(found.map((each) => sentenceOf(each, en))).toEqual([
      'Everything in North is held open by Gus.',
      'Exit: jammed. Look whether something blocks it.',
      'Exit: its sensor is dirty. Wipe it.',
      'Exit is out of reach. Look whether it has power, and what stands between.',
      'Pi works alone, without the cloud. Gates go on by what it knows.',
      'Cam is silent: plates are not read there.',
      'Sign does not show how it is now.',
      'Deck: the counts are apart. Sensors say 3, cameras 9. Count the vehicles.',
      'Pi holds records that it could not hand over.',
      'Pi can open by itself for one more day: it needs its cloud before then.',
      'The battery of Gate is at 12\u00A0%.',
    ]);
  });

  it('says nothing of a gateway that nobody has claimed', () => {
    const gateways = [{ ...GATEWAY_RECORD, status: 'offline', claimed_at: null }];
    expect(troublesOf(facts({ gateways }), NOW)).toEqual([]);
  });

  it('includes what the account sends, without the secrets of an address', () => {
    const webhook = { id: 7, url: 'https://hooks.example/in?key=s3cret', is_active: 1, disabled_at: null };
    const webhooks = [
      { ...webhook, last_status: 503, unanswered_at: null },
      { ...webhook, last_status: null, unanswered_at: null },
      { ...webhook, url: null, is_active: 0, last_status: 410, disabled_at: LONG_AGO, unanswered_at: null },
    ];
    const found = troublesOfAccount({ webhooks, mails: [{ written_ms: NOW - 1, is_over: true }] }, NOW);
    expect(found.map((each) => sentenceOf(each, en))).toEqual([
      'The webhook to #7 was switched off: its receiver wants nothing any more.',
      'The webhook to hooks.example fails: it is answered with 503.',
      'One mail was not sent.',
    ]);
  });

  it('puts lots in the order of their worst trouble, then of how many, then of their names', () => {
    const about = { kind: 'product', id: 1, name: '' } as const;
    const error = trouble('product_error', about, { error: 'jammed' });
    const low = trouble('battery_low', about, { percent: 9 });
    const waits = trouble('awaited', about, {}, NOW);
    const ordered = worstFirst([
      { name: 'B', troubles: [] },
      { name: 'A', troubles: [] },
      { name: 'new', troubles: [waits] },
      { name: 'low', troubles: [low, low] },
      { name: 'one', troubles: [error] },
      { name: 'two', troubles: [error, low] },
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(['two', 'one', 'low', 'new', 'A', 'B']);
  });
});

describe('a place', () => {
  const AT = '2026-03-01T10:00:00.000Z';
  const place = {
    parking_gateway_id: 1,
    sensor: '1',
    occupancy_status: 'free',
    first_heard_at: LONG_AGO,
    stale_since: null,
  } as const;
  const on = { status: 'online', last_seen: AT };
  const off = { status: 'offline', last_seen: AT };
  const was = { state: 'free', at: AT };
  it.each([
    ['whose sensor is heard', place, on, on, { state: 'free', was: null }],
    ['without a sensor', { ...place, sensor: null }, on, on, { state: 'unknown', was: null }],
    ['that was never heard', { ...place, first_heard_at: null }, on, on, { state: 'unknown', was: null }],
    ['whose sensor is silent', { ...place, stale_since: AT }, on, on, { state: 'unknown', was }],
    ['whose parking gateway is silent', place, off, on, { state: 'unknown', was }],
    ['whose gateway works alone', place, on, off, { state: 'unknown', was }],
    ['of which no more is known', place, undefined, undefined, { state: 'free', was: null }],
  ])('%s', (_what, watched, parkingGateway, gateway, expected) => {
    expect(placeViewOf(watched, { parkingGateway, gateway })).toEqual(expected);
  });
});
