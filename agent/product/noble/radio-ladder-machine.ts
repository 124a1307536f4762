/**
 * Decides what to do about a Bluetooth adapter that has gone quiet or stopped answering: scan again, then reset it, then restart the
 * process that drives it. It goes one step at a time, and the first advertisement of a product that is heard ends it.
 */
export type LadderState =
  /** Nothing was ever heard: there may be no product in range, and a reset would not help. */
  { step: 'untried' } | { step: 'well' } | { step: 'rescanned' } | { step: 'reset' };

export type LadderInput =
  | { type: 'heard' }
  /** The scan has brought nothing for a while. */
  | { type: 'silent' }
  /** The adapter did not confirm what it must confirm. */
  | { type: 'stuck' };

export type LadderEffect = 'rescan' | 'reset' | 'restart';

export const LADDER_START: LadderState = { step: 'untried' };

/** Where an earlier process heard products: they stand there, and silence is a fault from the beginning. */
export const LADDER_EXPECTING: LadderState = { step: 'well' };

export function nextLadder(state: LadderState, input: LadderInput): { state: LadderState; effects: LadderEffect[] } {
  switch (input.type) {
    case 'heard':
      return { state: state.step === 'well' ? state : { step: 'well' }, effects: [] };
    case 'silent':
      if (state.step === 'untried') return { state, effects: ['rescan'] };
      if (state.step === 'well') return { state: { step: 'rescanned' }, effects: ['rescan'] };
      break;
    case 'stuck':
      break;
  }
  if (state.step === 'reset') return { state: LADDER_START, effects: ['restart'] };
  return { state: { step: 'reset' }, effects: ['reset'] };
}
