import { describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { type LotFacts, troublesOf, worstFirst } from '../../../cloud/console/wording/lot-troubles.js';
import type { ProductFacts } from '../../../cloud/console/wording/product-view.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const options = { timeOf: (iso: string) => iso.slice(11, 16), now: NOW };

const product = (changed: Partial<ProductFacts> = {}): ProductFacts => ({
  id: 1,
  name: 'Gate',
  lot_id: 1,
  product_type_id: 2,
  status: 'online',
  battery_status: 80,
  rssi: -60,
  product_error: null,
  gate: { state: 'closed', permanent_position: 'disabled' },
  ...changed,
});
const noError = {
  jammed: 0,
  pin_broken: 0,
  sensor_dirty: 0,
  battery_empty: 0,
  rtcc_invalid: 0,
  master_key_not_set: 0,
};
const gateway = { id: 1, name: 'Pi', lot_id: 1, status: 'online', last_seen: null, claimed_at: '2026-01-01T00:00:00Z' };
const facts = (changed: Partial<LotFacts> = {}): LotFacts => ({
  autonomy_days: 31,
  products: [],
  gateways: [],
  healths: new Map(),
  cameras: [],
  ...changed,
});
const health = {
  alone_since: null,
  token_days_left: 31,
  queue: { depth: 0, oldest_at: null },
  radio: { adapters: [] },
};

describe('what needs a person', () => {
  it('is nothing in a lot that works', () => {
    expect(
      troublesOf(facts({ products: [product()], gateways: [gateway], healths: new Map([[1, health]]) }), en, options),
    ).toEqual([]);
  });

  it('is an adapter that is off, of a gateway that is there', () => {
    const radio = {
      adapters: [
        { name: 'hci0', state: 'on' as const },
        { name: 'hci1', state: 'off' as const },
      ],
    };
    const of = (status: string) =>
      troublesOf(
        facts({ gateways: [{ ...gateway, status }], healths: new Map([[1, { ...health, radio }]]) }),
        en,
        options,
      ).map(({ sentence }) => sentence);
    expect(of('online')).toEqual(['Bluetooth of Pi does not work: hci1 off.']);
    expect(of('offline')).toEqual([]);
  });

  it('comes the worst first, each in a sentence', () => {
    const found = troublesOf(
      facts({
        products: [
          product({ battery_status: 12 }),
          product({
            id: 2,
            name: 'Exit',
            status: 'offline',
            product_error: { ...noError, jammed: 1, sensor_dirty: 1 },
          }),
        ],
        gateways: [{ ...gateway, status: 'offline' }],
        healths: new Map([
          [
            1,
            {
              alone_since: '2026-03-01T09:30:00Z',
              token_days_left: 1,
              queue: { depth: 4, oldest_at: '2026-03-01T11:00:00Z' },
              radio: { adapters: [] },
            },
          ],
        ]),
        cameras: [{ id: 1, name: 'Cam', zone_id: 1, status: 'auth', last_seen: '2026-03-01T10:00:00Z' }],
      }),
      en,
      options,
    );
    expect(found.map(({ kind }) => kind)).toEqual([
      'product_error',
      'product_unheard',
      'gateway_alone',
      'camera_silent',
      'queue_old',
      'token_low',
      'battery_low',
    ]);
    expect(found.map(({ sentence }) => sentence)).toEqual([
      'Exit: jammed. Look whether something blocks it.',
      'No gateway hears Exit.',
      'Pi has been working alone since 09:30. Gates go on by what it knows.',
      'Cam has been silent since 10:00: plates are not read there.',
      'Pi still holds records from 11:00 that it could not hand over.',
      'Pi can open by itself for one more day: it needs its cloud before then.',
      'The battery of Gate is at 12\u00A0%.',
    ]);
  });

  it.each([
    [31, 31, []],
    [31, 16, []],
    [31, 15, ['token_low']],
    [7, 7, []],
    [7, 4, []],
    [7, 3, ['token_low']],
    [null, 0, []],
  ] as const)('includes the time alone below half: of %s days %i are left', (autonomy_days, left, expected) => {
    const healths = new Map([[1, { ...health, token_days_left: left }]]);
    const found = troublesOf(facts({ autonomy_days, gateways: [gateway], healths }), en, options);
    expect(found.map(({ kind }) => kind)).toEqual(expected);
  });

  it('says nothing of a gateway that nobody has claimed, or of a queue that is being handed over', () => {
    const quick = { ...health, queue: { depth: 9, oldest_at: '2026-03-01T11:56:00Z' } };
    expect(troublesOf(facts({ gateways: [{ ...gateway, status: 'offline', claimed_at: null }] }), en, options)).toEqual(
      [],
    );
    expect(troublesOf(facts({ gateways: [gateway], healths: new Map([[1, quick]]) }), en, options)).toEqual([]);
  });

  it('puts lots in the order of their worst trouble, then of how many, then of their names', () => {
    const about = { product: 1 };
    const lot = (name: string, ...kinds: ('product_error' | 'battery_low')[]) => ({
      name,
      troubles: kinds.map((kind) => ({ kind, sentence: '', about })),
    });
    const ordered = worstFirst([
      lot('B'),
      lot('A'),
      lot('low', 'battery_low', 'battery_low'),
      lot('one', 'product_error'),
      lot('two', 'product_error', 'battery_low'),
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(['two', 'one', 'low', 'A', 'B']);
  });
});
