import { describe, expect, it } from 'vitest';
import {
  type CommandProduct,
  decideOperation,
  decideSettings,
} from '../../../cloud/equipment/command/decide-command.js';
import { PRODUCT_TYPE_IDS } from '../../../shared/ids.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';

const KNOWN = { now: 1_000_000, withinMs: 120_000 };
const FRESH = KNOWN.now - 120_000;
const OLD = FRESH - 1;

function product(
  position: NonNullable<CommandProduct['block']>['permanent_position'],
  more: { type?: 'barrier' | 'gate'; seen_at?: number | null; block?: Partial<CommandProduct['block']> } = {},
): CommandProduct {
  return {
    product: { id: 1, product_type_id: PRODUCT_TYPE_IDS[more.type ?? 'barrier'], seen_at: more.seen_at ?? FRESH },
    block: {
      permanent_position: position,
      is_autoclose: 0,
      autoclose_setting: null,
      autoclose_time: 20,
      ...more.block,
    },
  };
}
const unknown: CommandProduct = { product: { id: 2, product_type_id: 2, seen_at: null }, block: null };

describe('an operation', () => {
  it('is sent as it is', () => {
    for (const name of PRODUCT_OPERATIONS.filter((each) => !each.startsWith('clear'))) {
      expect(decideOperation(product('disabled'), name, KNOWN)).toEqual({ command: { name } });
    }
  });

  it.each([
    ['clear_stay_open', 'stay_open', FRESH, true],
    ['clear_stay_open', 'stay_close', FRESH, false],
    ['clear_stay_open', 'disabled', FRESH, false],
    ['clear_stay_open', 'disabled', OLD, true],
    ['clear_stay_close', 'stay_close', FRESH, true],
    ['clear_stay_close', 'stay_open', FRESH, false],
    ['clear_stay_close', 'stay_open', OLD, true],
  ] as const)('%s under %s, seen at %i: sent %s', (operation, position, seen_at, isSent) => {
    for (const type of ['barrier', 'gate'] as const) {
      expect(decideOperation(product(position, { type, seen_at }), operation, KNOWN)).toEqual(
        isSent ? { command: { name: operation } } : { problem: { field: 'operation', message: expect.any(String) } },
      );
    }
  });

  it('is sent to a product of which nothing is known', () => {
    expect(decideOperation(unknown, 'clear_stay_open', KNOWN)).toEqual({ command: { name: 'clear_stay_open' } });
  });
});

describe('settings of a barrier', () => {
  it.each([
    ['both', { is_autoclose: 1, autoclose_time: 7 }, {}, { on: true, seconds: 7 }],
    ['only the time', { autoclose_time: 7 }, { is_autoclose: 1 }, { on: true, seconds: 7 }],
    ['only whether', { is_autoclose: 0 }, { is_autoclose: 1 }, { on: false, seconds: 20 }],
    [
      'only the time, while a permanent position hides that it is on',
      { autoclose_time: 7 },
      { autoclose_setting: 1 },
      { on: true, seconds: 7 },
    ],
    ['only whether, of a time that nobody told', { is_autoclose: 1 }, { autoclose_time: 0 }, { on: true, seconds: 10 }],
  ] as const)('%s', (_what, settings, block, command) => {
    expect(decideSettings(product('disabled', { block }), settings, KNOWN)).toEqual({
      command: { name: 'autoclose', ...command },
    });
  });
});

describe('the permanent position', () => {
  it.each([
    ['stay_open', 'disabled', 'stay_open'],
    ['stay_close', 'stay_open', 'stay_close'],
    ['disabled', 'stay_open', 'clear_stay_open'],
    ['disabled', 'stay_close', 'clear_stay_close'],
  ] as const)('%s while it is %s is %s', (permanent_position, present, name) => {
    expect(decideSettings(product(present, { type: 'gate' }), { permanent_position }, KNOWN)).toEqual({
      command: { name },
    });
  });

  it('disabled while it is disabled is refused, unless that is old news', () => {
    const settings = { permanent_position: 'disabled' } as const;
    expect(decideSettings(product('disabled', { type: 'gate' }), settings, KNOWN)).toMatchObject({
      problem: { field: 'permanent_position' },
    });
    for (const of of [product('disabled', { type: 'gate', seen_at: OLD }), unknown]) {
      expect(decideSettings(of, settings, KNOWN)).toEqual({ command: { name: 'clear_stay_open' } });
    }
  });
});
