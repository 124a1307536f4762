import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLines } from '../../shared/node/printable.js';
import { renderFacts, renderTable, widthOf } from '../../shared/node/text-table.js';
import * as fc from '../property.js';

const HEAD = ['product', 'name', 'state', 'problem'];

describe('a table for a terminal', () => {
  it('has columns under their heads, and one line for each row where the width has no bound', () => {
    expect(
      renderTable(HEAD, [
        ['a1', 'Entry', 'open', ''],
        ['a2', 'Exit gate', 'closed', 'jammed'],
      ]),
    ).toEqual([
      'product  name       state   problem',
      'a1       Entry      open',
      'a2       Exit gate  closed  jammed',
    ]);
    expect(renderTable(HEAD, [])).toEqual(['product  name  state  problem', '(none)']);
  });

  it('folds its widest columns on a narrow terminal', () => {
    const rows = [['a1', 'Entry', 'open', 'its battery is at 15 %: charge or change it']];
    expect(renderTable(HEAD, rows, 44)).toEqual([
      'product  name   state  problem',
      'a1       Entry  open   its battery is at 15',
      '                       %: charge or change',
      '                       it',
    ]);
  });

  it('becomes lists where not even that helps', () => {
    const rows = [
      ['a4c138000001', 'Entry barrier', 'opened and held', 'its battery is at 15 %: charge or change it'],
      ['a4c138000002', 'Exit gate', '-', ''],
    ];
    expect(renderTable(HEAD, rows, 40)).toEqual([
      'a4c138000001  Entry barrier',
      '  state    opened and held',
      '  problem  its battery is at 15 %:',
      '           charge or change it',
      '',
      'a4c138000002  Exit gate',
    ]);
  });

  it('gives wide characters two cells, and marks none', () => {
    expect([widthOf('停車場'), widthOf('Z\u0301G'), widthOf('Ž')]).toEqual([6, 2, 1]);
    expect(
      renderTable(
        ['name', 'state'],
        [
          ['停車場', 'open'],
          ['Nord', 'open'],
        ],
      ),
    ).toEqual(['name    state', '停車場  open', 'Nord    open']);
  });

  it('never lets a name reach the terminal as anything but text', () => {
    expect(printableLines('a\u0007\nb\tc')).toBe('a?\nb c');
    const hostile = { 'a\u009b': ['\u202e\n', 'š'] };
    const json = printableJson(hostile, 2);
    expect(json).toContain('\\u202e\\n');
    expect(printableLines(json)).toBe(json);
    expect(JSON.parse(json)).toEqual(hostile);
    expect(printable('a\u001b[31mred\u0007\u009b2J\r\nb\u202ec\u2028')).toBe('a?[31mred??2J b?c?');
    fc.assert(
      fc.property(fc.string({ unit: fc.anyCharacter }), fc.integer({ min: 10, max: 120 }), (name, width) => {
        const text = [
          ...renderTable(HEAD, [[name, name, 'open', name]], width),
          ...renderFacts([['name', name]], width),
        ];
        return !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text.join(''));
      }),
    );
  });

  it('keeps within the terminal, whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: fc.anyCharacter, maxLength: 40 }), { minLength: 4, maxLength: 4 }), {
          maxLength: 5,
        }),
        fc.integer({ min: 40, max: 120 }),
        (rows, width) => renderTable(HEAD, rows, width).every((line) => widthOf(line) <= width),
      ),
    );
  });
});
