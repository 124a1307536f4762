import { describe, expect, it } from 'vitest';
import { LADDER_START, type LadderInput, nextLadder } from '../../../agent/product/noble/radio-ladder-machine.js';

const HEARD: LadderInput = { type: 'heard' };
const SILENT: LadderInput = { type: 'silent' };
const STUCK: LadderInput = { type: 'stuck' };

function effectsOf(inputs: LadderInput[]): string[][] {
  let state = LADDER_START;
  return inputs.map((input) => {
    const next = nextLadder(state, input);
    state = next.state;
    return next.effects;
  });
}

describe('radio ladder', () => {
  it('scans anew, resets, restarts, while an adapter that heard something stays silent', () => {
    expect(effectsOf([HEARD, SILENT, SILENT, SILENT])).toEqual([[], ['rescan'], ['reset'], ['restart']]);
  });

  it('begins at the bottom after anything heard', () => {
    expect(effectsOf([HEARD, SILENT, HEARD, SILENT, SILENT, HEARD, SILENT])).toEqual([
      [],
      ['rescan'],
      [],
      ['rescan'],
      ['reset'],
      [],
      ['rescan'],
    ]);
  });

  it('does not reset an adapter that has nothing to hear', () => {
    expect(effectsOf([SILENT, SILENT, SILENT, SILENT])).toEqual([['rescan'], ['rescan'], ['rescan'], ['rescan']]);
  });

  it('resets an adapter that does not confirm, and restarts when that has not helped', () => {
    expect(effectsOf([STUCK, STUCK])).toEqual([['reset'], ['restart']]);
    expect(effectsOf([HEARD, SILENT, STUCK, SILENT])).toEqual([[], ['rescan'], ['reset'], ['restart']]);
  });
});
